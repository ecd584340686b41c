"""The loss overlay of trained runs in a report."""

import re
import shutil
from pathlib import Path

import pytest

from steelyard.records.training import LossCurve
from steelyard.runs.losses import loss_curve
from steelyard.show.html_losses import MOST_POINTS, losses, nice_ticks
from steelyard.verdicts.reports import ReportOptions, write_run_report

OLD = Path(__file__).resolve().parents[1] / "fixtures/old/020f671/runs"


def points(page):
    return [
        [tuple(map(float, pair.split(","))) for pair in line.split()]
        for line in re.findall(r'<polyline class="loss\d" points="([^"]*)"/>', page)
    ]


def test_two_curves_lie_over_one_another_on_one_pair_of_axes():
    page = losses([LossCurve("b <x>", (1, 2, 3), (3.0, 2.0, 1.0)), LossCurve("a", (1, 2), (3.0, 1.0))])
    longer, shorter = points(page)
    assert longer[0] == shorter[0]
    assert longer[-1][1] == shorter[-1][1]
    assert longer[1][0] == shorter[1][0]
    assert longer[0][1] < longer[1][1] < longer[2][1]
    assert "b &lt;x&gt;" in page


def test_a_run_without_a_log_is_said_and_two_such_are_no_section():
    assert "a has no log of losses" in losses([LossCurve("b", (1, 2), (3.0, 2.0)), LossCurve("a")])
    assert losses([LossCurve("b"), LossCurve("a")]) == ""


def test_one_step_and_one_value_are_drawn():
    assert "<circle" in losses([LossCurve("", (7,), (0.0,))])
    assert len(points(losses([LossCurve("", (1, 2), (1.5, 1.5))]))[0]) == 2


def test_a_long_curve_is_drawn_by_means():
    steps = tuple(range(1, 10_001))
    (line,) = points(losses([LossCurve("", steps, tuple(1 / step for step in steps))]))
    assert len(line) == MOST_POINTS


@pytest.mark.parametrize(("low", "high"), [(0.31, 3.2), (1e-9, 2e-9), (5.0, 5.0), (0.0, 0.0), (0.1, 4000.0), (-3, 2)])
def test_ticks_hold_all_values(low, high):
    ticks = nice_ticks(low, high)
    assert ticks[0] <= low <= high <= ticks[-1]
    assert 2 <= len(ticks) <= 8


def test_a_torn_log_gives_the_steps_that_it_has(tmp_path):
    (tmp_path / "train_log.jsonl").write_text(
        '{"step": 1, "loss": 2.5}\nnonsense\n{"step": 2, "loss": null}\n{"step": 3'
    )
    assert loss_curve(tmp_path, "x") == LossCurve("x", (1,), (2.5,))
    assert loss_curve(tmp_path / "nowhere") == LossCurve("")


def test_the_report_of_a_trained_run_has_its_curve_and_that_of_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("trained-a", "trained-b"):
        shutil.copytree(OLD / name, tmp_path / "runs" / name)
    write_run_report(ReportOptions(run="trained-b", compare="trained-a", output=Path("two.html")))
    write_run_report(ReportOptions(run="trained-b", output=Path("one.html")))
    assert [len(points(Path(name).read_text())) for name in ("one.html", "two.html")] == [1, 2]
