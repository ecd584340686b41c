"""Longest common subsequences by bit-parallel dynamic programming.

H. Hyyrö, "Bit-parallel LCS-length computation revisited" (2004): one big integer per column, one addition per symbol.
Bit i of a column is 0 where the table's value grows from row i to row i + 1. Python's integers are wide enough for any
text, so no library is loaded for it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence


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
