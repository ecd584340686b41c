"""The published schemas take what the readers take, and what this product writes."""

import json

import pytest
from jsonschema import Draft202012Validator, ValidationError

from steelyard.conversations.dataset import read_conversation
from steelyard.conversations.judging import judge
from steelyard.conversations.trace_files import trace_content
from steelyard.conversations.traces import read_turn, turn_rows
from steelyard.schemas import schema_of
from tests.conversation_rows import compute, extract, row, trace, turn

TRACE = trace(
    "c1",
    turn(0, 1500, extract(1500), validator_logs=[{"retry_number": 0, "valid": True, "confidence": 1.0}], llm_calls=1),
    turn(2, None, compute("subtract", "1500", 1200), error={"type": "KeyError", "message": "x"}),
)


def validate(name, value):
    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(json.dumps(value)))


def test_a_row_and_a_trace_hold_to_their_schemas():
    validate("conversation", row())
    validate("conversation-trace", TRACE)


def test_a_trace_that_was_written_holds_to_the_schema():
    turns = {index: read_turn(fields) for _, index, fields in turn_rows(TRACE)}
    (judged,) = judge([read_conversation(row())], [[turns.get(index) for index in range(4)]])
    validate("conversation-trace", trace_content(judged))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("conversation", {"id": "a"}),
        ("conversation", {"id": "a", "dialogue": {"conv_questions": []}}),
        ("conversation-trace", {"conversation_id": "a"}),
        ("conversation-trace", trace("a", {"turn_idx": -1})),
    ],
)
def test_what_the_readers_refuse_the_schemas_refuse(name, value):
    with pytest.raises(ValidationError):
        validate(name, value)


def test_the_real_dataset_holds_to_the_schema(shared_data):
    import gzip

    with gzip.open(shared_data("convfinqa") / "convfinqa_dev.jsonl.gz", "rt", encoding="utf-8") as stream:
        validator = Draft202012Validator(schema_of("conversation"))
        assert sum(1 for line in stream if validator.validate(json.loads(line)) is None) == 190
