"""The block form of `number@v1`: plainly spelled numbers judged as columns, equal to the item form row by row.

Differences and quotients are taken of whole numbers below 2**53, so that one division rounds them as the item form's
decimals round. A row whose numbers are too long for that, or so close to a limit that rounding could decide, is left to
the item form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from steelyard.kernels.plain_numbers import NONE, PERCENT, POWERS, UNIT_NAMES, NumberColumn
from steelyard.numbers.ladder import RUNGS
from steelyard.numbers.units import resolve
from steelyard.records.blocks import ErrorTags, Floats
from steelyard.registry import Scorer
from steelyard.scoring.blocks import BlockScores
from steelyard.scoring.number import ADVICE, Tolerance, unit_table

Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

_LARGEST = 2**53 // 100
"""Differences up to here are exact as doubles, also in percent."""
_MARGIN = 1e-12
"""A distance from a limit below this share of the numbers is left to exact arithmetic; doubles are off by 1e-15."""
_MISSES = ("", "rounding_error", "scale_error", "sign_error")
_WRONG_UNIT = "the units do not convert into each other"


def number_form(scorer: Scorer) -> NumberBlock | None:
    """Return the block form of `number@v1` with its parameters."""
    return partial(number_block, scorer) if number_block_fits(scorer) else None


def number_block_fits(scorer: Scorer) -> bool:
    """Return whether a scorer means by `%` and `$` what the table of units does."""
    aliases = unit_table(cast("tuple[str, ...]", scorer.parameters.get("unit_aliases") or ()))
    return all(resolve(name, aliases) == resolve(name) for name in UNIT_NAMES if name)


@dataclass(frozen=True, slots=True)
class NumberScores:
    """What `number@v1` says of many rows."""

    scores: BlockScores
    unsure: Flags
    """Rows that the item form has to judge; what stands in `scores` for them means nothing."""


NumberBlock: TypeAlias = Callable[[NumberColumn, NumberColumn], NumberScores]


def number_block(scorer: Scorer, found: NumberColumn, wanted: NumberColumn) -> NumberScores:
    """Judge columns of plain numbers under a scorer that `number_block_fits`."""
    absolute, relative = (scorer.parameters.get(name) for name in ("tolerance_abs", "tolerance_rel"))
    tolerance = Tolerance(cast("float | None", absolute), cast("float | None", relative))
    pairs = _Pairs(found, wanted)
    reading = pairs.best_reading(tolerance)
    passed = reading.fits & ~pairs.clashing
    rungs = pairs.rungs()
    miss = np.where(passed | pairs.clashing, 0, _miss(rungs))
    tags = _tags(passed, reading.missing_unit, miss, pairs.clashing)
    parts = _sub_scores(reading, pairs, rungs, passed)
    explain = _sentences(pairs, reading, tags, tolerance)
    primary = passed.astype(np.float64)
    scores = BlockScores(primary, primary >= scorer.pass_threshold, parts, tags, explain)
    return NumberScores(scores, pairs.unsure)


def written_texts(column: NumberColumn) -> list[str]:
    """Return numbers as explanations show them: `12.5 %`, `3.0`.

    >>> from steelyard.records.blocks import TextColumn
    >>> from steelyard.kernels.plain_numbers import numbers_block
    >>> written_texts(numbers_block(TextColumn.of(["1,250", "3.0", "12.50%"])))
    ['1250', '3.0', '12.5 %']
    """
    return _with_units(column, [repr(value) for value in column.values.tolist()])


def answer_texts(column: NumberColumn) -> list[str]:
    """Return numbers as a person reads an answer: as written, but whole numbers without decimals."""
    values = column.values.tolist()
    return _with_units(column, [str(int(value)) if value.is_integer() else repr(value) for value in values])


def _with_units(column: NumberColumn, texts: list[str]) -> list[str]:
    mantissas, units = column.mantissas.tolist(), column.units.tolist()
    for row in np.flatnonzero(column.decimals == 0).tolist():
        texts[row] = str(mantissas[row])
    for row in np.flatnonzero(column.units != NONE).tolist():
        texts[row] = f"{texts[row]} {UNIT_NAMES[units[row]]}"
    return texts


@dataclass(frozen=True, slots=True)
class _Reading:
    """Predictions as numbers in the expected unit, by their distances from the expected ones."""

    distance: Integers
    """In units of the last decimal of either number."""
    decimals: Integers
    target: Integers
    """The expected number's absolute value in the same units."""
    missing_unit: Flags
    fits: Flags

    @property
    def difference(self) -> Floats:
        return np.asarray(self.distance / POWERS[self.decimals], np.float64)

    def where(self, flags: Flags, other: _Reading) -> _Reading:
        """Return this reading where flags hold, and another elsewhere."""
        names = ("distance", "decimals", "target", "missing_unit", "fits")
        return _Reading(*(np.where(flags, getattr(self, name), getattr(other, name)) for name in names))


@dataclass(slots=True)
class _Pairs:
    """Numbers beside the expected ones, and the rows that columns cannot decide."""

    found: NumberColumn
    wanted: NumberColumn
    unsure: Flags = field(init=False)
    clashing: Flags = field(init=False)
    """Where the units do not convert: one side is money, the other a percentage."""

    def __post_init__(self) -> None:
        self.unsure = np.zeros(len(self.found), np.bool_)
        units = self.found.units, self.wanted.units
        self.clashing = (units[0] != units[1]) & (units[0] != NONE) & (units[1] != NONE)

    def best_reading(self, tolerance: Tolerance) -> _Reading:
        """Return the first reading that is within tolerance, else the nearest."""
        found, wanted = self.found.units, self.wanted.units
        shift = np.where((found == PERCENT) & (wanted == NONE), 2, 0) - np.where(
            (found == NONE) & (wanted == PERCENT), 2, 0
        )
        one_sided = (found == NONE) != (wanted == NONE)
        full = self._reading(shift, one_sided & (shift == 0), tolerance, np.ones(len(found), np.bool_))
        if not shift.any():
            return full
        other = self._reading(np.zeros_like(shift), one_sided, tolerance, shift != 0)
        nearer = full.difference <= other.difference
        return full.where((shift == 0) | full.fits | (~other.fits & nearer), other)

    def _reading(self, shift: Integers, missing_unit: Flags, tolerance: Tolerance, asked: Flags) -> _Reading:
        """Return predictions with their decimal point moved, beside the expected numbers."""
        decimals = np.maximum(self.found.decimals + shift, self.wanted.decimals)
        value, fits_value = _scaled(self.found.mantissas, decimals - self.found.decimals - shift)
        target, fits_target = _scaled(self.wanted.mantissas, decimals - self.wanted.decimals)
        distance = np.abs(value - target)
        self.unsure |= asked & ~(fits_value & fits_target & (distance < _LARGEST))
        reading = _Reading(distance, decimals, np.abs(target), missing_unit, np.zeros(len(shift), np.bool_))
        return _Reading(distance, decimals, np.abs(target), missing_unit, self._allowed(reading, tolerance, asked))

    def _allowed(self, reading: _Reading, tolerance: Tolerance, asked: Flags) -> Flags:
        """Return which distances are within tolerance: either limit suffices; with neither, 1e-9 of the target."""
        allowed = np.zeros(len(asked), np.bool_)
        limits = [] if tolerance.absolute is None else [np.full(len(asked), tolerance.absolute)]
        if tolerance.absolute is None or tolerance.relative is not None:
            share = 1e-9 if tolerance.relative is None else tolerance.relative
            limits.append(share * np.abs(self.wanted.values))
        for limit in limits:
            allowed |= self._at_most(reading.difference, limit, limit, asked)
        return allowed

    def _at_most(self, difference: Floats, limit: Floats, size: Floats, asked: Flags) -> Flags:
        """Return where a difference keeps a limit; where both are nearly equal is noted as unsure."""
        self.unsure |= asked & (np.abs(difference - limit) <= _MARGIN * size) & ((difference > 0) | (limit > 0))
        return np.asarray(difference <= limit)

    def rungs(self) -> dict[str, Flags]:
        """Return which matches of the numeric ladder hold; there a percentage is its fraction and nothing else."""
        sides = self.found, self.wanted
        places = [side.decimals + np.where(side.units == PERCENT, 2, 0) for side in sides]
        actual, expected = (side.mantissas / POWERS[place] for side, place in zip(sides, places, strict=True))
        absolute = self._absolute(places)
        everywhere = ~self.clashing

        def near(left: Floats, right: Floats, asked: Flags = everywhere) -> Flags:
            size = np.abs(left) + np.abs(right)
            return self._at_most(np.abs(left - right), 0.01 * np.abs(right), size, asked)

        def within(limit: float) -> Flags:
            return self._at_most(absolute, np.full(len(absolute), limit), np.full(len(absolute), limit), everywhere)

        soft = near(actual, expected)
        numerical = soft | within(0.001)
        units = self.found.units, self.wanted.units
        one_percent = ((units[0] == PERCENT) & (units[1] == NONE)) | ((units[0] == NONE) & (units[1] == PERCENT))
        columns = (
            within(1e-5),
            soft,
            numerical,
            numerical | (one_percent & near(self.found.values, self.wanted.values, one_percent)),
            numerical | near(actual * 100.0, expected) | near(actual / 100.0, expected),
            numerical | near(np.abs(actual), np.abs(expected)),
        )
        return {name: column & everywhere for name, column in zip(RUNGS, columns, strict=True)}

    def _absolute(self, places: list[Integers]) -> Floats:
        """Return the distances of bare numbers, exact where they are small."""
        decimals = np.maximum(places[0], places[1])
        value, fits_value = _scaled(self.found.mantissas, decimals - places[0])
        target, fits_target = _scaled(self.wanted.mantissas, decimals - places[1])
        self.unsure |= ~(fits_value & fits_target)
        return np.asarray(np.abs(value - target) / POWERS[decimals], np.float64)


def _scaled(mantissas: Integers, power: Integers) -> tuple[Integers, Flags]:
    """Return whole numbers times powers of ten, and which of the products are exact as doubles."""
    factor = POWERS[np.minimum(power, len(POWERS) - 1)]
    fits = np.abs(mantissas) * factor < 2.0**53
    return np.where(fits, mantissas, 0) * np.where(fits, factor, 1.0).astype(np.int64), fits


def _miss(rungs: dict[str, Flags]) -> Integers:
    """Return why an answer missed, as a place in `_MISSES`, by the first rung that matches."""
    found = np.where(rungs["sign_agnostic_match"], 3, 0)
    found = np.where(rungs["unit_agnostic_match"], 2, found)
    found = np.where(rungs["numerical_match"], 1, found)
    return np.where(rungs["exact_numeric_match"], 0, found)


def _tags(passed: Flags, missing_unit: Flags, miss: Integers, clashing: Flags) -> ErrorTags:
    sets: list[tuple[str, ...]] = []
    for missing in ((), ("missing_unit",)):
        sets.append(missing)
        sets += [(*missing, "out_of_tolerance", *([name] if name else [])) for name in _MISSES]
    sets.append(("wrong_unit",))
    codes = (len(_MISSES) + 1) * missing_unit + np.where(passed, 0, 1 + miss)
    return ErrorTags(sets, np.where(clashing, len(sets) - 1, codes).astype(np.int32))


def _sub_scores(reading: _Reading, pairs: _Pairs, rungs: dict[str, Flags], passed: Flags) -> dict[str, Floats]:
    target = np.where(reading.target > 0, reading.target, 1)
    share = np.where(reading.target > 0, reading.distance / target, np.where(reading.distance > 0, np.nan, 0.0))
    return {
        "mae": np.where(pairs.clashing, np.nan, reading.difference),
        "relative_error": np.where(pairs.clashing, np.nan, share),
        "within_tol": passed.astype(np.float64),
        **{name: column.astype(np.float64) for name, column in rungs.items()},
    }


def _sentences(pairs: _Pairs, reading: _Reading, tags: ErrorTags, tolerance: Tolerance) -> list[str]:
    """Return the item form's explanation of each row."""
    ends = [_ending(names, tolerance) for names in tags.sets]
    percents = 100 * reading.distance / np.where(reading.target > 0, reading.target, 1)
    rows = zip(
        written_texts(pairs.wanted),
        written_texts(pairs.found),
        reading.difference.tolist(),
        percents.tolist(),
        (reading.target > 0).tolist(),
        tags.codes.tolist(),
        strict=True,
    )
    found = []
    for wanted, given, difference, percent, has_percent, code in rows:
        equal, missed = ends[code]
        if not difference or missed is None:
            found.append(f"Expected {wanted}, found {given}: {equal}")
        elif has_percent:
            found.append(f"Expected {wanted}, found {given}: off by {difference:.6g} ({percent:.6g} %), {missed}")
        else:
            found.append(f"Expected {wanted}, found {given}: off by {difference:.6g}, {missed}")
    return found


def _ending(tags: tuple[str, ...], tolerance: Tolerance) -> tuple[str, str | None]:
    """Return how the sentence of a row with these tags ends where the numbers are equal, and where they are not."""
    if "wrong_unit" in tags:
        return f"{_WRONG_UNIT}.", None
    advice = "".join(f"; {ADVICE[tag]}" for tag in tags if tag in ADVICE)
    verdict = "more than" if "out_of_tolerance" in tags else "within"
    return f"equal{advice}.", f"{verdict} the tolerance of {tolerance}{advice}."
