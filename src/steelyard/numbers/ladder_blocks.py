"""The numeric ladder over many pairs at once, equal to `climb` for each pair.

Plain numbers and percentages of up to fifteen digits are read and compared as columns of doubles. Whatever else there
is (currencies, magnitudes, words, units), and whatever stands so close to a limit that rounding could decide, goes
through the item form, which compares decimals exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.numbers.ladder import RUNGS, Operand, climb
from steelyard.records.blocks import Floats

Mask: TypeAlias = npt.NDArray[np.bool_]

_PLAIN = r"^[+-]?[0-9]{1,15}(\.[0-9]{1,15})?%?$"
_ROUNDING = 1e-12
"""A distance from a limit below this share of the numbers is left to exact arithmetic; doubles are off by 1e-15."""


def climb_block(actual: Sequence[Operand], expected: Sequence[Operand]) -> dict[str, Mask]:
    """Return a column per rung: whether it holds between `actual[i]` and `expected[i]`.

    >>> {name: column.tolist() for name, column in climb_block(["0.10", "5"], ["10%", "-5"]).items()}["numerical_match"]
    [True, False]
    """
    if len(actual) != len(expected):
        raise ValueError(f"{len(actual)} actual answers and {len(expected)} expected ones do not pair")
    found, wanted = _Column.of(actual), _Column.of(expected)
    rungs, sure = _compare(found, wanted)
    for row in np.flatnonzero(~(sure & found.plain & wanted.plain)).tolist():
        ladder = climb(actual[row], expected[row])
        for name, column in rungs.items():
            column[row] = getattr(ladder, name)
    return rungs


@dataclass(frozen=True, slots=True)
class _Column:
    """Numbers as written; `plain` says which rows could be read here."""

    written: Floats
    percent: Mask
    plain: Mask

    @property
    def values(self) -> Floats:
        return np.where(self.percent, self.written / 100.0, self.written)

    @classmethod
    def of(cls, operands: Sequence[Operand]) -> _Column:
        length = len(operands)
        texts = [operand if isinstance(operand, str) else None for operand in operands]
        written, percent, plain = _read(texts)
        for row in np.flatnonzero(~plain).tolist():
            operand = operands[row]
            if isinstance(operand, int | float) and not isinstance(operand, bool) and abs(operand) < 1e15:
                written[row], plain[row] = operand, True
        return cls(written, percent, plain) if length else cls(np.empty(0), percent, plain)


def _read(texts: Sequence[str | None]) -> tuple[Floats, Mask, Mask]:
    import pyarrow as pa  # noqa: PLC0415 - heavy, and only blocks need it
    import pyarrow.compute as pc  # noqa: PLC0415

    try:
        column = pa.array(texts, pa.string())
    except UnicodeEncodeError:
        # A lone surrogate is in no number.
        column = pa.array([None if text is None or not text.isascii() else text for text in texts], pa.string())
    column = pc.ascii_trim(column, " ")
    plain = pc.fill_null(pc.match_substring_regex(column, _PLAIN), False)  # noqa: FBT003  an array's null value
    percent = pc.and_(plain, pc.fill_null(pc.ends_with(column, "%"), False))  # noqa: FBT003
    digits = pc.ascii_rtrim(pc.ascii_ltrim(pc.if_else(plain, column, "0"), "+"), "%")
    return digits.cast(pa.float64()).to_numpy(zero_copy_only=False).copy(), _mask(percent), _mask(plain)


def _mask(column: object) -> Mask:
    return np.array(column.to_numpy(zero_copy_only=False), np.bool_)  # type: ignore[attr-defined]


def _compare(found: _Column, wanted: _Column) -> tuple[dict[str, Mask], Mask]:
    """Return the rungs by comparing doubles, and which rows are far enough from every limit to be sure."""
    actual, expected = found.values, wanted.values
    sure = np.ones(len(actual), np.bool_)

    def below(difference: Floats, limit: Floats, size: Floats) -> Mask:
        nonlocal sure
        sure &= np.abs(difference - limit) > _ROUNDING * size
        return difference <= limit

    def near(left: Floats, right: Floats) -> Mask:
        return below(np.abs(left - right), 0.01 * np.abs(right), np.abs(left) + np.abs(right))

    def within(limit: float) -> Mask:
        return below(np.abs(actual - expected), np.full(len(actual), limit), np.abs(actual) + np.abs(expected))

    soft = near(actual, expected)
    numerical = soft | within(0.001)
    written = near(found.written, wanted.written) & (found.percent != wanted.percent)
    columns = (
        within(1e-5),
        soft,
        numerical,
        numerical | written,
        numerical | near(actual * 100.0, expected) | near(actual / 100.0, expected),
        numerical | near(np.abs(actual), np.abs(expected)),
    )
    return dict(zip(RUNGS, columns, strict=True)), sure
