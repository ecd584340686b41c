"""Stored traces and flat rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.conversations.trace_files import turn_content
from steelyard.conversations.traces import TraceError, read_turn, trace_name, turn_rows
from steelyard.records.conversations import TurnError, ValidatorLog
from tests.conversation_rows import compute, extract, trace, turn


def test_a_trace_is_its_turns():
    rows = list(turn_rows(trace("c1", turn(0, "1500"), turn(2, "300"))))
    assert [(conversation, index) for conversation, index, _ in rows] == [("c1", 0), ("c1", 2)]
    assert rows[0][2]["trace_id"] == "trace-c1"


def test_a_flat_row_is_one_turn():
    flat = {"record_id": "c1", "turn_idx": 1, "predicted_answer": 12.5, "tokens_in": 3, "tokens_out": 4}
    ((conversation, index, fields),) = turn_rows(flat)
    found = read_turn(fields)
    assert (conversation, index, found.actual_answer, found.tokens) == ("c1", 1, "12.5", 7)


def test_every_field_of_a_stored_turn_is_read():
    log = {"retry_number": 1, "valid": True, "confidence": 0.5, "failed_steps": ["s1"], "issues": ["odd"]}
    fields = turn(
        3, "25%", extract(1200), llm_calls=[{}, {}], tool_calls=[{}], latency_ms=12, validator_logs=[log],
        prompt_tokens=5, completion_tokens=6, error={"type": "ValueError", "message": "no"},
    )  # fmt: skip
    found = read_turn(fields)
    assert found.plan == (extract(1200),)
    assert found.validator_logs == (ValidatorLog(1, True, 0.5, ("s1",), ("odd",)),)
    assert found.error == TurnError("ValueError", "no")
    assert (len(found.llm_calls), len(found.tool_calls), found.latency_ms, found.tokens) == (2, 1, 12.0, 11)


def test_a_turn_reads_back_as_it_was_written():
    found = read_turn(turn(1, "1200", extract(1200), latency_ms=3.5, llm_calls=2, error="gone"))
    assert read_turn({"turn_idx": 1, **turn_content(found)}) == found


def test_a_calculation_stands_for_its_plan():
    found = read_turn({"turn_idx": 0, "predicted_calculation": "(1500 - 1200) / 1200 = 0.25"})
    assert [step["operation"] for step in found.plan] == ["subtract", "divide"]
    assert read_turn({"turn_idx": 0, "predicted_calculation": "1500"}).plan[0]["value"] == "1500"


def test_a_calculation_that_is_none_is_no_plan():
    found = read_turn({"turn_idx": 0, "predicted_calculation": "stated in the text"})
    assert (found.plan, found.calculation) == (None, "stated in the text")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"turn_idx": -1}, "turn_idx"),
        ({"turn_idx": True}, "turn_idx"),
        ({"prompt_tokens": "many"}, "prompt_tokens"),
        ({"latency_ms": -1}, "latency_ms"),
        ({"actual_answer": ["1"]}, "actual_answer"),
        ({"plan": "add"}, "plan"),
        ({"plan": {"steps": ["add"]}}, "plan"),
        ({"validator_logs": [{"valid": "yes"}]}, "validator log"),
        ({"validator_logs": [{"valid": True, "confidence": "high"}]}, "confidence"),
        ({"llm_calls": "two"}, "llm_calls"),
    ],
)
def test_a_turn_that_cannot_be_read_says_why(change, message):
    with pytest.raises(TraceError, match=message):
        read_turn({**turn(0, "1", compute("add", 1, 2)), **change})


@pytest.mark.parametrize("fields", [{"turns": []}, {"conversation_id": "a", "turns": {}}, {"record_id": "a"}])
def test_a_row_that_is_no_trace_is_refused(fields):
    with pytest.raises(TraceError):
        assert list(turn_rows(fields)) == []


@given(st.text(max_size=200))
def test_a_trace_names_a_file_inside_its_folder(identity):
    name = trace_name(identity)
    assert "/" not in name
    assert name.strip(".")
    assert len(name.encode()) < 200


@given(st.lists(st.text(alphabet="aA/.\\é", max_size=4), unique=True, max_size=20))
def test_two_traces_never_share_a_file(identities):
    assert len({trace_name(identity) for identity in identities}) == len(identities)
