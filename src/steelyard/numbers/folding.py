"""One spelling of characters before a number is read: NFKC and U+2212, in time linear in any text.

Whole-text NFKC sorts runs of combining marks by insertion and takes minutes on a hostile megabyte, so characters are
folded one by one. Raised and lowered digits become `^2` and `_2`: NFKC alone would make 102 of 10².
"""

from __future__ import annotations

import unicodedata
from itertools import accumulate

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_LOWERED = "₀₁₂₃₄₅₆₇₈₉"


class _Folding(dict[int, str]):
    """What each code point folds to, filled as characters are met."""

    def __missing__(self, point: int) -> str:
        folded = unicodedata.normalize("NFKC", chr(point)).replace("\u2212", "-")
        self[point] = folded
        return folded


_FOLDING = _Folding(
    {ord(character): f"^{digit}" for digit, character in enumerate(_RAISED)}
    | {ord(character): f"_{digit}" for digit, character in enumerate(_LOWERED)}
)


def fold(text: str) -> str:
    """Return a text with compatibility characters spelled plainly.

    >>> fold("－１２．５％"), fold("10²")
    ('-12.5%', '10^2')
    """
    return text if text.isascii() else text.translate(_FOLDING)


def fold_with_places(text: str) -> tuple[str, list[int] | None]:
    """Return the folded text and, where lengths differ, the place in `text` of each of its characters and its end."""
    folded = fold(text)
    if text.isascii():
        return folded, None
    lengths = [len(_FOLDING[ord(character)]) for character in text]
    if max(lengths) == min(lengths) == 1:
        return folded, None
    ends = accumulate(lengths)
    places: list[int] = []
    for index, end in enumerate(ends):
        places.extend([index] * (end - len(places)))
    return folded, [*places, len(text)]
