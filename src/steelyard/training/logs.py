"""`train_log.jsonl`: one line per step with step, epoch, loss, learning rate and gradient norm."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from steelyard.errors import Problem
from steelyard.records.encoded import UNREADABLE


class _Line(msgspec.Struct):
    step: int
    epoch: float
    loss: float | None
    learning_rate: float | None
    grad_norm: float | None


class LossLog:
    """Appends a line per step; a resumed training goes on behind the step of its checkpoint."""

    def __init__(self, path: Path, *, from_step: int = 0) -> None:
        kept = _lines_until(path, from_step)
        self.losses = [float(line["loss"]) for line in kept if line["loss"] is not None]
        self.is_broken = False
        aside = path.with_name(f".{path.name}.resuming")
        aside.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
        aside.replace(path)
        self._stream = path.open("a", encoding="utf-8")

    def write(self, step: int, epoch: float, logs: Mapping[str, Any]) -> None:
        """Write one step. A value that is no number is null, and the log knows that it has seen one."""
        loss = float(logs["loss"])
        self.is_broken = self.is_broken or not math.isfinite(loss)
        line = {
            "step": step,
            "epoch": epoch,
            "loss": _finite(loss),
            "learning_rate": _finite(logs.get("learning_rate")),
            "grad_norm": _finite(logs.get("grad_norm")),
        }
        self._stream.write(json.dumps(line) + "\n")
        self._stream.flush()
        if line["loss"] is not None:
            self.losses.append(loss)

    def close(self) -> None:
        """Let go of the file."""
        self._stream.close()


def _finite(value: Any) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _lines_until(path: Path, step: int) -> list[dict[str, Any]]:
    if not path.is_file() or not step:
        return []
    found = []
    for number, line in enumerate(path.read_bytes().rpartition(b"\n")[0].splitlines(), start=1):
        try:
            content = msgspec.json.decode(line, type=_Line)
        except UNREADABLE as error:
            problem = Problem("run-damaged", f"the line is passed over: {error}", file=str(path), line=number)
            warnings.warn(problem.in_one_line, stacklevel=2)
            continue
        if content.step <= step:
            found.append(msgspec.to_builtins(content))
    return found
