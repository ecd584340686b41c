"""BLEU over the whole text (Papineni et al. 2002), equal to sacrebleu: counts per item, one figure of their sums."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np

from steelyard.records.blocks import Floats
from steelyard.registry import metric
from steelyard.scoring.bleu_tokens import BleuTokenizer, bleu_tokens

ORDERS = 4
_LOG_OF_ZERO = -9999999999
"""What sacrebleu takes for the logarithm of a precision of 0 without smoothing."""


def bleu_counts(
    prediction: str,
    references: Sequence[str],
    *,
    lowercase: bool = False,
    tokenize: BleuTokenizer = "13a",
    smooth: str = "exp",
) -> tuple[int, ...]:
    """Return one item's numbers: both lengths, then matches and totals of 1 to 4 tokens in a row."""
    del smooth
    predicted = bleu_tokens(prediction, tokenize, lowercase=lowercase)
    listed = [bleu_tokens(reference, tokenize, lowercase=lowercase) for reference in references]
    wanted: Counter[tuple[str, ...]] = Counter()
    for reference in listed:
        wanted |= _sequences(reference)
    matches, totals = [0] * ORDERS, [0] * ORDERS
    for sequence, count in _sequences(predicted).items():
        totals[len(sequence) - 1] += count
        matches[len(sequence) - 1] += min(count, wanted[sequence])
    return len(predicted), _closest(len(predicted), [len(entry) for entry in listed]), *matches, *totals


def _sequences(tokens: Sequence[str]) -> Counter[tuple[str, ...]]:
    return Counter(
        tuple(tokens[start : start + order])
        for order in range(1, ORDERS + 1)
        for start in range(len(tokens) - order + 1)
    )


def _closest(length: int, references: Sequence[int]) -> int:
    """Return the reference length nearest to a prediction's, the shorter of two that are equally near."""
    return min(references, key=lambda reference: (abs(length - reference), reference))


@metric("bleu", kind="corpus", values="percent", counts=bleu_counts)
def bleu(
    sums: Floats,
    *,
    lowercase: bool = False,
    tokenize: BleuTokenizer = "13a",
    smooth: Literal["exp", "none"] = "exp",
) -> Floats:
    """BLEU-4 over the whole text, from 0 to 100, equal to sacrebleu."""
    del lowercase, tokenize
    return np.array([_figure(row, smooth) for row in sums.tolist()])


def _figure(row: Sequence[float], smooth: str) -> float:
    length, reference_length = row[:2]
    matches, totals = row[2 : 2 + ORDERS], row[2 + ORDERS :]
    if not any(matches):
        return 0.0
    penalty = math.exp(1 - reference_length / length) if length < reference_length else 1.0
    logarithms, halving = [], 1.0
    for matched, total in zip(matches, totals, strict=True):
        if matched == 0 and total and smooth == "exp":
            halving *= 2
            logarithms.append(math.log(100.0 / (halving * total)))
        else:
            logarithms.append(math.log(100.0 * matched / total) if matched else _LOG_OF_ZERO)
    return penalty * math.exp(sum(logarithms) / ORDERS)
