"""The training file (page 60): which base, which data, how, and seed 001's `eval:` block for what follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator

from steelyard.configuration.problems import Strict, checked
from steelyard.configuration.task import EvalBlock, MetricSpec

MOST_EPOCHS = 10_000


class TrainingFile(Strict):
    """`train.yaml`, checked. Paths are still as written; `kinds.training` resolves them against the file."""

    base_model: str
    task: Literal["sft", "classification"] = "sft"
    dataset: str | None = None
    epochs: float = Field(default=1, gt=0, le=MOST_EPOCHS)
    batch_size: int = Field(default=8, ge=1)
    lr: float = Field(default=2e-4, gt=0)
    lora_r: int = Field(default=8, ge=1)
    lora_alpha: int = Field(default=16, ge=1)
    lora_dropout: float = Field(default=0.0, ge=0, lt=1)
    target_modules: tuple[str, ...] = Field(default=(), strict=False)
    max_length: int = Field(default=512, ge=2)
    max_grad_norm: float = Field(default=1.0, gt=0)
    save_steps: int = Field(default=100, ge=1)
    seed: int = Field(default=0, ge=0)
    device: str | None = None
    threads: int | None = Field(default=None, ge=1)
    prompt: str | None = None
    prompt_version: str | None = None
    generation: dict[str, Any] = Field(default_factory=dict)
    metrics: tuple[MetricSpec, ...] | None = Field(default=None, strict=False)
    eval: EvalBlock = EvalBlock()

    @field_validator("lr", mode="before")
    @classmethod
    def _exponent(cls, value: Any) -> Any:
        """Read `1e-4`, which YAML takes for a text because it has no point."""
        if not isinstance(value, str):
            return value
        try:
            return float(value)
        except ValueError:
            return value

    @field_validator("target_modules", "metrics", mode="before")
    @classmethod
    def _lists(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value


def parse_training(values: Mapping[str, Any], *, file: str | None = None) -> TrainingFile:
    """Return a training from the content of its file.

    >>> parse_training({"base_model": "tiny", "lr": "1e-4"}).lr
    0.0001
    """
    return checked(TrainingFile, values, file=file)
