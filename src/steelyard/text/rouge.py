"""ROUGE as the package rouge-score computes it, to the last bit, and above zero for Chinese, Japanese and Korean.

Tokens are rouge-score's: runs of `[a-z0-9]` after lower-casing, everything else separates. Only texts with a Han, kana
or hangul character are read differently: they are brought to NFKC first, and each such character is one more token.
Both texts of a pair are read by one rule; `together=False` is version 1, where each was read by its own characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from steelyard.text.cjk import CJK, has_cjk
from steelyard.text.lcs import lcs_length, lcs_positions
from steelyard.text.normalise import nfkc
from steelyard.text.porter import stem

RougeName: TypeAlias = Literal["rouge1", "rouge2", "rougeL", "rougeLsum"]
"""The measures that have a name."""

_TOKEN = re.compile("[a-z0-9]+")
_TOKEN_OR_CJK = re.compile(f"[a-z0-9]+|[{CJK}]")


class Rouge(NamedTuple):
    """One ROUGE measure of a prediction against a reference."""

    precision: float
    recall: float
    fmeasure: float


NOTHING = Rouge(0.0, 0.0, 0.0)
"""What rouge-score gives where a text has no token."""


def rouge(name: RougeName, prediction: str, reference: str, *, stemmer: bool = False, together: bool = True) -> Rouge:
    """Return one measure of a prediction against a reference.

    >>> rouge("rougeL", "the cat sat on the mat", "the cat lay on a mat").fmeasure
    0.6666666666666666
    """
    by_character = reads_by_character(prediction, reference) if together else None
    if name == "rougeLsum":
        return summary_lcs(
            *(_sentences(text, stemmer=stemmer, by_character=by_character) for text in (prediction, reference))
        )
    found, wanted = (rouge_tokens(text, stemmer=stemmer, by_character=by_character) for text in (prediction, reference))
    return of_tokens(name, found, wanted)


def reads_by_character(prediction: str, reference: str) -> bool:
    """Return whether a pair is read with Han, kana and hangul characters as tokens: where one side has any.

    >>> reads_by_character("Ｑ３ revenue", "Q3 营收"), reads_by_character("naïve", "naive")
    (True, False)
    """
    return has_cjk(prediction) or has_cjk(reference)


def pair_tokens(prediction: str, reference: str) -> tuple[list[str], list[str]]:
    """Return the tokens of both texts of a pair, read by one rule.

    >>> pair_tokens("Ｑ３ revenue", "Q3 营收")
    (['q3', 'revenue'], ['q3', '营', '收'])
    """
    by_character = reads_by_character(prediction, reference)
    return rouge_tokens(prediction, by_character=by_character), rouge_tokens(reference, by_character=by_character)


def of_tokens(name: Literal["rouge1", "rouge2", "rougeL"], predicted: Sequence[str], expected: Sequence[str]) -> Rouge:
    """Return one measure of token lists."""
    if name == "rougeL":
        return sequence_lcs(predicted, expected)
    return ngrams(predicted, expected, 1 if name == "rouge1" else 2)


def rouge_tokens(text: str, *, stemmer: bool = False, by_character: bool | None = None) -> list[str]:
    """Return the tokens that ROUGE counts; `stemmer` stems those of more than three letters.

    `by_character` says whether Han, kana and hangul characters are tokens; None leaves it to the text itself.

    >>> rouge_tokens("Q3 revenue (营收) naïvely rising", stemmer=True)
    ['q3', 'revenu', '营', '收', 'na', 'veli', 'rise']
    """
    by_character = has_cjk(text) if by_character is None else by_character
    found = _TOKEN_OR_CJK.findall(nfkc(text).lower()) if by_character else _TOKEN.findall(text.lower())
    return [stem(token) if len(token) > 3 else token for token in found] if stemmer else found


def _sentences(text: str, *, stemmer: bool, by_character: bool | None) -> list[list[str]]:
    """Return the tokens of each line; rougeLsum takes a line as a sentence."""
    return [rouge_tokens(line, stemmer=stemmer, by_character=by_character) for line in text.split("\n") if line]


def ngrams(predicted: Sequence[str], expected: Sequence[str], n: int) -> Rouge:
    """Return ROUGE-N: how many n-grams are shared, each counted as often as both have it."""
    found, wanted = _ngram_counts(predicted, n), _ngram_counts(expected, n)
    shared = sum(min(count, found[ngram]) for ngram, count in wanted.items())
    return _rates(shared, max(found.total(), 1), max(wanted.total(), 1))


def sequence_lcs(predicted: Sequence[str], expected: Sequence[str]) -> Rouge:
    """Return ROUGE-L: the longest common subsequence of tokens."""
    if not predicted or not expected:
        return NOTHING
    return _rates(lcs_length(expected, predicted), len(predicted), len(expected))


def summary_lcs(predicted: Sequence[Sequence[str]], expected: Sequence[Sequence[str]]) -> Rouge:
    """Return ROUGE-Lsum: for each reference sentence the union of its subsequences with every predicted sentence.

    No token is counted more often than both texts have it, as in ROUGE 1.5.5.
    """
    found = Counter(token for sentence in predicted for token in sentence)
    wanted = Counter(token for sentence in expected for token in sentence)
    if not found or not wanted:
        return NOTHING
    hits = Counter(token for sentence in expected for token in _union(sentence, predicted))
    return _rates(_shared(hits, found, wanted), found.total(), wanted.total())


def _union(sentence: Sequence[str], predicted: Sequence[Sequence[str]]) -> list[str]:
    words = set(sentence)
    others = [other for other in predicted if not words.isdisjoint(other)]
    positions = {position for other in others for position in lcs_positions(sentence, other)}
    return [sentence[position] for position in positions]


def _shared(hits: Mapping[str, int], found: Mapping[str, int], wanted: Mapping[str, int]) -> int:
    return sum(min(count, found[token], wanted[token]) for token, count in hits.items())


def _ngram_counts(tokens: Sequence[str], n: int) -> Counter[Hashable]:
    return Counter(tokens) if n == 1 else Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


def _rates(shared: int, found: int, wanted: int) -> Rouge:
    """Return precision, recall and F in rouge-score's order of operations, so that no bit differs."""
    precision, recall = shared / found, shared / wanted
    if not shared:
        return NOTHING
    return Rouge(precision, recall, 2 * precision * recall / (precision + recall))
