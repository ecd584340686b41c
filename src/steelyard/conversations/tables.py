"""Seed 004's tables: `summary.csv`, `turns.csv`, `validation.csv` and `errors.csv`, with exactly its columns.

The columns of the existing system come first, the seed's new ones after them. A zero is 0, what is not known is empty,
and a cell that a spreadsheet would run as a formula is defused.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from steelyard.conversations.statistics import ACCURACIES
from steelyard.records.columns import defuse
from steelyard.records.conversations import JudgedConversation, JudgedTurn, Turn, TurnTrace
from steelyard.records.items import State

SUMMARY = (
    "trace_id", "conversation_id", "conversation_type", "num_turns", "total_tokens", "prompt_tokens",
    "completion_tokens", "total_llm_calls", "total_tool_calls", "total_latency_ms", "avg_plan_steps",
    "total_validator_retries", "numerical_accuracy", "general_accuracy", "exact_numeric_accuracy", "all_turns_right",
    "first_wrong_turn", "avg_partial_credit", "error_occurred", "error_type", "error_message", "failed_turn",
    "has_type2_question", "has_duplicate_columns", "soft_match_accuracy", "unit_agnostic_accuracy",
    "sign_agnostic_accuracy", "avg_logic_recall", "avg_operations_per_turn", "has_non_numeric_values",
)  # fmt: skip
TURNS = (
    "trace_id", "conversation_id", "turn_idx", "question", "expected_answer", "actual_answer", "turn_tokens",
    "prompt_tokens", "completion_tokens", "llm_calls", "tool_calls", "latency_ms", "plan_steps", "validator_retries",
    "numerical_match", "general_match", "exact_numeric_match", "state", "matched_reference", "miss", "error_tags",
    "partial_credit", "error_occurred", "error_type", "error_message", "soft_match", "unit_agnostic_match",
    "sign_agnostic_match", "logic_recall", "operations_per_turn", "ground_truth_program",
)  # fmt: skip
VALIDATION = (
    "trace_id", "conversation_id", "turn_idx", "retry_number", "valid", "confidence", "failed_steps", "issues",
)  # fmt: skip
ERRORS = (
    "trace_id", "conversation_id", "turn_idx", "question", "expected_answer", "error_type", "error_message",
    "has_type2_question", "has_non_numeric_values", "plan_steps", "operations_per_turn", "error_context",
)  # fmt: skip

UNANSWERED: tuple[State, ...] = ("missing", "failed", "timeout")
"""States of a turn that belongs into `errors.csv`: wrong answers are in `turns.csv`, with their tags."""
MISSING_TURN, MISSING_ANSWER = "MissingTurn", "MissingAnswer"
"""The `error_type` of a turn that raised nothing: it is not in its trace, or it is there without an answer."""

_SPECIAL = re.compile(r"[\",\r\n]")


def csv_lines(rows: Iterable[Sequence[Any]]) -> bytes:
    """Return rows as CSV: UTF-8, line feeds, formulas defused, null empty."""
    lines = [",".join(map(_cell, row)) + "\n" for row in rows]
    return "".join(lines).encode("utf-8", "backslashreplace")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _quoted(defuse(value))
    return repr(value) if isinstance(value, float) else str(value)


def _quoted(cell: str) -> str:
    # The standard writer leaves a lone carriage return bare, and readers end the row there.
    return '"' + cell.replace('"', '""') + '"' if _SPECIAL.search(cell) else cell


def summary_row(judged: JudgedConversation) -> list[Any]:
    """Return a conversation's row of `summary.csv`."""
    conversation, turns = judged.conversation, judged.turns
    traces = [turn.trace for turn in turns if turn.trace is not None]
    failed = next((turn for turn in turns if turn.trace is not None and turn.trace.error), None)
    error = failed.trace.error if failed and failed.trace else None
    wrong = next((turn.turn.index for turn in turns if not turn.right), None)
    row = {
        "trace_id": judged.trace_id,
        "conversation_id": conversation.id,
        "conversation_type": conversation.conversation_type,
        "num_turns": len(turns),
        "total_tokens": _sum(trace.tokens for trace in traces),
        "prompt_tokens": _sum(trace.prompt_tokens for trace in traces),
        "completion_tokens": _sum(trace.completion_tokens for trace in traces),
        "total_llm_calls": _sum(calls(trace.llm_calls) for trace in traces),
        "total_tool_calls": _sum(calls(trace.tool_calls) for trace in traces),
        "total_latency_ms": _sum(trace.latency_ms for trace in traces),
        "avg_plan_steps": _mean(turn.plan_steps for turn in turns),
        "total_validator_retries": sum(retries(trace) for trace in traces),
        "all_turns_right": wrong is None,
        "first_wrong_turn": wrong,
        "error_occurred": error is not None,
        "error_type": error.type if error else None,
        "error_message": error.message if error else None,
        "failed_turn": failed.turn.index if failed else None,
        "avg_logic_recall": _mean(turn.logic["logic_recall"] for turn in turns),
        "avg_operations_per_turn": _mean(turn.operations_per_turn for turn in turns),
        "avg_partial_credit": _mean(turn.partial_credit for turn in turns),
        **{name: _mean(turn.matches[rung] for turn in turns) for rung, name in ACCURACIES.items()},
        **_features(judged),
    }
    return [row[name] for name in SUMMARY]


def turn_row(judged: JudgedConversation, turn: JudgedTurn) -> list[Any]:
    """Return a turn's row of `turns.csv`."""
    trace, error = turn.trace, turn.trace.error if turn.trace else None
    row = {
        **_place(judged, turn),
        "actual_answer": trace.actual_answer if trace else None,
        "turn_tokens": trace.tokens if trace else None,
        "prompt_tokens": trace.prompt_tokens if trace else None,
        "completion_tokens": trace.completion_tokens if trace else None,
        "llm_calls": calls(trace.llm_calls) if trace else None,
        "tool_calls": calls(trace.tool_calls) if trace else None,
        "latency_ms": trace.latency_ms if trace else None,
        "plan_steps": turn.plan_steps,
        "validator_retries": retries(trace) if trace else None,
        **turn.matches,
        "state": turn.state,
        "matched_reference": turn.matched_reference,
        "miss": turn.miss,
        "partial_credit": turn.partial_credit,
        "error_tags": ";".join(turn.error_tags) or None,
        "error_occurred": error is not None,
        "error_type": error.type if error else None,
        "error_message": error.message if error else None,
        "logic_recall": turn.logic["logic_recall"],
        "operations_per_turn": turn.operations_per_turn,
        "ground_truth_program": turn.turn.program,
    }
    return [row[name] for name in TURNS]


def validation_rows(judged: JudgedConversation) -> list[list[Any]]:
    """Return the validator's looks at a conversation's plans, for `validation.csv`."""
    return [
        [
            judged.trace_id,
            judged.conversation.id,
            turn.turn.index,
            log.retry_number,
            log.valid,
            log.confidence,
            json.dumps(log.failed_steps, ensure_ascii=False),
            json.dumps(log.issues, ensure_ascii=False),
        ]
        for turn in judged.turns
        if turn.trace is not None
        for log in turn.trace.validator_logs
    ]


def error_rows(judged: JudgedConversation) -> list[list[Any]]:
    """Return the turns of a conversation without an answer, for `errors.csv`; every column has a value."""
    found = []
    for turn in judged.turns:
        if turn.state not in UNANSWERED:
            continue
        kind, message = _what_went_wrong(turn)
        row = {
            **_place(judged, turn),
            "error_type": kind,
            "error_message": message,
            **_features(judged),
            "plan_steps": turn.plan_steps or 0,
            "operations_per_turn": turn.operations_per_turn or 0,
            "error_context": json.dumps(error_context(judged, turn), ensure_ascii=False),
        }
        found.append([row[name] for name in ERRORS])
    return found


def _what_went_wrong(turn: JudgedTurn) -> tuple[str, str]:
    if turn.trace is None:
        return MISSING_TURN, "the trace has no such turn"
    if turn.trace.error is None:
        return MISSING_ANSWER, "the turn is there, and its answer is empty"
    return turn.trace.error.type, turn.trace.error.message or turn.trace.error.type


def error_context(judged: JudgedConversation, turn: JudgedTurn) -> dict[str, Any]:
    """Return what seed 004 keeps with every error."""
    features = _features(judged)
    return {
        "turn_idx": turn.turn.index,
        "question": turn.turn.question,
        "has_type2_question": features["has_type2_question"],
        "has_non_numeric_values": features["has_non_numeric_values"],
        "conversation_id": judged.conversation.id,
        "plan_steps": turn.plan_steps or 0,
        "operations_per_turn": turn.operations_per_turn or 0,
    }


def _place(judged: JudgedConversation, turn: JudgedTurn) -> dict[str, Any]:
    return {
        "trace_id": judged.trace_id,
        "conversation_id": judged.conversation.id,
        "turn_idx": turn.turn.index,
        "question": turn.turn.question,
        "expected_answer": expected(turn.turn),
    }


def expected(turn: Turn) -> str:
    """Return the answer as the dataset displays it, or what its program gives where it displays none."""
    return turn.displayed if turn.displayed is not None else str(turn.executed)


def _features(judged: JudgedConversation) -> Mapping[str, bool]:
    features = judged.conversation.features
    return {
        name: bool(features[name]) for name in ("has_type2_question", "has_duplicate_columns", "has_non_numeric_values")
    }


def calls(value: tuple[Any, ...] | int | None) -> int | None:
    """Return how many calls there were, where that is known."""
    return len(value) if isinstance(value, tuple) else value


def retries(trace: TurnTrace) -> int:
    """Return how often the validator sent a plan back."""
    return max((log.retry_number for log in trace.validator_logs), default=0)


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
