"""`numerical_match@v1`: page 40's numeric ladder with its primary rung, for conversations and for any numbers."""

from __future__ import annotations

from steelyard.errors import excerpt
from steelyard.numbers.ladder import RUNGS, classify_miss, climb
from steelyard.numbers.literals import finite
from steelyard.numbers.quantity import Quantity
from steelyard.records.answers import Number
from steelyard.records.scores import Direction, Score, ValueKind
from steelyard.registry import scorer

_SUB_SCORES: dict[str, Direction] = dict.fromkeys((rung for rung in RUNGS if rung != "numerical_match"), "higher")
_SUB_VALUES: dict[str, ValueKind] = dict.fromkeys(_SUB_SCORES, "rate")


@scorer("numerical_match", version=1, values="rate", sub_scores=_SUB_SCORES, sub_values=_SUB_VALUES)
def numerical_match(predicted: Number, expected: Number) -> Score:
    """1 when the number is within 1 % or 0.001 of the expected one, a percentage read as its fraction, else 0.

    A yes or no is right when it is the same one.
    """
    ladder = climb(Quantity(predicted.value, predicted.unit or None), Quantity(expected.value, expected.unit or None))
    right = ladder.general_match if isinstance(expected.value, bool) else ladder.numerical_match
    miss = classify_miss(ladder)
    found = f"Expected {_shown(expected)}, found {_shown(predicted)}"
    return Score(
        primary=float(right),
        explain=f"{found}: {miss.replace('_', ' ') if miss else 'a match'}.",
        sub_scores={rung: float(getattr(ladder, rung)) for rung in _SUB_SCORES},
        error_tags=() if right or miss is None else (miss,),
    )


def _shown(answer: Number) -> str:
    if isinstance(answer.value, bool):
        return "yes" if answer.value else "no"
    value = str(answer.value) if finite(answer.value) else "a number that is not finite"
    return excerpt(f"{value} {answer.unit}" if answer.unit else value)
