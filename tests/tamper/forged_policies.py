"""Rows of the table: policies that say nothing, or something else than they seem to."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from tests.tamper.forged_data import task
from tests.tamper.rows import Row, nothing, written

RULES = "gates:\n  - {metric: exact_match, max_drop: 0.02}\n"
TYPING_ERROR = "gates:\n  - {metric: exact_macth, min: 0}\nanswer_type"
POLICIES = {
    "empty": "",
    "a comment": "# gates\n",
    "no gates": "gates: []\n",
    "null gates": "gates:\n",
    "a misspelt key": "gate:\n  - {metric: exact_match, max_drop: 0.02}\n",
    "a list": "- {metric: exact_match, max_drop: 0.02}\n- 7\n",
    "a rule without a limit": "gates:\n  - {metric: exact_match}\n",
    "a misspelt limit": "gates:\n  - {metric: exact_match, maxdrop: 0.02}\n",
    "a misspelt metric": "gates:\n  - {metric: exact_macth, max_drop: 0.02}\n",
    "a metric of no run": "gates:\n  - {metric: rouge1, max_drop: 0.02}\n",
    "a misspelt tag": "gates:\n  - {metric: exact_match, slice: {sorce: a}, max_drop: 0.02}\n",
    "a misspelt value": "gates:\n  - {metric: exact_match, slice: {source: A}, max_drop: 0.02}\n",
    "a misspelt tag of each": "gates:\n  - {metric: exact_match, slice_each: sorce, max_drop: 0.02}\n",
    "more items than there are": "gates:\n  - {metric: exact_match, max_drop: 0.02, min_n: 1000}\n",
    "not a number": "gates:\n  - {metric: exact_match, max_drop: .nan}\n",
    "infinity": "gates:\n  - {metric: exact_match, max_drop: .inf}\n",
    "minus infinity": "gates:\n  - {metric: exact_match, min: -.inf}\n",
    "a word for a number": "gates:\n  - {metric: exact_match, max_drop: much}\n",
    "true for a number": "gates:\n  - {metric: exact_match, max_drop: true}\n",
    "percent for a number": "gates:\n  - {metric: exact_match, max_drop: 50}\n",
    "a negative drop": "gates:\n  - {metric: exact_match, max_drop: -0.02}\n",
    "a misspelt level": "gates:\n  - {metric: exact_match, max_drop: 0.02, level: advisroy}\n",
    "no items": "gates:\n  - {items: [], must: pass}\n",
    "unknown items": "gates:\n  - {items: [nowhere], must: pass}\n",
    "failing items": "gates:\n  - {items: [i59], must: pass}\n",
    "items that must nothing": "gates:\n  - {items: [i59]}\n",
    "a rate above one": "gates:\n  - {skipped: {max_rate: 2}}\n",
    "a double key": "gates:\n  - {metric: exact_match, max_drop: 0.02, max_drop: 0.9}\n",
    "double gates": "gates:\n  - {metric: exact_match, max_drop: 0.02}\ngates:\n  - {metric: exact_match, min: 0}\n",
    "cut short": "gates:\n  - {metric: exact_match, max_drop: 0.02}\n  - {metric: f1, max",
    "another task": "gates:\n  - {task: other, metric: exact_match, max_drop: 0.02}\n",
    "another required task": "gates:\n  - {metric: exact_match, max_drop: 0.02}\nrequired: [other]\n",
    "a smaller first drop": "gates:\n  - {metric: exact_match, max_drop_relative: 0.05}\n",
    "a fall within the level": "gates:\n  - {metric: exact_match, no_significant_drop: 0.05}\n",
    "another margin": "gates:\n  - {metric: exact_match, non_inferior: 0.02}\n",
    "unknown allowance": "gates:\n  - {metric: exact_match, max_drop: 0.02}\nallow: [everything]\n",
    "an environment variable": "gates:\n  - {metric: exact_match, max_drop: '${LIMIT}'}\n",
}
"""Policies by which a run that may not ship is gated; none of them says that it may."""
GATED = "gate worse --against main --policy forged.yaml"


def not_utf8() -> None:
    """Write a policy in another encoding."""
    Path("forged.yaml").write_bytes(b"gates:\n  - {metric: \xff, min: 0}\n")


POLICY_ROWS = (
    *(Row("policies", name, partial(written, "forged.yaml", text), GATED) for name, text in POLICIES.items()),
    Row("policies", "no file", nothing, GATED),
    Row("policies", "a folder", partial(os.mkdir, "forged.yaml"), GATED),
    Row("policies", "not UTF-8", not_utf8, GATED),
    Row("policies", "no baseline", nothing, "gate worse"),
    Row("policies", "a task's own gates with a typing error", partial(task, "answer_type", TYPING_ERROR)),
)
GENUINE_POLICIES = (
    Row(
        "policies",
        "a rule that holds",
        partial(written, "forged.yaml", RULES),
        "gate good --against main --policy forged.yaml",
    ),
)
