"""What a comparison says of its own power: a number where it can be reached, else that the items are too few."""

import csv
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from steelyard.cli.plan import plan_command
from steelyard.show.comparison import comparison_text, too_few
from steelyard.show.comparison_files import comparison_csv, comparison_markdown
from steelyard.show.comparison_table import table_lines
from steelyard.show.html_comparison import comparison_section
from steelyard.verdicts.comparison import CompareOptions, compare
from tests.made_runs import make_run

# Two of four changed: had all four got worse, the two-sided p would be 2/16.
FOUR = [1, 1, 0, 0], [0, 1, 0, 1]
# Eight times as many, of which 16 changed: scipy's binomials give the exact test 80 % power at 0.3511.
MANY = FOUR[0] * 8, FOUR[1] * 8


def compared(folder: Path, values, metric=None, scale=1.0):
    for name, given in zip(("a", "b"), values, strict=True):
        make_run(folder, name, given, numbers={"mae": scale * np.array(given, float)})
    return compare(CompareOptions(runs=("a", "b"), runs_dir=folder, metric=metric))


def test_the_delta_that_items_can_show_is_told(tmp_path: Path):
    found = compared(tmp_path, MANY)
    assert "    32 items can show a difference of 0.3511 or more\n" in comparison_text(found)
    assert "32 items can show a difference of 0.3511 or more" in comparison_section(found)


@pytest.mark.parametrize(("metric", "scale"), [(None, 1.0), ("mae", 10.0)])
def test_items_of_which_no_test_can_be_significant_are_too_few(tmp_path: Path, metric, scale):
    found = compared(tmp_path, FOUR, metric=metric, scale=scale)
    assert "    4 items are too few to show any difference\n" in comparison_text(found)
    assert "4 items are too few to show any difference" in comparison_section(found)


def test_a_metric_without_bounds_can_differ_by_more_than_1(tmp_path: Path):
    found = compared(tmp_path, MANY, metric="mae", scale=10.0)
    said = re.search(r"32 items can show a difference of (\S+) or more", comparison_text(found))
    assert float(said[1]) > 1


@pytest.mark.parametrize(("detectable", "few"), [(0.5, False), (1.0, False), (1.0001, True)])
def test_the_whole_range_is_the_largest_difference(detectable, few):
    assert too_few("f1", detectable) is few


@pytest.mark.parametrize(
    ("scores", "shown"),
    [
        # The variance of a difference is 0.5, and 2.802 * sqrt(0.5 / 2) = 1.40, 2.802 * sqrt(0.5 / 32) = 0.3502.
        ([1, 0], "2 items are too few to show any difference"),
        ([1, 0] * 16, "32 items can show a difference of 0.3502 or more"),
    ],
)
def test_a_plan_says_when_the_baseline_is_too_small(tmp_path: Path, scores, shown):
    make_run(tmp_path, "a", scores)
    found = CliRunner().invoke(plan_command, ["--effect", "0.1", "--baseline", "a", "--runs-dir", str(tmp_path)])
    assert found.exit_code == 0, found.output
    assert f"  the baseline's {shown}\n" in found.output


WORSE = [1.0] * 40, [1.0] * 28 + [0.0] * 12


@pytest.mark.parametrize(
    ("values", "metric", "said"),
    [
        # Twelve of twelve changed items for the worse: 2 * 0.5^12 = 0.0005. Three of three: 0.25.
        (WORSE, None, "shown to be worse: p = 0.0005"),
        (WORSE[::-1], None, "shown to be better: p = 0.0005"),
        (([1.0] * 40, [1.0] * 37 + [0.0] * 3), None, "no difference shown: p = 0.2500"),
        (WORSE, "mae", "shown to be better: p = "),  # A lower error is a better one.
    ],
)
def test_a_comparison_says_in_words_whether_a_difference_is_shown(tmp_path: Path, values, metric, said):
    found = compared(tmp_path, values, metric=metric)
    assert said in comparison_text(found)
    assert said.partition("p = ")[0] in comparison_section(found)
    assert said in comparison_markdown(found)


def test_an_interval_that_holds_0_beside_a_shown_difference_is_explained(tmp_path: Path):
    found = compared(tmp_path, MANY)
    paired = replace(found.deltas["b"].paired, delta=-0.1, p_value=0.01, ci_low=-0.2, ci_high=0.01)
    found = replace(found, deltas={"b": replace(found.deltas["b"], paired=paired)})
    said = " ".join(comparison_text(found).split())
    assert "shown to be worse, though the interval, which is more careful, holds 0: p = 0.0100" in said


def test_a_table_for_machines_says_level_method_sides_and_tests(tmp_path: Path):
    rows = list(csv.DictReader(comparison_csv(compared(tmp_path, MANY)).splitlines()))
    said = [rows[1][f"paired_{name}"] for name in ("level", "method", "sides", "tests")]
    assert said == ["0.95", "tango-score", "two-sided", "1"]


def test_what_numbers_mean_stands_once_below_all_of_them(tmp_path: Path):
    said = " ".join(comparison_text(compared(tmp_path, MANY)).split())
    for part in (
        "95 % sure (tango-score)",
        "(two-sided); shown: p under 0.05",
        "can show: found in four of five cases",
    ):
        assert said.count(part) == 1


def test_tags_that_regressions_have_hardly_more_often_are_not_listed(tmp_path: Path):
    tags = {"lang": ["en"] * 20 + ["de"] * 20, "topic": ["a"] * 19 + ["b"] * 21}
    for name, scores in (("a", WORSE[0]), ("b", [0.0] * 10 + [1.0] * 10 + [0.0] * 8 + [1.0] * 12)):
        make_run(tmp_path, name, scores, tags=tags)
    text = comparison_text(compare(CompareOptions(runs=("a", "b"), runs_dir=tmp_path)))
    assert "more often among regressed items (counted, not tested):" not in text  # 56 % of them, 50 % of all


def test_a_table_of_many_slices_is_parted_at_eighty_columns(tmp_path: Path):
    tags = {"source": [f"source{row % 9}" for row in range(90)]}
    for name in ("a", "b"):
        make_run(tmp_path, name, [1.0, 0.0] * 45, tags=tags)
    found = compare(CompareOptions(runs=("a", "b"), runs_dir=tmp_path, slice_by=("source",)))
    lines = table_lines(found)
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if line].count("Delta:") == 3
    assert sum(line.count("source=source") for line in lines) == 9
