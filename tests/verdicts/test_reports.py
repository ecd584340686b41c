"""The page of a run: written beside its results, the same bytes every time, and alone or held against another run."""

import json
import re

import pytest

from steelyard import evaluate
from steelyard.errors import IncompleteError
from steelyard.kinds.rejudging import RescoreOptions, rescore
from steelyard.verdicts.reports import ReportOptions, write_run_report

NOTICE = "They do not prove causation"


@pytest.fixture
def runs(tmp_path):
    """Two runs over the same forty items, of which the second has four more right."""
    rows = [
        {
            "id": str(number),
            "label": "yes",
            "first": "no" if number < 8 else "yes",
            "second": "no" if number < 4 else "yes",
        }
        | {"tags": {"half": "early" if number < 20 else "late"}}
        for number in range(40)
    ]
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    for name in ("first", "second"):
        evaluate(
            dataset=data, answer_type="label", prediction_field=name, slice_by=("half",), name=name,
            runs_dir=tmp_path / "runs", model_name=f"model-{name}",
        )  # fmt: skip
    return tmp_path / "runs"


def test_the_page_stands_beside_the_results_and_does_not_name_the_model(runs):
    page = (runs / "first" / "eval" / "report.html").read_text("utf-8")
    assert "0.8000" in page
    assert NOTICE in page
    assert "model-first" not in page


def test_judging_again_writes_the_same_page(runs):
    before = (runs / "first" / "eval" / "report.html").read_bytes()
    rescore(RescoreOptions(run="first", runs_dir=runs))
    assert (runs / "first" / "eval" / "report.html").read_bytes() == before


def test_a_report_on_request_names_the_model(runs, tmp_path):
    write_run_report(ReportOptions(run="second", output=tmp_path / "out.html", runs_dir=runs))
    page = (tmp_path / "out.html").read_text("utf-8")
    assert "model-second" in page
    assert "Against" not in page


def test_a_report_against_another_run_shows_the_difference_by_slice_and_by_item(runs, tmp_path):
    write_run_report(ReportOptions(run="second", compare="first", output=tmp_path / "out.html", runs_dir=runs))
    page = (tmp_path / "out.html").read_text("utf-8")
    section = re.search(r"<h2>Against first</h2>(.*?)</section>", page, flags=re.DOTALL)[1]
    assert "+0.1000" in section
    assert "4 better · 0 worse · 36 unchanged" in section
    assert "no difference shown: p=0.12 (mcnemar-exact, two-sided)" in section
    assert "early" in section
    assert NOTICE in section
    assert "<h3>Fixed items</h3>" in section
    assert "<h3>Regressed items</h3>" not in section


def test_a_run_that_is_not_complete_has_no_report(runs, tmp_path):
    record = json.loads((runs / "first" / "run.json").read_text("utf-8"))
    (runs / "first" / "run.json").write_text(json.dumps(record | {"status": "interrupted"}), "utf-8")
    with pytest.raises(IncompleteError, match="expected a completed one"):
        write_run_report(ReportOptions(run="first", output=tmp_path / "out.html", runs_dir=runs))
