"""chrF over the whole text (Popović 2015), equal to sacrebleu: counts per item, one figure of their sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from steelyard.records.blocks import Floats
from steelyard.registry import metric

CHARACTERS = 6
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def chrf_counts(
    prediction: str, references: Sequence[str], *, lowercase: bool = False, word_order: int = 0, beta: int = 2
) -> tuple[int, ...]:
    """Return one item's numbers against its best reference: predicted, wanted and shared sequences of each order."""
    predicted = _orders(prediction, word_order, lowercase=lowercase)
    found = [_shared(predicted, _orders(reference, word_order, lowercase=lowercase)) for reference in references]
    return max(found, key=lambda counts: _figure(counts, beta))


def _orders(text: str, word_order: int, *, lowercase: bool) -> list[Counter[str]]:
    text = text.lower() if lowercase else text
    letters, words = "".join(text.split()), _words(text) if word_order else []
    by_letters = [
        Counter(letters[start : start + order] for start in range(len(letters) - order + 1))
        for order in range(1, CHARACTERS + 1)
    ]
    by_words = [
        Counter(" ".join(words[start : start + order]) for start in range(len(words) - order + 1))
        for order in range(1, word_order + 1)
    ]
    return by_letters + by_words


def _words(text: str) -> list[str]:
    """Return words with one punctuation mark set apart, at the end before the start, as chrF++ does."""
    found: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            found += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            found += [word[0], word[1:]]
        else:
            found.append(word)
    return found


def _shared(predicted: list[Counter[str]], wanted: list[Counter[str]]) -> tuple[int, ...]:
    counts: list[int] = []
    for mine, theirs in zip(predicted, wanted, strict=True):
        # An order that the reference is too short for does not count against the prediction.
        counts += [mine.total() if theirs else 0, theirs.total(), (mine & theirs).total()]
    return tuple(counts)


@metric("chrf", kind="corpus", values="percent", counts=chrf_counts)
def chrf(sums: Floats, *, lowercase: bool = False, word_order: int = 0, beta: int = 2) -> Floats:
    """F of shared character sequences over the whole text, 0 to 100, equal to sacrebleu; word_order 2 is chrF++."""
    del lowercase, word_order
    return np.array([_figure(row, beta) for row in sums.tolist()])


def _figure(counts: Sequence[float], beta: int) -> float:
    precision, recall, orders = 0.0, 0.0, 0
    for place in range(0, len(counts), 3):
        predicted, wanted, shared = counts[place : place + 3]
        if predicted > 0 and wanted > 0:
            precision += shared / predicted
            recall += shared / wanted
            orders += 1
    if orders == 0 or precision + recall == 0:
        return 0.0
    precision, recall, weight = precision / orders, recall / orders, beta**2
    return 100 * ((1 + weight) * precision * recall / (weight * precision + recall))
