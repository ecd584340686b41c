"""Steps and their manifests. A step is a distinct `(run_id, step_id)` among a run's events and manifests."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from steelyard.research.faults import expect_identifier, expect_object, expect_word

EventType: TypeAlias = Literal["COMPILE", "PLAN", "ACT", "OBSERVE", "CHECKPOINT", "EGRESS"]
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)

_DIGITS = re.compile(r"([0-9]{1,18})")

Step: TypeAlias = tuple[str, str]
"""Run and step."""


@dataclass(slots=True)
class StepLedger:
    """The steps of one run, as its events and manifests name them."""

    happened: set[Step] = field(default_factory=set)
    recorded: set[Step] = field(default_factory=set)

    def add_event(self, value: Any) -> None:
        """Take up one line of `events.jsonl`."""
        values = expect_object(value, "the event")
        expect_word(values, "event_type", "the event", EVENT_TYPES)
        self.happened.add(_step(values, "the event"))

    def add_manifest(self, value: Any) -> None:
        """Take up one manifest."""
        self.recorded.add(_step(expect_object(value, "the manifest"), "the manifest"))

    @property
    def total(self) -> int:
        """How many steps there are: a manifest is a step too, whether or not an event tells of it."""
        return len(self.happened | self.recorded)

    @property
    def without_manifest(self) -> list[Step]:
        """The steps that no manifest records, in order of their ids."""
        return sorted(self.happened - self.recorded, key=_natural)

    @property
    def without_event(self) -> list[Step]:
        """The steps that a manifest records and no event tells of."""
        return sorted(self.recorded - self.happened, key=_natural)


def _step(values: Any, what: str) -> Step:
    return expect_identifier(values, "run_id", what), expect_identifier(values, "step_id", what)


def _natural(step: Step) -> tuple[str, list[str | int], str]:
    """Return what steps are listed by: numbers in a name count as numbers, so that s2 comes before s10."""
    run, name = step
    # Text and digits alternate, text first, so that the parts of two names compare like with like.
    parts: list[str | int] = [int(part) if place % 2 else part for place, part in enumerate(_DIGITS.split(name))]
    return run, parts, name
