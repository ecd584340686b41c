"""Seed 003's `{type, pred_field, label_field}`: each name works in a task file and reports what it means."""

import json

import pytest

from steelyard import evaluate

ROW = {
    "id": "a",
    "gt_mood": {"value": "positive", "aliases": ["pos"]}, "pred_mood": "POS",
    "gt_growth": {"value": 12.5, "unit": "%", "tolerance_abs": 0.5}, "pred_growth": "12.9%",
    "gt_topics": ["ai", "tax"], "pred_topics": "ai",
    "gt_summary": "sales went up", "pred_summary": "sales are up",
    "gt_why": {
        "final_answer": {"value": "up"}, "steps": ["look", "so it goes up"],
        "claims": [{"text": "c", "evidence": ["n1"]}, {"text": "d", "evidence": ["n2"]}],
    },
    "pred_why": {
        "final_answer": {"value": "up"}, "steps": ["so it goes up", "look"],
        "claims": [{"text": "c", "evidence": ["n1"]}, {"text": "x", "evidence": []}],
    },
}  # fmt: skip
FIELDS = {
    "exact_match": ("mood", 1.0), "numeric_error": ("growth", 1.0), "list_overlap": ("topics", 2 / 3),
    "reference_rouge": ("summary", 2 / 3), "reasoning_consistency": ("why", 1.0),
    "claim_evidence_overlap": ("why", 2 / 3), "reasoning_step_order": ("why", 0.5), "claim_verifiability": ("why", 0.5),
}  # fmt: skip
"""Each of the seed's names: the field it is asked of here, and its value by page 10's formulas."""


def evaluated(tmp_path, *types):
    (tmp_path / "items.jsonl").write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    metrics = [
        {"type": kind, "pred_field": f"pred_{FIELDS[kind][0]}", "label_field": f"gt_{FIELDS[kind][0]}"}
        for kind in types
    ]
    task = {
        "name": "event_eval",
        "version": "v1",
        "answer_type": "choice",
        "metrics": metrics,
        "dataset": "items.jsonl",
    }
    (tmp_path / "task.yaml").write_text(json.dumps(task), encoding="utf-8")
    return evaluate(tmp_path / "task.yaml", runs_dir=tmp_path / "runs", name="run").results["metric_details"]


def test_all_names_work_together_and_report_their_values(tmp_path):
    metrics = evaluated(tmp_path, *FIELDS)
    found = {kind: metrics[f"{kind}.{field}"]["value"] for kind, (field, _) in FIELDS.items()}
    assert found == pytest.approx({kind: value for kind, (_, value) in FIELDS.items()})


def test_an_errors_direction_is_that_of_the_part(tmp_path):
    metrics = evaluated(tmp_path, "exact_match", "numeric_error")
    assert metrics["numeric_error.growth.mae"]["value"] == pytest.approx(0.4)
    assert metrics["numeric_error.growth.mae"]["direction"] == "lower"
    assert metrics["numeric_error.growth"]["direction"] == "higher"


def test_a_metric_that_stands_first_is_the_primary_one_with_its_own_sub_scores_alone(tmp_path):
    metrics = evaluated(tmp_path, "reasoning_step_order")
    found = {name: entry["value"] for name, entry in metrics.items()}
    assert found == {"reasoning_step_order.why": 0.5, "step_order": 0.5, "step_completeness": 1.0}


@pytest.mark.parametrize("metrics", [["numeric_error", "within_tol"], ["mae", "within_tolerance"]])
def test_names_of_parts_may_be_listed_in_a_task_and_in_a_profile(tmp_path, metrics):
    (tmp_path / "items.jsonl").write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    profile = {"version": "v1", "scorers": {"number": {"primary_metric": "within_tolerance", "metrics": metrics}}}
    (tmp_path / "profile.yaml").write_text(json.dumps(profile), encoding="utf-8")
    task = {
        "task": "growth", "answer_type": "number", "dataset": "items.jsonl",
        "fields": {"reference": "gt_growth", "prediction": "pred_growth"},
    }  # fmt: skip
    for number, more in enumerate([{"metrics": metrics}, {"scoring_profile": "profile.yaml"}]):
        (tmp_path / "task.yaml").write_text(json.dumps(task | more), encoding="utf-8")
        found = evaluate(tmp_path / "task.yaml", runs_dir=tmp_path / "runs", name=f"run{number}").results["metrics"]
        assert found["mae"] == pytest.approx(0.4)
        assert found["within_tol"] == 1.0
