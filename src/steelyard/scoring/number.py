"""`number@v1`: a number within tolerance of the expected one, in the expected unit.

Tolerances and unit aliases come from the reference and the scoring profile, never from the prediction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from steelyard.errors import ConfigurationError, Problem, excerpt
from steelyard.numbers.ladder import RUNGS, Ladder, classify_miss, climb
from steelyard.numbers.literals import exact, finite, gap, nearest_float, product, share, times
from steelyard.numbers.quantity import Quantity
from steelyard.numbers.units import convert_exact, resolve
from steelyard.records.answers import Number, Profile
from steelyard.records.scores import Direction, Score, ValueKind
from steelyard.registry import scorer

_SUB_SCORES: dict[str, Direction] = {
    "mae": "lower",
    "relative_error": "lower",
    "within_tol": "higher",
    **dict.fromkeys(RUNGS, "higher"),
}
_SUB_VALUES: dict[str, ValueKind] = {
    "mae": "amount",
    "relative_error": "amount",
    "within_tol": "rate",
    **dict.fromkeys(RUNGS, "rate"),
}
_EXACT = Decimal("1e-9")
_HUNDRED = Decimal(100)
ADVICE = {
    "rounding_error": "only the rounding differs",
    "scale_error": "the scale is off by 100",
    "sign_error": "the sign is wrong",
    "missing_unit": "one side has no unit",
}


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a number may be off: either limit suffices; with neither, 1e-9 of the expected number."""

    absolute: float | None
    relative: float | None

    def allows(self, difference: Decimal, expected: Decimal) -> bool:
        """Return whether an expected number may be missed by so much."""
        if self.absolute is not None and difference <= exact(self.absolute):
            return True
        if self.absolute is not None and self.relative is None:
            return False
        relative = _EXACT if self.relative is None else exact(self.relative)
        return difference <= product(relative, expected.copy_abs())

    def __str__(self) -> str:
        limits = [] if self.absolute is None else [f"{self.absolute:g}"]
        limits += [] if self.relative is None else [f"{self.relative * 100:g} %"]
        return " or ".join(limits) or "1e-9 of it"


@dataclass(frozen=True, slots=True)
class _Reading:
    """The prediction as a number in the expected unit."""

    value: Decimal
    missing_unit: bool = False


@scorer(
    "number",
    version=1,
    values="rate",
    sub_scores=_SUB_SCORES,
    sub_values=_SUB_VALUES,
    block="steelyard.scoring.number_blocks:number_form",
)
def number(
    predicted: Number,
    expected: Number,
    *,
    tolerance_abs: float | None = None,
    tolerance_rel: float | None = None,
    unit_aliases: tuple[str, ...] | None = None,
    normalize: Profile = "basic",
) -> Score:
    """1 when the number is within tolerance of the expected one after unit conversion, else 0.

    The reference's own tolerances, where it has any, stand instead of the parameters. `unit_aliases` are further
    spellings of units as `alias=unit`; `normalize` is how units that the table does not know are compared.
    """
    aliases = unit_table(unit_aliases or ())
    if not (finite(predicted.value) and finite(expected.value)):
        return _refused(predicted, expected, "not_a_number", "that is not a finite number")
    if isinstance(predicted.value, bool) or isinstance(expected.value, bool):
        return _judge_booleans(predicted, expected)
    readings = _readings(predicted, expected, aliases, normalize)
    if not readings:
        return _refused(predicted, expected, "wrong_unit", "the units do not convert into each other")
    own = expected.tolerance_abs is not None or expected.tolerance_rel is not None
    tolerance = (
        Tolerance(expected.tolerance_abs, expected.tolerance_rel) if own else Tolerance(tolerance_abs, tolerance_rel)
    )
    ladder = climb(_quantity(predicted), _quantity(expected), aliases)
    return _judge(predicted, expected, readings, tolerance, ladder)


@lru_cache(maxsize=64)
def unit_table(entries: tuple[str, ...]) -> Mapping[str, str]:
    """Return what each alias of `alias=unit` entries means."""
    pairs = [entry.partition("=") for entry in entries]
    if any(not alias.strip() or not unit.strip() for alias, _, unit in pairs):
        message = f"number@v1: unit_aliases are written alias=unit, found {excerpt(', '.join(entries))}"
        raise ConfigurationError(Problem(code="bad-configuration", message=message, hint="write `pct=%`"))
    return {alias.strip(): unit.strip() for alias, _, unit in pairs}


def _quantity(answer: Number) -> Quantity:
    return Quantity(answer.value, answer.unit or None)


def _readings(predicted: Number, expected: Number, aliases: Mapping[str, str], profile: Profile) -> list[_Reading]:
    """Return the ways to read the prediction in the expected unit, best first; none where the units do not convert.

    A bare number beside a percentage or a magnitude is read as its full value, and else as written.
    """
    value = exact(predicted.value)
    found, wanted = (
        resolve(answer.unit, aliases, profile) if answer.unit else None for answer in (predicted, expected)
    )
    if found == wanted:
        return [_Reading(value)]
    if found is not None and wanted is not None:
        converted = convert_exact(value, found, wanted)
        return [] if converted is None else [_Reading(converted)]
    unit = found or wanted
    assert unit is not None
    as_written = _Reading(value, missing_unit=unit.name != "fraction")
    if unit.scale == 1:
        return [as_written]
    full = times(value, unit.scale if found else 1 / unit.scale)
    return [_Reading(full, missing_unit=not unit.dimensionless), as_written]


def _judge(
    predicted: Number, expected: Number, readings: list[_Reading], tolerance: Tolerance, ladder: Ladder
) -> Score:
    target = exact(expected.value)
    judged = [(reading, gap(reading.value, target)) for reading in readings]
    fitting = [pair for pair in judged if tolerance.allows(pair[1], target)]
    reading, difference = fitting[0] if fitting else min(judged, key=lambda pair: pair[1])
    tags = _tags(ladder, passed=bool(fitting), missing_unit=reading.missing_unit)
    return Score(
        primary=float(bool(fitting)),
        explain=_explain(predicted, expected, difference, tolerance, tags),
        sub_scores=_sub_scores(difference, target, ladder, passed=bool(fitting)),
        error_tags=tags,
    )


def _tags(ladder: Ladder, *, passed: bool, missing_unit: bool) -> tuple[str, ...]:
    tags = ["missing_unit"] if missing_unit else []
    if not passed:
        miss = classify_miss(ladder)
        tags += ["out_of_tolerance", *([miss] if miss and miss != "wrong_value" else [])]
    return tuple(tags)


def _sub_scores(
    difference: Decimal | None, target: Decimal | None, ladder: Ladder, *, passed: bool
) -> dict[str, float | None]:
    mae = relative = None
    if difference is not None and target is not None:
        mae = nearest_float(difference)
        relative = nearest_float(share(difference, target)) if target else None if difference else 0.0
    rungs = {rung: float(getattr(ladder, rung)) for rung in RUNGS}
    return {"mae": mae, "relative_error": relative, "within_tol": float(passed), **rungs}


def _judge_booleans(predicted: Number, expected: Number) -> Score:
    if not isinstance(predicted.value, bool):
        return _refused(predicted, expected, "type_mismatch", "a number is not a yes or no")
    if not isinstance(expected.value, bool):
        return _refused(predicted, expected, "not_a_number", "a yes or no is not a number")
    ladder = climb(predicted.value, expected.value)
    passed = ladder.general_match
    return Score(
        primary=float(passed),
        explain=f"{_pair(predicted, expected)}: {'equal' if passed else 'the opposite'}.",
        sub_scores=_sub_scores(None, None, ladder, passed=passed),
        error_tags=() if passed else ("out_of_tolerance",),
    )


def _refused(predicted: Number, expected: Number, tag: str, reason: str) -> Score:
    return Score(
        primary=0.0,
        explain=f"{_pair(predicted, expected)}: {reason}.",
        sub_scores=_sub_scores(None, None, Ladder(), passed=False),
        error_tags=(tag,),
    )


def _explain(
    predicted: Number, expected: Number, difference: Decimal, tolerance: Tolerance, tags: tuple[str, ...]
) -> str:
    advice = "".join(f"; {ADVICE[tag]}" for tag in tags if tag in ADVICE)
    if not difference:
        return f"{_pair(predicted, expected)}: equal{advice}."
    target = exact(expected.value)
    percent = f" ({_short(product(share(difference, target), _HUNDRED))} %)" if target else ""
    verdict = "more than" if "out_of_tolerance" in tags else "within"
    missed = f"off by {_short(difference)}{percent}, {verdict} the tolerance of {tolerance}"
    return f"{_pair(predicted, expected)}: {missed}{advice}."


def _short(value: Decimal) -> str:
    nearest = nearest_float(value)
    return "over 1e308" if nearest is None else f"{nearest:.6g}"


def _pair(predicted: Number, expected: Number) -> str:
    return f"Expected {_show(expected)}, found {_show(predicted)}"


def _show(answer: Number) -> str:
    if isinstance(answer.value, bool):
        return "yes" if answer.value else "no"
    value = str(answer.value) if finite(answer.value) else "a number that is not finite"
    return f"{excerpt(value)} {excerpt(answer.unit)}" if answer.unit else excerpt(value)
