"""Results for people: compared whole, with foreign text escaped and the notice beside every attribution."""

import os
import pty
import subprocess
import sys

import pytest

from steelyard.aggregate.report import Report
from steelyard.records.runs import RunRecord
from steelyard.show.methods import method_lines
from steelyard.show.results import results_lines, slice_lines
from steelyard.show.weak_slices import searched_lines
from tests.made_blocks import plan, scored_block

NOTICE = (
    "Slice metrics show correlation between data segments and model performance. They do not prove causation. "
    "For rigorous causal attribution, retrain with and without the segment (data Shapley, leave-one-out)."
)


def run(task="demo"):
    return RunRecord(run_id="1", name="first", status="completed", created_at="", task=task, steelyard_version="1")


def lines_of(scores, task="demo", columns=None, **given):
    report = Report(plan(values={"score": "rate"}, **given))
    report.update(scored_block(scores, **(columns or {})))
    return results_lines(run(task), report.results())


def test_results_are_printed_as_they_stand_here():
    columns = {
        "tags": {"kind": ["bad"] * 40 + ["good"] * 60},
        "states": ["missing"] * 2 + ["unparsed"] + ["scored"] * 97,
        "error_tags": [("wrong_answer",)] * 30 + [()] * 70,
    }
    shown = lines_of([0.0] * 30 + [1.0] * 70, columns=columns, slice_by=(("kind",),), unavailable={"f9": "not there"})
    assert (
        "\n".join(shown)
        == f"""\
demo: 100 items, 2 missing, 1 unparsed

  score  0.7000  [0.6042, 0.7811]  n=100 (primary)
  f9     unavailable: not there
  in [ ]: where the value lies for all items like these, 95 % sure (wilson)

score by kind:
  bad   █████░░░░░░░░░░░░░░░  0.2500  [0.1419, 0.4019]  n=40
  good  ████████████████████  1.0000  [0.9398, 1.0000]  n=60

weak slices (value, difference from all other items):
  kind=bad  0.2500  -0.7500  n=40  p=5.8e-17
  p: permutation test, one-sided, after Holm's correction over all slices
  2 slices searched; what is found in four of five cases: 40 items 0.27 or more
  below the rest

more often among hard examples (counted, not tested, ties in proportion):
  kind=bad: 66 % of hard examples, 40 % of items

{NOTICE}

error tags: wrong_answer 30"""
    )


def test_every_attribution_carries_the_notice():
    weak = lines_of([0.0] * 30 + [1.0] * 70, columns={"tags": {"kind": ["bad"] * 30 + ["good"] * 70}})
    assert "weak slices (value, difference from all other items):" in weak
    assert "  p: permutation test, one-sided, after Holm's correction over all slices" in weak
    assert NOTICE in weak
    assert NOTICE not in lines_of([1.0, 0.0])


def test_a_search_that_finds_nothing_reads_as_what_it_could_have_found():
    """ "46 items show a gap of 0.28" was read as a gap that is there."""
    shown = " ".join(lines_of([1.0, 0.0] * 50, columns={"tags": {"kind": ["a"] * 6 + ["b"] * 94}}))
    assert "2 slices searched, none weak; what is found in four of five cases: 6 items 0.49 or more below" in shown
    few, more = {"n": 5, "gap": None}, {"n": 60, "gap": 0.314}
    search = {"n_slices": 9, "power": 0.8, "smallest": few, "largest": more}
    said = " ".join(searched_lines({"worst_slices": [], "slice_search": search}))
    assert "what is found in four of five cases: 5 items are too few, 60 items 0.31 or more below the rest" in said
    said = " ".join(searched_lines({"worst_slices": [], "slice_search": search | {"largest": few}}))
    assert "9 slices searched, none weak; all have too few items for any to be found in four of five cases" in said


def test_level_and_method_of_intervals_stand_once_below_their_table():
    entries = {
        "f1": {"ci_low": 0.1, "ci_high": 0.2, "level": 0.95, "method": "bootstrap"},
        "rouge1": {"ci_low": 0.1, "ci_high": 0.2, "level": 0.95, "method": "bootstrap"},
        "exact_match": {"ci_low": 0.1, "ci_high": 0.2, "level": 0.95, "method": "wilson"},
        "loss": {"ci_low": None, "ci_high": None, "level": 0.95, "method": "bootstrap-t"},
    }
    assert "95 % sure (bootstrap; exact_match: wilson)" in " ".join(line.strip() for line in method_lines(entries))
    assert method_lines({"loss": entries["loss"]}) == []


def test_every_line_fits_a_terminal_of_eighty_columns_but_for_names_and_notice():
    names = {"kind": ["bad"] * 40 + ["good"] * 60, "source": ["a", "b"] * 50}
    shown = lines_of([0.0] * 30 + [1.0] * 70, columns={"tags": names}, slice_by=(("kind",),))
    assert max(len(line) for line in shown if line != NOTICE) <= 80


def test_slices_of_a_value_that_may_leave_the_line_from_0_to_1_have_no_bar():
    entry = {"n": 3, "mae": 0.4, "score": 0.4, "ci_low": None, "ci_high": None}
    drawn, plain = (
        slice_lines({"primary_metric": name, "slices": {"kind": {"a": entry}}}) for name in ("score", "mae")
    )
    assert "░" in drawn[-1]
    assert plain[-1] == "  a  0.4000  [no interval]     n=3"


def test_foreign_text_cannot_move_the_cursor():
    shown = "\n".join(
        lines_of([1.0, 0.0], task="t\x1b[2J", columns={"tags": {"a\x1b": ["x\x07", "y\u202e"]}}, slice_by=(("a\x1b",),))
    )
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\\x1b[2J" in shown


def test_format_rules_have_a_line_each():
    import numpy as np

    shown = lines_of([1.0, 0.0], columns={"scores": {"rule.short": np.array([1.0, 0.0])}}, rules=("short",))
    assert "format rules:" in shown
    assert "  short  ██████████░░░░░░░░░░  0.5000  [0.0945, 0.9055]" in shown


PRINT = "from steelyard.cli.output import print_results; print_results('by kind:\\n  x  █░  0.5 …')"


@pytest.mark.parametrize(
    ("encoding", "expected"), [("utf-8", "by kind:\n  x  █░  0.5 …\n"), ("ascii", "by kind:\n  x  #.  0.5 ...\n")]
)
def test_a_log_gets_plain_text_in_signs_it_has(encoding, expected):
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = subprocess.run([sys.executable, "-c", PRINT], env=environment, capture_output=True, check=True)
    assert done.stdout.decode(encoding) == expected


def test_a_terminal_gets_colours():
    master, slave = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR")}
    environment |= {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    subprocess.run([sys.executable, "-c", PRINT], env=environment, stdout=slave, check=True)
    shown = os.read(master, 4096).decode()
    os.close(master)
    os.close(slave)
    assert "\x1b[36m█" in shown
