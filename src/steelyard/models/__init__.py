"""Items to predictions: embedded, GGUF, Hugging Face with LoRA, OpenAI-compatible endpoints, replay, Python, mock.

`open_model(spec)` gives a model by its `--model` spec. A failing item is a reply with a state, never an exception; what
stops a whole run (a refused key, a pickle, a missing extra) is an error with a way out.
"""

from steelyard.models.opening import ModelOptions, open_model
from steelyard.models.protocol import Model

__all__ = ["Model", "ModelOptions", "open_model"]
