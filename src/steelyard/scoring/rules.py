"""Format rules over raw outputs: which rules an output passes, and whether it passes all of them (page 20).

A pattern gets one second of processor time on an output; what takes longer is stopped, fails the rule and is tagged
`regex_timeout`. All rules together may lose twenty seconds that way. From then on a match gets two milliseconds and two
microseconds a character, a thousand times what a match without runaway backtracking takes, so that neither a runaway
pattern on a million outputs nor a thousand of them slows the run.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import TypeAlias

from steelyard.errors import ConfigurationError, Problem
from steelyard.records.plans import FORMAT_COMPLIANCE, RULE_PREFIX
from steelyard.records.rules import Rule
from steelyard.registry import metric
from steelyard.scoring.json_schemas import matches_schema, schema_validator
from steelyard.text.patterns import Pattern, compile_pattern
from steelyard.text.tokens import split

REGEX_TIMEOUT = "regex_timeout"
DEADLINE = 1.0
LOST_SECONDS = 20.0
_SHORT_DEADLINE, _SHORT_DEADLINE_PER_CHARACTER = 0.002, 2e-6

Check: TypeAlias = Callable[[str], bool]

_INSIGNIFICANT = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?(?::|!|=|<!|<=)")
"""Escapes, character classes and the openings of plain groups: parts in which signs of repetition mean nothing."""


class FormatRules:
    """The rules of a task. An output that is not there passes none."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        _refuse_repeated(rules)
        self.rules = tuple(rules)
        self.names = tuple(rule.name for rule in rules)
        self.budget = Budget()
        self._columns = tuple(RULE_PREFIX + name for name in self.names)
        self._checks = tuple(_check(rule, self.budget) for rule in rules)
        self._digest = hashlib.sha256(json.dumps([asdict(rule) for rule in rules], sort_keys=True).encode()).hexdigest()

    def __reduce__(self) -> tuple[type[FormatRules], tuple[tuple[Rule, ...]]]:
        """Another process makes its own checks, and has its own budget."""
        return FormatRules, (self.rules,)

    @property
    def signature(self) -> str:
        """The metric's signature: a digest of everything that the rules say."""
        return f"{FORMAT_COMPLIANCE}@v1|rules={self._digest[:16]}"

    def check(self, output: str | None) -> tuple[dict[str, float | None], tuple[str, ...]]:
        """Return the columns of one output, one for each rule and `format_compliance`, and its error tags."""
        if output is None:
            return dict.fromkeys((*self._columns, FORMAT_COMPLIANCE), 0.0), ()
        lost = self.budget.timeouts
        passed = [check(output) for check in self._checks]
        columns: dict[str, float | None] = dict(zip(self._columns, map(float, passed), strict=True))
        columns[FORMAT_COMPLIANCE] = format_compliance(passed)
        return columns, (REGEX_TIMEOUT,) if self.budget.timeouts > lost else ()


@metric(FORMAT_COMPLIANCE, kind="rules", values="rate")
def format_compliance(passed: Sequence[bool]) -> float:
    """1 if an output passes all format rules, else 0."""
    return float(all(passed))


class Budget:
    """What runaway patterns have cost so far."""

    def __init__(self) -> None:
        self.lost = 0.0
        self.timeouts = 0

    def deadline(self, text: str) -> float:
        """Return the processor time that a match on this text may take."""
        if self.lost < LOST_SECONDS:
            return DEADLINE
        return min(DEADLINE, _SHORT_DEADLINE + _SHORT_DEADLINE_PER_CHARACTER * len(text))

    def spend(self, seconds: float) -> None:
        """Record a match that was stopped."""
        self.lost += seconds
        self.timeouts += 1


def _refuse_repeated(rules: Sequence[Rule]) -> None:
    names = [rule.name for rule in rules]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        message = f"format rules have the same name: {', '.join(repeated)}"
        raise ConfigurationError(Problem("bad-configuration", message, hint="give every rule a name of its own"))


def _check(rule: Rule, budget: Budget) -> Check:
    if rule.pattern is not None:
        if is_simple(rule.pattern):
            return partial(_found, re.compile(rule.pattern), invert=rule.invert)
        return partial(_found_in_time, compile_pattern(rule.pattern), budget, invert=rule.invert)
    if rule.max_tokens is not None:
        return partial(_at_most, rule.max_tokens)
    if rule.min_tokens is not None:
        return partial(_at_least, rule.min_tokens)
    if rule.one_of is not None:
        return partial(_one_of, frozenset(rule.one_of))
    assert rule.json_schema is not None
    return partial(matches_schema, schema_validator(rule.name, rule.json_schema, partial(_searched, budget)))


def is_simple(pattern: str) -> bool:
    r"""Return whether a pattern cannot run away: nothing in it repeats, and it chooses between alternatives once.

    >>> is_simple(r"\.$"), is_simple(r"^(?:Sure|Of course)"), is_simple("(a|aa)+$")
    (True, True, False)
    """
    rest = _INSIGNIFICANT.sub(lambda match: "(" if match.group().startswith("(") else "x", pattern)
    return not any(sign in rest for sign in "*+?{") and rest.count("(") <= 1


def _found(compiled: re.Pattern[str], text: str, *, invert: bool) -> bool:
    return (compiled.search(text) is not None) != invert


def _found_in_time(pattern: Pattern, budget: Budget, text: str, *, invert: bool) -> bool:
    deadline = budget.deadline(text)
    try:
        return pattern.found_in(text, seconds=deadline) != invert
    except TimeoutError:
        budget.spend(deadline)
        return False


def _searched(budget: Budget, pattern: str, text: str) -> bool:
    """Return whether a pattern inside a JSON Schema, which was checked at load, matches; a stopped one does not."""
    return _found_in_time(compile_pattern(pattern), budget, text, invert=False)


def _at_most(limit: int, text: str) -> bool:
    return len(split(text, "none")) <= limit


def _at_least(limit: int, text: str) -> bool:
    return len(split(text, "none")) >= limit


def _one_of(values: frozenset[str], text: str) -> bool:
    return text in values or text.strip() in values
