"""BLEU over the whole text (Papineni et al. 2002), equal to sacrebleu: counts per item, one figure of their sums."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
import regex

from steelyard.records.blocks import Floats
from steelyard.registry import metric

# The tokens of BLEU, equal to sacrebleu's: `13a`, `intl`, `zh`, `char` and `none`.


BleuTokenizer: TypeAlias = Literal["13a", "intl", "zh", "char", "none"]

_WESTERN = (
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_INTERNATIONAL = (
    (regex.compile(r"(\P{N})(\p{P})"), r"\1 \2 "),
    (regex.compile(r"(\p{P})(\P{N})"), r" \1 \2"),
    (regex.compile(r"(\p{S})"), r" \1 "),
)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))

# sacrebleu means to name the ideographs beyond U+20000 and writes "\u20000", which is U+2000 and a zero. The two ranges
# that follow from that, U+2001 to U+2A6D and U+2F81 to U+2FA1, are kept: a score must equal the published ones.
_CHINESE = re.compile(
    "[\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\u2001-\u2a6d\u2f81-\u2fa1\uff00-\uffef"
    "\u2e80-\u2eff\u3000-\u303f\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f"
    "\ufe30-\ufe4f\u2600-\u26ff\u2700-\u27bf\u3200-\u32ff\u3300-\u33ff]"
)


def bleu_tokens(text: str, tokenize: BleuTokenizer, *, lowercase: bool) -> list[str]:
    """Return the tokens of a text.

    >>> bleu_tokens("It cost $1,000.50, he said.", "13a", lowercase=True)
    ['it', 'cost', '$', '1,000.50', ',', 'he', 'said', '.']
    """
    line = (text.lower() if lowercase else text).rstrip()
    return _spaced(line, tokenize).split()


def _spaced(line: str, tokenize: BleuTokenizer) -> str:
    match tokenize:
        case "13a":
            return _western(f" {_unescaped(line)} ")
        case "zh":
            return _western(_CHINESE.sub(r" \g<0> ", line.strip()))
        case "intl":
            for pattern, replacement in _INTERNATIONAL:
                line = pattern.sub(replacement, line)
            return line
        case "char":
            return " ".join(line)
        case "none":
            return line


def _unescaped(line: str) -> str:
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in _ENTITIES:
        line = line.replace(entity, character)
    return line


def _western(line: str) -> str:
    for pattern, replacement in _WESTERN:
        line = pattern.sub(replacement, line)
    return line


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
