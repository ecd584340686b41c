"""Exact match and token F1: how much of two texts is the same after normalisation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from steelyard.records.answers import Profile
from steelyard.text.normalise import normalise
from steelyard.text.tokens import tokens


class Overlap(NamedTuple):
    """Multiset overlap of what was found with what was wanted."""

    precision: float
    recall: float
    f1: float


def exact_match(prediction: str, reference: str, *, normalize: Profile = "basic") -> float:
    """Return 1 if two texts are equal after normalisation, else 0.

    >>> exact_match(" Ｂ ", "b"), exact_match("The B.", "b", normalize="squad"), exact_match("ab", "a b")
    (1.0, 1.0, 0.0)
    """
    return float(normalise(prediction, normalize) == normalise(reference, normalize))


def token_f1(prediction: str, reference: str, *, normalize: Profile = "basic") -> float:
    """Return the F1 of the two texts' tokens as multisets; both empty is 1, one empty is 0.

    >>> token_f1("营收增长", "营收下降"), token_f1("the the cat", "the cat")
    (0.5, 0.8)
    """
    return overlap(tokens(prediction, normalize), tokens(reference, normalize)).f1


def overlap(found: Sequence[Hashable], wanted: Sequence[Hashable]) -> Overlap:
    """Return precision, recall and F1 of two multisets, in the SQuAD script's order of operations.

    >>> overlap(["a", "b", "b"], ["b", "c"])
    Overlap(precision=0.3333333333333333, recall=0.5, f1=0.4)
    """
    if not found or not wanted:
        both = float(len(found) == len(wanted))
        return Overlap(both, both, both)
    shared = (Counter(found) & Counter(wanted)).total()
    if not shared:
        return Overlap(0.0, 0.0, 0.0)
    precision, recall = shared / len(found), shared / len(wanted)
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))
