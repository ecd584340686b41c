"""Conversations and traces that tests put together; small enough to work out by hand."""

from typing import Any

QUESTIONS = ["what was income in 2009?", "and in 2008?", "what is the difference?", "as a share of 2008?"]


def row(identity: str = "c1", **changes: Any) -> dict[str, Any]:
    """A conversation of four turns: two extractions, a difference, a change of 25 %."""
    dialogue = {
        "conv_questions": QUESTIONS,
        "conv_answers": ["1,500", "1200", "300", "25%"],
        "turn_program": ["1500", "1200", "subtract(1500, 1200)", "subtract(1500, 1200), divide(#0, 1200)"],
        "executed_answers": [1500.0, 1200.0, 300.0, 0.25],
        "qa_split": [False, False, False, False],
    }
    document = {
        "pre_text": "income rose .",
        "post_text": "",
        "table": {"2008": {"income": 1200.0}, "2009": {"income": 1500.0}},
    }
    features = {
        "num_dialogue_turns": 4,
        "has_type2_question": False,
        "has_duplicate_columns": False,
        "has_non_numeric_values": False,
    }
    return {"id": identity, "doc": document, "dialogue": dialogue | changes, "features": features}


def extract(value: Any, step_id: str = "s1") -> dict[str, Any]:
    """An extract step."""
    return {"step_id": step_id, "tool": "extract_value", "value": value}


def compute(operation: str, *operands: Any, step_id: str = "s9") -> dict[str, Any]:
    """A compute step."""
    return {"step_id": step_id, "tool": "compute", "operation": operation, "operands": list(operands)}


def turn(index: int, answer: Any, *steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    """One turn of a stored trace."""
    plan = {"plan": {"steps": list(steps)}} if steps else {}
    return {"turn_idx": index, "question": QUESTIONS[index], "actual_answer": answer, **plan, **more}


def trace(identity: str, *turns: dict[str, Any]) -> dict[str, Any]:
    """A stored trace."""
    return {"trace_id": f"trace-{identity}", "conversation_id": identity, "turns": list(turns)}
