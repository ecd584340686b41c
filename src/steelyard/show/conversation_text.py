"""An evaluation of conversations for the terminal: accuracies, turns, operations, propagation, diagnosis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steelyard.errors import escape
from steelyard.records.runs import RunRecord
from steelyard.show.methods import method_lines
from steelyard.show.results import bar, interval, number
from steelyard.show.unanswered import results_warnings

_LADDER = (
    "numerical_accuracy", "general_accuracy", "exact_numeric_accuracy", "soft_match_accuracy",
    "unit_agnostic_accuracy", "sign_agnostic_accuracy", "avg_logic_recall", "avg_logic_recall_incremental",
    "avg_logic_precision", "avg_program_equivalence", "avg_operand_accuracy", "avg_partial_credit",
    "conversation_level_accuracy",
)  # fmt: skip


def conversation_text(
    path: Path, run: RunRecord, results: Mapping[str, Any], unknown_ids: Sequence[tuple[str, int]] = ()
) -> str:
    """Return what `steelyard evaluate` prints for people."""
    found = results["conversations"]
    lines = [f"warning: {line}" for line in results_warnings(run.name, results, dry="mock" in run.flags)]
    lines += [_counts(run, found), "", *_means(found), "", *_groups(found, "turn", "accuracy_by_turn_number")]
    lines += ["", *_groups(found, "operations", "accuracy_by_operations"), found["complexity_ceiling"]["reading"]]
    lines += ["", found["error_propagation"]["reading"], _cost(found), "", "diagnosis:"]
    lines += [f"  {row['pattern']}: {row['reading']}" for row in found["diagnosis"]]
    if unknown_ids:
        shown = ", ".join(escape(identity) for identity, _ in unknown_ids[:3])
        total = results["predictions"]["unknown_ids"]
        lines += ["", f"{total} turns of the traces are not in the dataset ({shown}…); they do not count"]
    return "\n".join([*lines, "", f"run: {path}"])


def _counts(run: RunRecord, found: Mapping[str, Any]) -> str:
    states = ", ".join(f"{count} {state}" for state, count in found["states"].items() if count and state != "scored")
    size = f"{_many(found['num_conversations'], 'conversation')}, {_many(found['num_turns'], 'turn')}"
    return f"{escape(run.task)}: {size}{f' ({states})' if states else ''}"


def _many(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _means(found: Mapping[str, Any]) -> list[str]:
    width, intervals = max(map(len, _LADDER)), found["intervals"]
    lines = [
        f"  {name.ljust(width)}  {number(found[name])}  {interval(intervals[name])}  n={intervals[name]['n']}"
        for name in _LADDER
    ]
    return [*lines, *method_lines({name: intervals[name] for name in _LADDER})]


def _groups(found: Mapping[str, Any], word: str, name: str) -> list[str]:
    details = found[f"{name}_details"]
    lines = [f"numerical accuracy by {word}:"]
    for key, value in found[name].items():
        lines.append(f"  {key:>3}  {bar(value)}  {number(value)}  {interval(details[key])}  n={details[key]['n']}")
    return lines


def _cost(found: Mapping[str, Any]) -> str:
    cost, reasons = found["cost_per_correct_answer"], found["unavailable"]
    shown = f"{cost:,.1f} tokens" if cost is not None else f"null ({reasons['cost_per_correct_answer']})"
    turn = found["tokens_per_correct_turn"]
    beside = f"{turn:,.1f} tokens" if turn is not None else f"null ({reasons['tokens_per_correct_turn']})"
    return f"cost per correct answer (conversation): {shown}; per correct turn: {beside}"
