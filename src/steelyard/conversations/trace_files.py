"""`traces/*.json`: a conversation's trace, fit to be read again, with what was found out about each turn beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.conversations.tables import UNANSWERED, error_context, expected
from steelyard.records.conversations import JudgedConversation, JudgedTurn, TurnTrace, ValidatorLog
from steelyard.secrets import SECRET_IN_OUTPUT


def trace_content(judged: JudgedConversation) -> dict[str, Any]:
    """Return the content of one trace file."""
    conversation = judged.conversation
    return {
        "trace_id": judged.trace_id,
        "conversation_id": conversation.id,
        "conversation_type": conversation.conversation_type,
        "num_turns": len(judged.turns),
        **conversation.features,
        "turns": [_turn(judged, turn) for turn in judged.turns if turn.trace is not None],
        "missing_turns": [turn.turn.index for turn in judged.turns if turn.trace is None],
    }


def _turn(judged: JudgedConversation, turn: JudgedTurn) -> dict[str, Any]:
    assert turn.trace is not None
    features = judged.conversation.features
    content = {
        "turn_idx": turn.turn.index,
        "question": turn.turn.question,
        "expected_answer": expected(turn.turn),
        "executed_answer": turn.turn.executed,
        **turn_content(turn.trace),
        "has_type2_question": features["has_type2_question"],
        "has_non_numeric_values": features["has_non_numeric_values"],
        "ground_truth_program": turn.turn.program,
        "state": turn.state,
        **turn.matches,
        "matched_reference": turn.matched_reference,
        "miss": turn.miss,
        **turn.logic,
        "partial_credit": turn.partial_credit,
        "plan_steps": turn.plan_steps,
        "operations_per_turn": turn.operations_per_turn,
        "error_tags": list(turn.error_tags),
        "explain": turn.explain,
    }
    return content | ({"error_context": error_context(judged, turn)} if turn.state in UNANSWERED else {})


def turn_content(trace: TurnTrace) -> dict[str, Any]:
    """Return what a solver did in a turn, in the fields of a stored trace (page 40)."""
    content: dict[str, Any] = {
        "actual_answer": trace.actual_answer,
        "plan": None if trace.plan is None else {"steps": [dict(step) for step in trace.plan]},
        "prompt_tokens": trace.prompt_tokens,
        "completion_tokens": trace.completion_tokens,
        "llm_calls": _calls(trace.llm_calls),
        "tool_calls": _calls(trace.tool_calls),
        "latency_ms": trace.latency_ms,
        "validator_logs": [_log(log) for log in trace.validator_logs],
        "error": None if trace.error is None else {"type": trace.error.type, "message": trace.error.message},
    }
    if trace.calculation is not None:
        content["predicted_calculation"] = trace.calculation
    return content | ({SECRET_IN_OUTPUT: True} if trace.held_key else {})


def _calls(value: tuple[Any, ...] | int | None) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _log(log: ValidatorLog) -> Mapping[str, Any]:
    return {
        "retry_number": log.retry_number,
        "valid": log.valid,
        "confidence": log.confidence,
        "failed_steps": list(log.failed_steps),
        "issues": list(log.issues),
    }
