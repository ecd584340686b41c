"""Partial credit of a turn: what the numeric ladder and the turn's program say together (seed 004's future list)."""

from __future__ import annotations

from collections.abc import Mapping

NEARLY = ("general_match", "unit_agnostic_match", "sign_agnostic_match")
"""Matches that forgive one mistake: format, scale or sign."""


def partial_credit(
    matches: Mapping[str, bool], logic: Mapping[str, float | None], program_operations: int | None
) -> float:
    """Return the credit of a turn between 0 and 1.

    A right turn has 1. Any other has the mean of two halves: the ladder's, 0.5 where only format, scale or sign is
    wrong, else 0; and the program's, the mean of `logic_f1` and `operand_accuracy`. So a wrong turn has at most 0.75.
    Where the dataset has no program that can be read, the ladder alone decides. A plan that is not there earns
    nothing, so that nobody gains by not giving one.

    >>> near = {"numerical_match": False, "unit_agnostic_match": True}
    >>> partial_credit(near, {"logic_f1": 1.0, "operand_accuracy": 1.0}, 2)
    0.75
    >>> partial_credit(near, {"logic_f1": None, "operand_accuracy": None}, 2), partial_credit(near, {}, None)
    (0.25, 0.5)
    """
    if matches["numerical_match"]:
        return 1.0
    ladder = 0.5 if any(matches.get(rung) for rung in NEARLY) else 0.0
    if program_operations is None:
        return ladder
    known = [value for name in ("logic_f1", "operand_accuracy") if (value := logic.get(name)) is not None]
    program = sum(known) / len(known) if known else 0.0
    return (ladder + program) / 2
