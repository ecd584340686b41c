"""The loss curve of a trained run, read from its log."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec

from steelyard.records.encoded import UNREADABLE
from steelyard.records.training import LossCurve, TrainingPaths


class _Line(msgspec.Struct):
    step: int
    loss: float | None = None


def loss_curve(run: Path, label: str = "") -> LossCurve:
    """Return the loss of each step; a torn line of a log is passed over, and a run without a log has no steps."""
    try:
        written = TrainingPaths(run).log.read_bytes().splitlines()
    except OSError:
        return LossCurve(label)
    found: dict[int, float] = {}
    for line in written:
        with suppress(*UNREADABLE):
            entry = msgspec.json.decode(line, type=_Line)
            if entry.loss is not None:
                found[entry.step] = entry.loss
    steps = tuple(sorted(found))
    return LossCurve(label, steps, tuple(found[step] for step in steps))
