"""The numbers that come with a prediction, in one table; a further one is a further line.

From it rows are read, by items and by columns, journals keep what they keep, and `items.parquet` has its columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a prediction."""

    name: str
    """What its column is called, and the field that has it."""
    aliases: tuple[str, ...] = ()
    """Fields that have it where the first is no number."""
    kind: Literal["amount", "whole", "count"] = "amount"
    """Any number; a number whose fraction is cut off; or a whole number, and no other."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Every field that may have it."""
        return (self.name, *self.aliases)


MEASURES: tuple[Measure, ...] = (
    Measure("eval_time_ms", ("latency_ms",)),
    Measure("prompt_tokens", ("tokens_in",), "whole"),
    Measure("completion_tokens", ("tokens_out",), "whole"),
    Measure("loss"),
    Measure("n_tokens", kind="count"),
)


def measures() -> tuple[Measure, ...]:
    """Return every measure, as it stands when it is asked for."""
    return MEASURES
