"""`statistics.json`: seed 004's fields under its names, and beside them n, intervals and what the seed only plans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from steelyard.conversations.columns import MISSES, REFERENCES, TurnColumns
from steelyard.conversations.complexity import complexity, propagation
from steelyard.conversations.diagnosis import diagnosis
from steelyard.conversations.logic import LOGIC
from steelyard.conversations.means import described, grouped, split
from steelyard.numbers.ladder import RUNGS
from steelyard.records.items import STATES

ACCURACIES = {
    "numerical_match": "numerical_accuracy",
    "general_match": "general_accuracy",
    "exact_numeric_match": "exact_numeric_accuracy",
    "soft_match": "soft_match_accuracy",
    "unit_agnostic_match": "unit_agnostic_accuracy",
    "sign_agnostic_match": "sign_agnostic_accuracy",
}
"""What the mean of each rung is called."""

_PRIMARY = "numerical_match"
_MOST_VALUES = 50
"""A feature with more values than this is no breakdown."""


def statistics(columns: TurnColumns, sample: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the statistics of a run."""
    numerical = columns.matches[_PRIMARY].astype(np.float64)
    turn = columns.small["turn"].astype(np.int64)
    by_turn, by_turn_details = split(grouped(numerical, turn, columns.conversation))
    operations = columns.small["operations"].astype(np.float64)
    operations[operations < 0] = np.nan
    average, average_details = split(grouped(operations, turn, columns.conversation))
    means, intervals = _means(columns, operations)
    costs, unavailable = _costs(columns)
    return {
        "num_conversations": columns.n_conversations,
        "num_turns": len(columns),
        "states": _counts(columns, "state", STATES),
        **means,
        **costs,
        "accuracy_by_turn_number": by_turn,
        "avg_operations_by_turn": average,
        "accuracy_by_turn_number_details": by_turn_details,
        "avg_operations_by_turn_details": average_details,
        **_complexity(columns, numerical),
        "error_propagation": propagation(columns.right, turn, columns.conversation),
        "diagnosis": diagnosis(columns),
        "misses": _counts(columns, "miss", MISSES),
        "matched_reference": _counts(columns, "matched", REFERENCES),
        "unreadable_calculations": int(columns.small["unreadable_plan"].sum()),
        "breakdowns": _breakdowns(columns, numerical),
        "intervals": intervals,
        "unavailable": unavailable | _undefined(intervals),
        "sample": dict(sample) if sample is not None else None,
    }


def _means(columns: TurnColumns, operations: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return every mean over turns by its name, and the same with n and interval."""
    entries = {
        ACCURACIES[rung]: described(columns.matches[rung].astype(np.float64), columns.conversation)
        for rung in sorted(RUNGS, key=list(ACCURACIES).index)
    }
    entries |= {f"avg_{name}": described(columns.logic[name], columns.conversation) for name in LOGIC}
    entries["avg_operations_per_turn"] = described(operations, columns.conversation)
    success = succeeded(columns).astype(np.float64)
    entries["conversation_level_accuracy"] = described(success, np.arange(columns.n_conversations))
    return split(entries)


def succeeded(columns: TurnColumns) -> Any:
    """Return for each conversation whether every turn of it is right."""
    wrong = np.bincount(columns.conversation, weights=~columns.right, minlength=columns.n_conversations)
    return wrong == 0


def _costs(columns: TurnColumns) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the seed's cost and its kin; null with a reason where nothing can be divided."""
    known = columns.tokens[~np.isnan(columns.tokens)]
    total = int(known.sum()) if len(known) else None
    successes, correct = int(succeeded(columns).sum()), int(columns.right.sum())
    reasons = {}
    if total is None:
        reasons = dict.fromkeys(("cost_per_correct_answer", "tokens_per_correct_turn"), "no turn counted its tokens")
    if not successes:
        reasons["cost_per_correct_answer"] = "no conversation succeeded"
    if not correct:
        reasons["tokens_per_correct_turn"] = "no turn is right"
    costs = {
        "total_tokens": total,
        "turns_with_tokens": len(known),
        "successful_conversations": successes,
        "correct_turns": correct,
        "cost_per_correct_answer": total / successes if total is not None and successes else None,
        "tokens_per_correct_turn": total / correct if total is not None and correct else None,
    }
    return costs, reasons


def _complexity(columns: TurnColumns, numerical: Any) -> dict[str, Any]:
    """Return accuracy by operations of the plan and of the gold program, each with its ceiling."""
    found: dict[str, Any] = {}
    for name, column in (("operations", "operations"), ("program_operations", "program_operations")):
        result = complexity(numerical, columns.small[column].astype(np.int64), columns.conversation)
        means, details = split(result.pop("accuracy"))
        found |= {f"accuracy_by_{name}": means, f"accuracy_by_{name}_details": details}
        found["complexity_ceiling" if name == "operations" else "program_complexity_ceiling"] = result
    return found


def _breakdowns(columns: TurnColumns, numerical: Any) -> dict[str, dict[str, Any]]:
    """Return accuracy by value of every feature of the dataset, and by whether a turn asks the second question."""
    names = sorted({name for features in columns.features for name in features})
    values = {name: columns.feature(name) for name in names}
    values["from_second_question"] = np.where(columns.small["second_question"], "true", "false").tolist()
    found = {}
    for name, column in values.items():
        keys, codes = np.unique(np.array(column), return_inverse=True)
        if len(keys) <= _MOST_VALUES:
            entries = grouped(numerical, codes.astype(np.int64), columns.conversation)
            found[name] = {str(keys[int(code)]): _accuracy(entry) for code, entry in entries.items()}
            found[name] = dict(sorted(found[name].items(), key=_numeric_first))
    return found


def _accuracy(entry: dict[str, Any]) -> dict[str, Any]:
    return {"numerical_accuracy": entry["mean"], **{name: value for name, value in entry.items() if name != "mean"}}


def _numeric_first(pair: tuple[str, Any]) -> tuple[float, str]:
    try:
        return float(pair[0]), ""
    except ValueError:
        return float("inf"), pair[0]


def _counts(columns: TurnColumns, name: str, labels: tuple[str, ...]) -> dict[str, int]:
    counts = np.bincount(columns.small[name], minlength=len(labels)).tolist()
    return dict(zip(labels, counts, strict=True))


def _undefined(intervals: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    return {name: entry["reason"] for name, entry in intervals.items() if entry.get("reason")}
