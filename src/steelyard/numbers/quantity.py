"""What a written number is, or why it is none."""

from __future__ import annotations

from dataclasses import dataclass
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
