"""CanonicalAnswer objects and typed answers as seed 003 writes them."""

import json

import msgspec
import pytest
from jsonschema import Draft202012Validator

from steelyard.canonical.answer_forms import answer_object, answer_text
from steelyard.canonical.references import expected_answer, read_canonical, to_canonical
from steelyard.canonical.schemas import SCHEMAS
from steelyard.canonical.typed_objects import inferred_type
from steelyard.errors import InputError
from steelyard.records.answers import Choice, FinalAnswer, ListAnswer, Meta, Number, Reasoning, Text

# Seed 003, section 3, as it stands there.
TYPED = {
    "choice": '{"value":"B","aliases":["option_b","b"]}',
    "number": '{"value":12.5,"unit":"%","tolerance_abs":0.5,"tolerance_rel":0.02}',
    "list": '{"items":["ai","earnings"],"ordered":false,"unique":true}',
    "text": '{"value":"短摘要文本","normalize":"basic"}',
    "reasoning": """{
  "final_answer":{"value":"positive"},
  "steps":[{"id":"s1","text":"..."}],
  "claims":[{"text":"营收增长","evidence":["news_1"]}]
}""",
}
# Seed 003, section 2.
CANONICAL = """{
  "task_id": "event_eval",
  "sample_id": "S001",
  "answer_type": "choice",
  "prediction": {},
  "ground_truth": {},
  "meta": {
    "schema_version": "v1",
    "prompt_version": "ie_json.v1",
    "scorer_version": "v1"
  }
}"""
# Seed 003, section 4.
SCORECARD = """{
  "primary_score": 0.0,
  "pass": false,
  "sub_scores": {},
  "error_tags": [],
  "explain": ""
}"""


@pytest.mark.parametrize(("answer_type", "text"), TYPED.items())
def test_each_typed_object_of_the_seed_is_read_and_written_as_it_stands(answer_type, text):
    seed = json.loads(text)
    assert answer_object(expected_answer(seed, answer_type)) == seed
    Draft202012Validator(SCHEMAS[f"{answer_type}-answer"]()).validate(seed)


@pytest.mark.parametrize(("answer_type", "text"), TYPED.items())
def test_a_canonical_answer_has_exactly_the_seeds_keys(answer_type, text):
    answer = expected_answer(json.loads(text), answer_type)
    meta = Meta(prompt_version="ie_json.v1")
    written = msgspec.to_builtins(to_canonical(answer, answer, task_id="event_eval", sample_id="S001", meta=meta))
    seed = json.loads(CANONICAL)
    assert list(written) == list(seed)
    assert written["meta"] == seed["meta"]
    Draft202012Validator(SCHEMAS["canonical-answer"]()).validate(written)
    assert read_canonical(written).expected == answer


def test_the_seeds_own_example_is_of_the_schema_and_has_nothing_to_score():
    seed = json.loads(CANONICAL)
    Draft202012Validator(SCHEMAS["canonical-answer"]()).validate(seed)
    with pytest.raises(InputError, match="ground_truth"):
        read_canonical(seed)


def test_the_seeds_scorecard_is_of_the_schema():
    Draft202012Validator(SCHEMAS["scorecard"]()).validate(json.loads(SCORECARD))


@pytest.mark.parametrize(
    "change",
    [
        {"answer_type": "essay"},
        {"extra": 1},
        {"ground_truth": {"value": "B", "alias": []}},
        {"prediction": []},
        {"prediction": {"values": "B"}},
        {"meta": {"version": "v1"}},
    ],
)
def test_the_schema_refuses_other_shapes(change):
    assert not Draft202012Validator(SCHEMAS["canonical-answer"]()).is_valid(json.loads(CANONICAL) | change)


def test_no_prediction_is_the_empty_object():
    assert to_canonical(None, Choice("B"), task_id="t", sample_id="s").prediction == {}


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Choice("B"), "B"),
        (Text("短"), "短"),
        (ListAnswer(("a", "b")), "a, b"),
        (Number(12.5, "%"), "12.5 %"),
        (Number(5.0), "5"),
        (Number(1e300), "1e+300"),
        (Number(value=False), "false"),
        (Number(10**5000), "an integer of 16610 bits"),
        (Reasoning(FinalAnswer("choice", Choice("up"))), "up"),
    ],
)
def test_an_answer_as_a_person_reads_it(answer, text):
    assert answer_text(answer) == text


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ({"value": "positive"}, "choice"),
        ({"value": 12.5}, "number"),
        ({"value": True}, "number"),
        ({"value": "5", "unit": "kg"}, "number"),
        ({"items": []}, "list"),
        (["a"], "list"),
        ({"value": "x", "normalize": "basic"}, "text"),
        ("up", "choice"),
        (5, "number"),
    ],
)
def test_the_type_of_a_final_answer_is_the_one_its_shape_has(raw, kind):
    assert inferred_type(raw) == kind


def test_a_final_answer_names_its_type_where_its_shape_does_not():
    answer = Reasoning(FinalAnswer("choice", Choice("5")), (), ())
    assert answer_object(answer)["final_answer"] == {"value": "5"}
    text = Reasoning(FinalAnswer("number", Number(5, text="five")))
    assert expected_answer(answer_object(text), "reasoning").final_answer == text.final_answer
