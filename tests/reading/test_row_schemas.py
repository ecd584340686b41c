"""The schemas of rows accept what the specification shows, and the shipped eval sets."""

import json

import pytest
from jsonschema import Draft202012Validator

from steelyard.datasets.schemas import SCHEMAS

VALIDATORS = {name: Draft202012Validator(build()) for name, build in SCHEMAS.items()}


@pytest.mark.parametrize(
    "row",
    [
        {"id": "a", "expected_answer": "4"},
        {"item_id": 7, "reference": "x", "tags": {"source": "human", "turns": 2}},
        {"sample_id": "S001", "gt_sentiment": "positive"},
        {"trace_id": "t", "ground_truth": {"value": "B"}, "section": "core"},
        {"instruction": "Translate.", "output": "house"},
        {"text": "good film", "label": "positive"},
    ],
)
def test_an_item_has_an_id_and_a_reference_in_any_of_the_shapes(row):
    VALIDATORS["item"].validate(row)


@pytest.mark.parametrize(
    "row",
    [
        {"expected_answer": "4"},
        {"id": "a"},
        {"id": "", "reference": "x"},
        {"id": True, "reference": "x"},
        {"id": "a", "reference": "x", "tags": ["b"]},
        {"id": "a", "reference": "x", "section": ["core"]},
        ["a"],
    ],
)
def test_an_item_without_them_is_refused(row):
    assert not VALIDATORS["item"].is_valid(row)


@pytest.mark.parametrize(
    ("row", "valid"),
    [
        ({"id": "a", "output": "4"}, True),
        ({"sample_id": 1, "pred_growth": None}, True),
        ({"id": "a", "error": "timeout"}, True),
        ({"id": "a"}, False),
        ({"output": "4"}, False),
    ],
)
def test_a_prediction_names_its_item_and_has_an_output_or_an_error(row, valid):
    assert VALIDATORS["prediction"].is_valid(row) is valid


@pytest.mark.parametrize("name", ["eval_v1", "eval_v2", "golden_v1"])
def test_the_shipped_eval_sets_are_of_the_schema(root, name):
    for line in (root / "evalsets" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        VALIDATORS["evalset-item"].validate(json.loads(line))


@pytest.mark.parametrize(
    "change", [{"prompt": " "}, {"expected_answer": ""}, {"section": "other"}, {"expected_answer": None}]
)
def test_an_eval_set_item_with_an_empty_field_is_refused(change):
    row = {"id": "a", "prompt": "2 + 2?", "expected_answer": 4}
    VALIDATORS["evalset-item"].validate(row)
    assert not VALIDATORS["evalset-item"].is_valid(row | change)
