"""Steps and their manifests. A step is a distinct `(run_id, step_id)` among a run's events and manifests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from steelyard.research.faults import expect_identifier, expect_object, expect_word

EventType: TypeAlias = Literal["COMPILE", "PLAN", "ACT", "OBSERVE", "CHECKPOINT", "EGRESS"]
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)

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


def _natural(step: Step) -> tuple[str, int, str]:
    """Numbered steps are listed by number: 2 before 10."""
    run, name = step
    return run, int(name) if name.isdecimal() and len(name) < 19 else -1, name
