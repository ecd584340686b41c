"""The section of a report on conversations: turns, operations, propagation, costs, diagnosis, breakdowns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.show.html_parts import bar, dot_plot, ends, methods, number, row, rows, section, table, text

_MEANS = {
    "numerical_accuracy": "numerical match (primary)",
    "general_accuracy": "general match",
    "exact_numeric_accuracy": "exact match",
    "soft_match_accuracy": "soft match",
    "unit_agnostic_accuracy": "unit-agnostic match (diagnostic)",
    "sign_agnostic_accuracy": "sign-agnostic match (diagnostic)",
    "avg_logic_recall": "logic recall, cumulative",
    "avg_logic_recall_incremental": "logic recall, incremental",
    "avg_logic_precision": "logic precision",
    "avg_logic_f1": "logic F1",
    "avg_operation_order": "operation order",
    "avg_program_equivalence": "program equivalence",
    "avg_operand_accuracy": "operand accuracy",
    "conversation_level_accuracy": "whole conversations right",
}
_FEWEST_VALUES = 2
"""A feature with one value splits nothing."""


def conversations(results: Mapping[str, Any]) -> str:
    """Return the section, or nothing for a run of another kind."""
    found = results.get("conversations")
    if not found:
        return ""
    return "\n".join(
        (
            section("Conversations", _counts(found), _means(found), anchor="conversations"),
            section("Diagnosis", _diagnosis(found), anchor="diagnosis"),
            section("Accuracy by turn", _groups(found, "turn", "accuracy_by_turn_number"), anchor="turns"),
            section("Accuracy by operations", *_complexity(found), anchor="operations"),
            section("Error propagation", *_propagation(found), anchor="propagation"),
            section("Accuracy by feature", _breakdowns(found), anchor="features"),
        )
    )


def _counts(found: Mapping[str, Any]) -> str:
    states = ", ".join(f"{count:,} {name}" for name, count in found["states"].items() if count)
    size = f"{found['num_conversations']:,} conversations, {found['num_turns']:,} turns ({states})."
    reasons = found["unavailable"]
    costs = [
        f"{label}: {number(found[name])} tokens"
        if found[name] is not None
        else f"{label}: null ({text(reasons.get(name, 'not known'))})"
        for name, label in (
            ("cost_per_correct_answer", "Cost per correct conversation"),
            ("tokens_per_correct_turn", "Tokens per correct turn"),
        )
    ]
    return f"<p>{size} {'. '.join(costs)}.</p>"


def _means(found: Mapping[str, Any]) -> str:
    lines = []
    for name, label in _MEANS.items():
        entry = {**found["intervals"][name], "value": found[name]}
        lines.append(row(label, dot_plot(entry), number(found[name]), f"{ends(entry)} n={entry['n']:,}"))
    return rows(lines) + methods(found["intervals"])


def _diagnosis(found: Mapping[str, Any]) -> str:
    lines = [
        [
            f"<b>{text(entry['pattern'])}</b>" if entry["notable"] else text(entry["pattern"]),
            f"{text(entry['low'])} {number(entry['low_accuracy'])}",
            f"{text(entry['high'])} {number(entry['high_accuracy'])}",
            number(entry["gap"]),
            ends(entry),
            text(entry["reading"]),
        ]
        for entry in found["diagnosis"]
    ]
    return table(["pattern", "low", "high", "gap", "95 % interval", "reading"], lines, frozenset({3}))


def _groups(found: Mapping[str, Any], word: str, name: str) -> str:
    details = found[f"{name}_details"]
    operations = found["avg_operations_by_turn"] if name == "accuracy_by_turn_number" else {}
    lines = []
    for key, value in found[name].items():
        entry = details[key]
        average = operations.get(key)
        beside = f" · {average:.2f} operations on average" if average is not None else ""
        note = f"{ends(entry)} n={entry['n']:,}{beside}"
        lines.append(row(f"{word} {key}", bar(value, entry["ci_low"], entry["ci_high"]), number(value), note))
    return rows(lines) + methods(details)


def _complexity(found: Mapping[str, Any]) -> tuple[str, ...]:
    parts: list[str] = []
    for title, name, ceiling in (
        ("Operations of the plan", "accuracy_by_operations", "complexity_ceiling"),
        ("Operations of the gold program", "accuracy_by_program_operations", "program_complexity_ceiling"),
    ):
        groups = _groups(found, "operations", name)
        if groups:
            parts += [f"<h3>{title}</h3>", groups, f"<p>{text(found[ceiling]['reading'])}</p>"]
    return tuple(parts)


def _propagation(found: Mapping[str, Any]) -> tuple[str, ...]:
    entry = found["error_propagation"]
    lines = []
    for name, label in (
        ("wrong_after_wrong", "wrong after a wrong turn"),
        ("wrong_after_right", "wrong after a right turn"),
    ):
        part = {**entry[name], "value": entry[name]["mean"]}
        lines.append(row(label, dot_plot(part), number(part["value"]), f"{ends(part)} n={part['n']:,}"))
    first = [[key, f"{count:,}"] for key, count in entry["first_failing_turn"].items()]
    first.append(["none", f"{entry['conversations_without_failure']:,}"])
    shown = table(["first wrong turn", "conversations"], first, frozenset({1}))
    said = methods({name: entry[name] for name in ("wrong_after_wrong", "wrong_after_right")})
    return f"<p>{text(entry['reading'])}</p>", rows(lines) + said, shown


def _breakdowns(found: Mapping[str, Any]) -> str:
    lines = []
    for feature, values in found["breakdowns"].items():
        if len(values) < _FEWEST_VALUES:
            continue
        for value, entry in values.items():
            accuracy = entry["numerical_accuracy"]
            shown = bar(accuracy, entry["ci_low"], entry["ci_high"])
            lines.append(row(f"{feature} = {value}", shown, number(accuracy), f"{ends(entry)} n={entry['n']:,}"))
    return rows(lines)
