"""The table of kinds by verbs says what the net of tests walks."""

import re
from pathlib import Path

import pytest

from steelyard.kinds.table import KINDS
from tests.ways.kinds import WAYS
from tests.ways.known_red import REFUSED
from tests.ways.verbs import VERBS

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/kinds.md").read_text(encoding="utf-8")
ROWS = {
    "`runs show`": ("show",), "`runs items`": ("items",), "`runs list`, `reindex`": ("listed", "reindexed"),
    "`rescore`": ("rescore", "evaluate_trained"), "`rescore --scorer`": ("rescore_by_name",),
    "`gate --verify`": ("verify",), "`compare`": ("compare",), "`compare --attribute`": ("attribute",),
    "`report`": ("report",), "`report --compare`": ("report_compared",), "`baseline set`": ("baseline",),
    "`calibrate`": ("calibrate",), "`plan --baseline`": ("plan",), "`reproduce`": ("reproduce",),
    "`reproduce --verify-only`": ("reproduce_verify_only",), "going on with a run that was stopped": ("resume",),
}  # fmt: skip
OWN_REASON = {("fields", "rescore_by_name")}
"""Refused for what that one run names, and not for its kind."""


def table():
    """Return the cells of the page's table, by verb and kind."""
    lines = PAGE.partition("| verb |")[2].splitlines()
    kinds = [name.strip() for name in lines[0].split("|") if name.strip()]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:] if line.startswith("|")]
    return {(row[0], kind): cell for row in rows for kind, cell in zip(kinds, row[1:], strict=True)}


def test_every_verb_and_every_kind_is_in_the_table():
    assert {verb for verbs in ROWS.values() for verb in verbs} | {"kind"} == {*VERBS}
    assert {row for row, _ in table()} == {*ROWS}
    assert {kind for _, kind in table()} - {"mock model", "whole suite"} == {*KINDS}
    assert [*re.findall(r"^\| (\w+) \| (?:`|another)", PAGE, re.MULTILINE)] == [*KINDS]


@pytest.mark.parametrize("name", WAYS)
def test_a_cell_says_how_the_verb_ends_for_every_way(name):
    kind = "mock model" if name == "mock" else WAYS[name].kind
    for row, verbs in ROWS.items():
        for verb in verbs:
            if (name, verb) not in OWN_REASON and table()[row, kind] != "by its tool":
                assert table()[row, kind] == REFUSED.get((name, verb), "yes"), (row, name)
