"""Page 10's rules on which field of a row is what."""

import pytest

from steelyard.errors import Problem
from steelyard.reading.references import (
    input_text,
    item_id,
    no_reference,
    prediction_field,
    reference_field,
    tags_of,
    value_of,
)
from steelyard.records.items import FieldNames

NONE = FieldNames()
ORDER = ["ground_truth", "gt_answer", "expected_answer", "reference", "output", "label"]
PREDICTIONS = ["prediction", "predicted", "predicted_answer", "pred_x", "parsed", "output", "response"]


@pytest.mark.parametrize("position", range(len(ORDER)))
def test_the_first_reference_that_is_present_is_used(position):
    fields = dict.fromkeys(reversed(ORDER[position:]), "x")
    assert reference_field(fields, NONE) == ORDER[position]


@pytest.mark.parametrize("position", range(len(PREDICTIONS)))
def test_the_first_prediction_that_is_present_is_used(position):
    fields = dict.fromkeys(reversed(PREDICTIONS[position:]), "x")
    assert prediction_field(fields, NONE, None) == PREDICTIONS[position]


def test_the_field_used_as_reference_is_never_the_prediction():
    fields = {"output": "gold", "response": "found"}
    assert prediction_field(fields, NONE, reference_field(fields, NONE)) == "response"
    assert prediction_field({"x": 1}, FieldNames(prediction="x", reference="x"), "x") is None


def test_null_counts_as_present_only_where_nothing_else_is():
    assert reference_field({"ground_truth": None, "label": "a"}, NONE) == "label"
    assert reference_field({"ground_truth": None, "label": None}, NONE) == "ground_truth"


def test_several_gt_fields_are_no_answer_and_the_reason_says_so():
    fields = {"gt_a": 1, "gt_b": 2}
    assert reference_field(fields, NONE) is None
    assert "several gt_* fields (gt_a, gt_b)" in no_reference(fields, NONE)
    assert reference_field({"gt_a": None, "gt_b": 2}, NONE) == "gt_b"


def test_a_name_that_the_configuration_gives_is_the_only_one_looked_at():
    names = FieldNames(id="meta.qid", reference="gold", prediction="out.text", input="q")
    row = {"id": 1, "reference": "no", "meta": {"qid": "a"}, "out": {"text": "t"}, "q": "?", "input": "no"}
    assert (item_id(row, names), reference_field(row, names)) == ("a", None)
    assert (prediction_field(row, names, None), input_text(row, names)) == ("out.text", "?")
    assert "'gold', which the configuration names" in no_reference(row, names)


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"id": "a", "item_id": "b"}, "a"),
        ({"item_id": "b", "trace_id": "d"}, "b"),
        ({"sample_id": 2**60}, str(2**60)),
        ({"trace_id": "t"}, "t"),
        ({"id": None, "trace_id": "t"}, "t"),
        ({"id": True}, None),
        ({"id": 1.5}, None),
        ({"id": ""}, None),
        ({"id": ["a"]}, None),
        ({}, None),
    ],
)
def test_an_id_is_text_or_a_whole_number(fields, found):
    assert item_id(fields, NONE) == found


def test_a_dotted_name_reaches_inside_unless_the_row_has_that_very_name():
    assert value_of({"a.b": 1, "a": {"b": 2}}, "a.b") == 1
    assert [value_of({"a": inner}, "a.b") for inner in ({"b": 2}, {}, 3)] == [2, None, None]


def test_inputs_are_text_and_what_is_not_is_shown_as_json():
    assert input_text({"question": ["é", 1]}, NONE) == '["é", 1]'
    assert input_text({"instruction": "Sum up.", "input": ""}, NONE) == "Sum up."
    assert input_text({"x": 1}, NONE) is None


@pytest.mark.parametrize(
    ("fields", "tags"),
    [
        ({"section": "core", "tags": {"source": "a", "n": 2, "yes": True, "none": None, "empty": ""}},
         {"section": "core", "source": "a", "n": "2", "yes": "true"}),
        ({"section": "core", "tags": {"section": "core"}}, {"section": "core"}),
        ({"level": 3}, {}),
    ],
)  # fmt: skip
def test_tags_come_from_named_fields_and_from_tags(fields, tags):
    assert tags_of(fields) == tags


@pytest.mark.parametrize(
    "fields",
    [
        {"tags": ["a"]},
        {"tags": {"a": ["b"]}},
        {"section": {"a": 1}},
        {"section": "_untagged"},
        {"section": "core", "tags": {"section": "edge_case"}},
    ],
)
def test_a_tag_that_cannot_be_used_is_a_problem(fields):
    found = tags_of(fields)
    assert isinstance(found, Problem)
    assert found.code == "bad-tag"
