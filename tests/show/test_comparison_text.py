"""What a comparison says of its own power: a number where it can be reached, else that the items are too few."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from made_runs import make_run

from steelyard.cli.plan import plan_command
from steelyard.pipeline.verdicts.comparison import CompareOptions, compare
from steelyard.show.comparison import comparison_text, too_few
from steelyard.show.html_comparison import comparison_section

# Differences of -1, 0, 0 and 1 have the variance 2/3, and (1.960 + 0.842) * sqrt(2/3 / 4) = 1.144.
FOUR = [1, 1, 0, 0], [0, 1, 0, 1]
# Eight times as many: the variance is 16/31, and 2.802 * sqrt(16/31 / 32) = 0.3558.
MANY = FOUR[0] * 8, FOUR[1] * 8


def compared(folder: Path, values, metric=None, scale=1.0):
    for name, given in zip(("a", "b"), values, strict=True):
        make_run(folder, name, given, numbers={"mae": scale * np.array(given, float)})
    return compare(CompareOptions(runs=("a", "b"), runs_dir=folder, metric=metric))


def test_the_delta_that_items_can_show_is_told(tmp_path: Path):
    found = compared(tmp_path, MANY)
    assert "    these items can show a delta of 0.3558 (80 % power)\n" in comparison_text(found)
    assert "so many items show a difference of 0.3558 or more" in comparison_section(found)


def test_items_that_would_need_a_delta_over_1_are_too_few(tmp_path: Path):
    found = compared(tmp_path, FOUR)
    assert found.deltas["b"].paired.minimum_detectable == pytest.approx(1.144, abs=5e-4)
    assert "    these items are too few to show any difference (80 % power)\n" in comparison_text(found)
    assert "so few items cannot show any difference" in comparison_section(found)


def test_a_metric_without_bounds_can_differ_by_more_than_1(tmp_path: Path):
    found = compared(tmp_path, FOUR, metric="mae", scale=10.0)
    assert "these items can show a delta of 11.437" in comparison_text(found)
    assert "so many items show a difference of 11." in comparison_section(found)


@pytest.mark.parametrize(("detectable", "few"), [(0.5, False), (1.0, False), (1.0001, True)])
def test_the_whole_range_is_the_largest_difference(detectable, few):
    assert too_few("f1", detectable) is few


@pytest.mark.parametrize(
    ("scores", "shown"),
    [
        # The variance of a difference is 0.5, and 2.802 * sqrt(0.5 / 2) = 1.40, 2.802 * sqrt(0.5 / 32) = 0.3502.
        ([1, 0], "2 items are too few to show any difference"),
        ([1, 0] * 16, "32 items show a difference of 0.3502"),
    ],
)
def test_a_plan_says_when_the_baseline_is_too_small(tmp_path: Path, scores, shown):
    make_run(tmp_path, "a", scores)
    found = CliRunner().invoke(plan_command, ["--effect", "0.1", "--baseline", "a", "--runs-dir", str(tmp_path)])
    assert found.exit_code == 0, found.output
    assert f"  the baseline's {shown}\n" in found.output
