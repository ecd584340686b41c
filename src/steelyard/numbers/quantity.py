"""What a written number is, or why it is none.

Beside it: characters folded to plain ones.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, TypeAlias

Reason: TypeAlias = Literal[
    "empty",
    "no_number",
    "text_around",
    "bad_grouping",
    "malformed",
    "two_signs",
    "two_units",
    "unbalanced",
    "bad_sign",
    "not_finite",
    "overflow",
]
"""Why a text is not a number.

`empty`: only white space. `no_number`: no digits and no boolean. `text_around`: more than a number.
`bad_grouping`: commas that do not stand in groups of three. `malformed`: several decimal points, or in running text a
date, range, fraction or power. `two_signs`: a sign and parentheses, or two signs. `two_units`: a currency and another
unit. `unbalanced`: one parenthesis. `bad_sign`: a dash or ± where a sign stands. `not_finite`: NaN or infinity.
`overflow`: no float is as large.
"""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit, as written: `12.5%` is 12.5 with unit `%`; `3 million USD` is 3000000 with unit `USD`."""

    value: int | float | bool
    """An int where it was written as a whole number, exact at any size; a boolean for yes and no."""
    unit: str | None = None
    """The name of the unit in the table, or its word where the table does not know it."""
    decimals: int = 0
    """How many digits stand after the decimal point."""

    @property
    def is_boolean(self) -> bool:
        """Whether it is a yes or no, which compares with another yes or no and with nothing else."""
        return isinstance(self.value, bool)


@dataclass(frozen=True, slots=True)
class NotANumber:
    """A text that is not a number, with the reason."""

    reason: Reason


# One spelling of characters before a number is read: NFKC and U+2212, in time linear in any text.
#
# Whole-text NFKC sorts runs of combining marks by insertion and takes minutes on a hostile megabyte, so characters
# are folded one by one. Raised and lowered digits become `^2` and `_2`: NFKC alone would make 102 of 10².


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
