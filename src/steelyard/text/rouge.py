"""ROUGE as the package rouge-score computes it, to the last bit, and above zero for Chinese, Japanese and Korean.

Tokens are rouge-score's: runs of `[a-z0-9]` after lower-casing, everything else separates. Only texts with a Han, kana
or hangul character are read differently: they are brought to NFKC first, and each such character is one more token.
Both texts of a pair are read by one rule; `together=False` is version 1, where each was read by its own characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from steelyard.text.porter import stem
from steelyard.text.tokens import CJK, has_cjk, nfkc

# Longest common subsequences by bit-parallel dynamic programming.
#
# H. Hyyrö, "Bit-parallel LCS-length computation revisited" (2004): one big integer per column, one addition per
# symbol. Bit i of a column is 0 where the table's value grows from row i to row i + 1. Python's integers are wide
# enough for any text, so no library is loaded for it.


def lcs_length(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence.

    >>> lcs_length("the cat sat".split(), "the dog sat".split())
    2
    """
    column = 0
    for column in _columns(first, second):  # noqa: B007 - only the last column is wanted
        pass
    return len(first) - column.bit_count() if second else 0


def lcs_positions(reference: Sequence[Hashable], candidate: Sequence[Hashable]) -> list[int]:
    """Return the positions in `reference` of the longest common subsequence that rouge-score reads out of its table.

    Several subsequences can be longest. Read from the end, this one goes back in the candidate only where that alone
    keeps the length.
    """
    columns = list(_columns(reference, candidate))
    row, column, positions = len(reference), len(candidate), []
    while row and column:
        if reference[row - 1] == candidate[column - 1]:
            positions.append(row - 1)
            row, column = row - 1, column - 1
        elif columns[column - 1] >> (row - 1) & 1:
            row -= 1
        else:
            column -= 1
    return positions[::-1]


def _columns(first: Sequence[Hashable], second: Sequence[Hashable]) -> Iterator[int]:
    """Yield the column of the table for each longer beginning of `second`."""
    everywhere = (1 << len(first)) - 1
    places: dict[Hashable, int] = {}
    for position, symbol in enumerate(first):
        places[symbol] = places.get(symbol, 0) | 1 << position
    column = everywhere
    for symbol in second:
        matched = column & places.get(symbol, 0)
        column = (column + matched | column - matched) & everywhere
        yield column


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
