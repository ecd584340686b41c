"""Objectives, claims and evidence in the HTML report, with hostile text escaped."""

import json
from pathlib import Path

import pytest

from steelyard.kinds.research.order import ResearchOptions, evaluate_research
from steelyard.show.research_html import gates, objectives
from tests.research_artifacts import claim, evidence, golden, output, write_golden, write_run

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "research"


def results_of(folder, golden_file, outputs):
    options = ResearchOptions(golden=golden_file, outputs=outputs, runs_dir=folder / "runs", name="r")
    with evaluate_research(options):
        return json.loads((folder / "runs" / "r" / "eval" / "eval_results.json").read_bytes())


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    folder = tmp_path_factory.mktemp("example")
    return results_of(folder, EXAMPLES / "golden_queries.json", EXAMPLES / "outputs")


def test_each_gate_has_counts_threshold_and_status(example):
    html = gates(example)
    assert "<td>Manifest Integrity</td><td class=num>0.9024</td><td class=num>37 / 41</td>" in html
    assert html.count('<span class="chip bad">FAIL</span>') == 4
    assert "run_11: expecting property name" in html


def test_a_claim_stands_beside_its_evidence_and_what_is_wrong_with_it(example):
    html = objectives(example)
    left, _, right = html.partition("The lamp burned whale oil at first.")
    assert "claim c1 · verified · not covered" in left[-200:]
    assert right.index("lamp-1 · carrow-book · l-01 · characters 0 to 59") < right.index("claim c2")
    assert "nor anywhere in the chunk" in right
    assert html.count("<details") == 13


def test_a_run_of_another_kind_has_no_such_sections():
    assert gates({}) == objectives({}) == ""


def test_hostile_text_is_text(tmp_path):
    hostile = "<script>alert(1)</script>\x1b[31m"
    golden_file = write_golden(tmp_path / "golden.json", golden(hostile, hostile))
    content = output(objective=hostile, claims=[claim(hostile, evidence(hostile, quote=hostile, source_id=hostile))])
    write_run(tmp_path / "outputs", "run_1", content)
    html = gates(found := results_of(tmp_path, golden_file, tmp_path / "outputs")) + objectives(found)
    assert "<script" not in html
    assert "\x1b" not in html
    assert "&lt;script&gt;" in html
