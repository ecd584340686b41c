"""Format rules over a block of outputs, equal to `FormatRules.check` output by output."""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from steelyard.kernels.patterns import PatternBlock, pattern_block
from steelyard.records.blocks import ErrorTags, Floats, TextColumn
from steelyard.records.plans import FORMAT_COMPLIANCE, RULE_PREFIX
from steelyard.records.rules import Rule
from steelyard.scoring.rules import FormatRules, is_simple


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
    return pattern_block(rule.pattern, partial(_found, re.compile(rule.pattern)))


def _found(compiled: re.Pattern[str], text: str) -> bool:
    return compiled.search(text) is not None
