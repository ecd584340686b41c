"""Metrics over turn programs (seed 004): how much of the gold program's reasoning a predicted program has.

Both texts are programs, `subtract(8181, 20454), divide(#0, 20454)`. A reference that cannot be read has no value.
"""

from __future__ import annotations

from steelyard import programs
from steelyard.registry import metric


@metric("logic_recall")
def logic_recall(prediction: str, reference: str) -> float | None:
    """Share of the program's operations that the plan has too, whatever their order."""
    return programs.logic_recall(prediction, reference)


@metric("logic_precision")
def logic_precision(prediction: str, reference: str) -> float | None:
    """Share of the plan's operations that the program has too."""
    return programs.logic_precision(prediction, reference)


@metric("logic_f1")
def logic_f1(prediction: str, reference: str) -> float | None:
    """Harmonic mean of logic recall and precision."""
    return programs.logic_f1(prediction, reference)


@metric("operation_order")
def operation_order(prediction: str, reference: str) -> float | None:
    """Longest common subsequence of operations over the longer side."""
    return programs.operation_order(prediction, reference)


@metric("program_equivalence", values="rate")
def program_equivalence(prediction: str, reference: str) -> float | None:
    """1 when both programs compute the same value by the same operations, up to commutativity, else 0."""
    same = programs.program_equivalence(prediction, reference)
    return None if same is None else float(same)


@metric("operand_accuracy")
def operand_accuracy(prediction: str, reference: str) -> float | None:
    """Share of the program's operands that the plan uses too."""
    return programs.operand_accuracy(prediction, reference)


@metric("operations_per_turn", direction=None, values="amount")
def operations_per_turn(prediction: str, reference: str) -> float | None:
    """Count of the compute operations of a plan; neither more nor fewer is better."""
    del reference
    try:
        return float(programs.operations_per_turn(prediction))
    except programs.ProgramError:
        return None
