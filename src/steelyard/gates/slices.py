"""What it means to look at every slice of a key at once: a limit kept by each is passed by chance less often."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from steelyard.gates.wording import percent, sentence
from steelyard.records.gates import Decision, MetricRule, Rule


def with_family_alarms(rules: Sequence[Rule], decisions: Sequence[Decision]) -> list[Decision]:
    """Return decisions of which those of one rule for each slice say how often equal runs fail any of them."""
    families: dict[tuple[str, str], list[Decision]] = {}
    for rule, found in zip(rules, decisions, strict=True):
        if isinstance(rule, MetricRule) and rule.slice_each is not None and found.false_alarm is not None:
            families.setdefault((found.task, found.rule), []).append(found)
    return [_with_alarm(found, families.get((found.task, found.rule), [])) for found in decisions]


def _with_alarm(found: Decision, family: Sequence[Decision]) -> Decision:
    if found.false_alarm is None or len(family) < 2:
        return found
    # The items of different slices are different items, so equal runs pass each of them independently.
    alarm = 1 - math.prod(1 - (entry.false_alarm or 0.0) for entry in family)
    found_again = replace(found, family_false_alarm=alarm)
    if found is not family[0]:
        return found_again
    said = f"an equally good run fails one or more of these {len(family)} slices in {percent(alarm)} of cases"
    return replace(found_again, context=sentence([said, found.context]))
