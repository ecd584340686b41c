"""What a run said before it was judged again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class BaselineFigures:
    """The figures of a run that others are held against, as they were before it was judged again."""

    names: tuple[str, ...]
    """The baselines that name the run, or the suite that it is part of."""
    metrics: Mapping[str, float | None]
    """Empty where the results could not be read."""

    def beside(self, results: Mapping[str, Any]) -> dict[str, tuple[float | None, float | None]]:
        """Return every metric that is one number with its old and its new value; None where there is none."""
        new = plain_metrics(results)
        return {name: (self.metrics.get(name), new.get(name)) for name in dict.fromkeys([*self.metrics, *new])}


def plain_metrics(results: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the metrics of a run that are one number, or would be if there were anything to count."""
    metrics: Mapping[str, Any] = results["metrics"]
    return {name: value for name, value in metrics.items() if value is None or isinstance(value, int | float)}
