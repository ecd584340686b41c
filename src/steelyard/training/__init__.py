"""Fine-tuning by transformers and peft. It wraps a training framework and records everything; it is none itself."""

from steelyard.training.fine_tuning import fine_tune

__all__ = ["fine_tune"]
