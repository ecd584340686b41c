"""The tables of seed 004: their columns, their zeros, their formulas."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.conversations import tables
from steelyard.conversations.dataset import read_conversation
from steelyard.conversations.judging import judge
from steelyard.conversations.trace_files import trace_content
from steelyard.conversations.traces import read_turn, turn_rows
from steelyard.records.columns import restore
from tests.conversation_rows import compute, extract, row, trace, turn

EXISTING_SUMMARY = [
    "trace_id",
    "conversation_id",
    "conversation_type",
    "num_turns",
    "total_tokens",
    "prompt_tokens",
    "completion_tokens",
    "total_llm_calls",
    "total_tool_calls",
    "total_latency_ms",
    "avg_plan_steps",
    "total_validator_retries",
    "numerical_accuracy",
]
NEW_SUMMARY = [
    "soft_match_accuracy",
    "unit_agnostic_accuracy",
    "sign_agnostic_accuracy",
    "avg_logic_recall",
    "avg_operations_per_turn",
    "has_non_numeric_values",
]
EXISTING_TURNS = [
    "trace_id",
    "conversation_id",
    "turn_idx",
    "question",
    "expected_answer",
    "actual_answer",
    "turn_tokens",
]
NEW_TURNS = [
    "soft_match",
    "unit_agnostic_match",
    "sign_agnostic_match",
    "logic_recall",
    "operations_per_turn",
    "ground_truth_program",
]
ERRORS = [
    "trace_id",
    "conversation_id",
    "turn_idx",
    "question",
    "expected_answer",
    "error_type",
    "error_message",
    "has_type2_question",
    "has_non_numeric_values",
    "plan_steps",
    "operations_per_turn",
    "error_context",
]


def judged(*turns, identity="c1"):
    conversation = read_conversation(row(identity))
    by_index = {index: read_turn(fields) for _, index, fields in turn_rows(trace(identity, *turns))}
    return judge([conversation], [[by_index.get(index) for index in range(4)]])[0]


def test_the_columns_are_the_pages_and_the_seeds_in_order():
    assert list(tables.SUMMARY[: len(EXISTING_SUMMARY)]) == EXISTING_SUMMARY
    assert list(tables.SUMMARY[-len(NEW_SUMMARY) :]) == NEW_SUMMARY
    middle = [name for name in tables.SUMMARY if name.startswith(("error", "failed"))]
    assert middle == ["error_occurred", "error_type", "error_message", "failed_turn"]
    assert list(tables.TURNS[: len(EXISTING_TURNS)]) == EXISTING_TURNS
    assert list(tables.TURNS[-len(NEW_TURNS) :]) == NEW_TURNS
    assert (
        tables.TURNS.index("numerical_match") < tables.TURNS.index("error_message") < tables.TURNS.index("soft_match")
    )
    assert list(tables.ERRORS) == ERRORS
    assert tables.VALIDATION[2:] == ("turn_idx", "retry_number", "valid", "confidence", "failed_steps", "issues")


def as_dicts(header, rows):
    return list(csv.DictReader(io.StringIO(tables.csv_lines([header, *rows]).decode())))


def test_a_zero_is_0_and_what_is_not_known_is_empty():
    entry = judged(
        turn(0, "0", extract(0), prompt_tokens=0, completion_tokens=0, llm_calls=0, tool_calls=[], latency_ms=0)
    )
    first, second, *_ = as_dicts(tables.TURNS, [tables.turn_row(entry, found) for found in entry.turns])
    for name in ("turn_idx", "actual_answer", "turn_tokens", "prompt_tokens", "llm_calls", "tool_calls"):
        assert first[name] == "0"
    assert (first["latency_ms"], first["operations_per_turn"], first["validator_retries"]) == ("0.0", "0", "0")
    assert (second["actual_answer"], second["turn_tokens"], second["logic_recall"]) == ("", "", "")
    assert second["numerical_match"] == "False"
    (summary,) = as_dicts(tables.SUMMARY, [tables.summary_row(entry)])
    assert (summary["total_tokens"], summary["total_llm_calls"], summary["numerical_accuracy"]) == ("0", "0", "0.0")
    assert summary["failed_turn"] == ""


def test_a_summary_adds_up_its_turns():
    logs = [{"retry_number": number, "valid": number == 2} for number in range(3)]
    entry = judged(
        turn(0, "1500", extract(1500), prompt_tokens=3, completion_tokens=4, latency_ms=5, llm_calls=[1, 2]),
        turn(2, "300", compute("subtract", 1500, 1200), prompt_tokens=1, validator_logs=logs, latency_ms=0.5),
        turn(3, None, error={"type": "KeyError", "message": "income"}),
    )
    (found,) = as_dicts(tables.SUMMARY, [tables.summary_row(entry)])
    assert (found["total_tokens"], found["total_llm_calls"], found["total_latency_ms"]) == ("8", "2", "5.5")
    assert (found["numerical_accuracy"], found["total_validator_retries"]) == ("0.5", "2")
    assert (found["error_occurred"], found["error_type"], found["failed_turn"]) == ("True", "KeyError", "3")
    assert found["first_wrong_turn"] == "1"


def test_every_turn_without_an_answer_is_a_row_of_errors_with_every_column_filled():
    slow, bad = {"type": "ReadTimeout", "message": "slow"}, {"type": "KeyError", "message": ""}
    entry = judged(turn(0, "wrong"), turn(1, None, error=slow), turn(3, None, error=bad))
    found = as_dicts(tables.ERRORS, tables.error_rows(entry))
    assert all(all(one.values()) for one in found)
    assert [(one["turn_idx"], one["error_type"], one["error_message"]) for one in found] == [
        ("1", "ReadTimeout", "slow"),
        ("2", "MissingTurn", "the trace has no such turn"),
        ("3", "KeyError", "KeyError"),
    ]
    context = json.loads(found[-1]["error_context"])
    assert set(context) == {
        "turn_idx", "question", "has_type2_question", "has_non_numeric_values", "conversation_id", "plan_steps",
        "operations_per_turn",
    }  # fmt: skip


def test_a_turn_whose_answer_is_empty_is_an_error_too():
    (found, *_) = as_dicts(tables.ERRORS, tables.error_rows(judged(turn(0, " "))))
    assert (found["error_type"], found["turn_idx"]) == ("MissingAnswer", "0")


def test_validator_logs_are_rows_with_lists_as_json():
    log = {"retry_number": 0, "valid": False, "confidence": 0.0, "failed_steps": ["s1"], "issues": ["=bad, worse"]}
    (found,) = as_dicts(tables.VALIDATION, tables.validation_rows(judged(turn(0, "1", validator_logs=[log]))))
    assert (found["retry_number"], found["valid"], found["confidence"]) == ("0", "False", "0.0")
    assert json.loads(found["issues"]) == ["=bad, worse"]


@pytest.mark.parametrize(
    "text", ["=1+1", "@SUM(A1)", "-21.08%+1", "-1,23", "+cmd|' /C calc'!A0", "-2+3", "\t=1", "'=1", "＝1"]
)
def test_a_formula_is_defused_and_reads_back(text):
    entry = judged(turn(0, text))
    (found, *_) = as_dicts(tables.TURNS, [tables.turn_row(entry, one) for one in entry.turns])
    assert found["actual_answer"] != text
    assert restore(found["actual_answer"]) == text


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=20))
def test_any_cell_reads_back_as_it_was(text):
    (found,) = csv.reader(io.StringIO(tables.csv_lines([["x", text]]).decode(), newline=""))
    assert restore(found[1]) == text


def test_a_negative_number_or_percentage_is_no_formula():
    assert tables.csv_lines([["-5.2", "-21.08%", "-1,234.5 %"]]) == b'-5.2,-21.08%,"-1,234.5 %"\n'


def test_a_trace_file_reads_back_as_the_same_turns():
    entry = judged(turn(0, "1500", extract(1500)), turn(3, None, error={"type": "E", "message": "m"}))
    content = json.loads(json.dumps(trace_content(entry)))
    again = [read_turn(fields) for _, _, fields in turn_rows(content)]
    assert again == [found.trace for found in entry.turns if found.trace is not None]
    assert content["missing_turns"] == [1, 2]
    assert content["turns"][1]["error_context"]["turn_idx"] == 3
    assert content["turns"][0]["ground_truth_program"] == "1500"
    assert content["has_duplicate_columns"] is False
