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

import numpy as np

from steelyard.errors import ConfigurationError, Problem
from steelyard.kernels.patterns import PatternBlock, pattern_block
from steelyard.records.blocks import ErrorTags, Floats, TextColumn
from steelyard.records.plans import FORMAT_COMPLIANCE, RULE_PREFIX, Rule
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


# Format rules over a block of outputs, equal to `FormatRules.check` output by output.


class RuleBlocks:
    """The rules of a task over columns: by loops where every rule is a pattern that has a block form."""

    def __init__(self, rules: FormatRules) -> None:
        self._rules = rules
        forms = [_block_form(rule) for rule in rules.rules]
        self._forms = [form for form in forms if form is not None] if None not in forms else []

    def check(self, outputs: TextColumn) -> tuple[dict[str, Floats], ErrorTags]:
        """Return the columns of outputs, one for each rule and `format_compliance`, and their error tags."""
        return self._by_blocks(outputs) if self._forms else self._one_by_one(outputs)

    def _by_blocks(self, outputs: TextColumn) -> tuple[dict[str, Floats], ErrorTags]:
        found = {}
        for rule, form in zip(self._rules.rules, self._forms, strict=True):
            found[RULE_PREFIX + rule.name] = (form.search(outputs) != rule.invert).astype(np.float64)
        found[FORMAT_COMPLIANCE] = np.minimum.reduce(list(found.values()))
        return found, ErrorTags([()], np.zeros(len(outputs), np.int32))

    def _one_by_one(self, outputs: TextColumn) -> tuple[dict[str, Floats], ErrorTags]:
        checked = [self._rules.check(text) for text in outputs]
        names = [*(RULE_PREFIX + name for name in self._rules.names), FORMAT_COMPLIANCE]
        columns = {name: np.array([row[name] for row, _ in checked], np.float64) for name in names}
        return columns, ErrorTags.of([tags for _, tags in checked])


def _block_form(rule: Rule) -> PatternBlock | None:
    """Return the block form of a rule that cannot run away; a deadline is the item form's business."""
    if rule.pattern is None or not is_simple(rule.pattern):
        return None
    return pattern_block(rule.pattern, partial(_found_of_rule_blocks, re.compile(rule.pattern)))


def _found_of_rule_blocks(compiled: re.Pattern[str], text: str) -> bool:
    return compiled.search(text) is not None
