"""A training as `kinds.training` hands it to the training room, and what comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from steelyard.records.runs import TRAIN_LOG_FILE

TrainingTask: TypeAlias = Literal["sft", "classification"]

ADAPTER_FOLDER = "adapter"
TOKENIZER_FOLDER = "tokenizer"
CHECKPOINT_FOLDER = "checkpoints"
TRAIN_SUMMARY_FILE = "train_summary.json"
LABELS_FILE = "labels.json"
"""The labels of a classification adapter, in the order of its head."""


class TrainingRow(msgspec.Struct, frozen=True):
    """One example: what is asked, and the text or label that is the right answer."""

    prompt: str
    target: str


class TrainingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides what comes out of a training."""

    base_model: str
    task: TrainingTask
    epochs: float = 1
    batch_size: int = 8
    lr: float = 2e-4
    lora_r: int = 8
    lora_alpha: int = 16
    lora_dropout: float = 0.0
    target_modules: tuple[str, ...] = ()
    """Which layers get an adapter; none named leaves it to peft, which knows the common architectures."""
    max_length: int = 512
    """Longer examples are cut."""
    max_grad_norm: float = 1.0
    save_steps: int = 100
    """How often a checkpoint is kept, from which the training can go on."""
    seed: int = 0
    device: str | None = None
    threads: int | None = None


class TrainingOutcome(msgspec.Struct, frozen=True):
    """What a finished training says of itself; the content of `train_summary.json`."""

    status: str
    steps: int
    epochs: float
    train_rows: int
    first_loss: float | None
    final_loss: float | None
    mean_loss: float | None
    parameters: int
    trainable_parameters: int
    cut_rows: int
    """Rows longer than `max_length`."""
    labels: list[str] = msgspec.field(default_factory=list)
    resumed_from_step: int | None = None
    error: str | None = None


class LossCurve(msgspec.Struct, frozen=True):
    """The training loss of a run, step by step; without steps the run has no training behind it."""

    label: str
    steps: tuple[int, ...] = ()
    losses: tuple[float, ...] = ()


class TrainingPaths(msgspec.Struct, frozen=True):
    """Where a training writes."""

    run: Path

    @property
    def adapter(self) -> Path:
        """The trained adapter."""
        return self.run / ADAPTER_FOLDER

    @property
    def tokenizer(self) -> Path:
        """The tokenizer it was trained with."""
        return self.run / TOKENIZER_FOLDER

    @property
    def checkpoints(self) -> Path:
        """Checkpoints, gone once the run is complete."""
        return self.run / CHECKPOINT_FOLDER

    @property
    def log(self) -> Path:
        """One line per step."""
        return self.run / TRAIN_LOG_FILE

    @property
    def summary(self) -> Path:
        """The outcome."""
        return self.run / TRAIN_SUMMARY_FILE


def summary_content(outcome: TrainingOutcome) -> dict[str, Any]:
    """Return the content of `train_summary.json`."""
    found: dict[str, Any] = msgspec.to_builtins(outcome)
    return found
