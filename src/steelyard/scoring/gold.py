"""Gold set accuracy (seed 001): exact match on a small curated set with unambiguous expected outputs."""

from __future__ import annotations

from steelyard.records.answers import Profile
from steelyard.registry import metric
from steelyard.text import tokens as overlap

FEWEST, MOST = 50, 200
"""Seed 001's size of a gold set; another size gets a warning."""


@metric("gold_set_accuracy", kind="gold", values="rate")
def gold_set_accuracy(prediction: str, reference: str, *, normalize: Profile = "basic") -> float:
    """1 if a gold item's output equals its reference after normalisation, else 0."""
    return overlap.exact_match(prediction, reference, normalize=normalize)


def size_warning(n: int) -> str | None:
    """Return what is wrong with a gold set of this size.

    >>> size_warning(12)
    'the gold set has 12 items, expected 50 to 200'
    """
    return None if FEWEST <= n <= MOST else f"the gold set has {n} items, expected {FEWEST} to {MOST}"
