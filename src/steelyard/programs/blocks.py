"""Operations and logic recall of many turns at once, equal to the item forms.

Which operations a program has, and whether it can be read, hardly depends on its digits. So every number is made one
zero, in all texts together, and each of the few shapes that are left is read once. Where digits may matter (a number
that may overflow, a comma that may be a thousands separator, two points in a number) a text is its own shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from steelyard.programs.nodes import OPERATIONS
from steelyard.programs.operations import is_missing, readable
from steelyard.records.blocks import Floats

_Bytes: TypeAlias = npt.NDArray[np.uint8]
_Mask: TypeAlias = npt.NDArray[np.bool_]
_Codes: TypeAlias = npt.NDArray[np.int64]

_ONE_DIGIT = bytes.maketrans(b"123456789", b"000000000")
_ZERO, _NEWLINE, _SPACE, _TAB, _RETURN, _CLOSING, _OPENING = b"0\n \t\r)("
_DIGITS_MATTER = (b"0e", b"0E", b".e", b".E", b".0.", b"#0.")
_LONGEST_SHAPED = 300
"""A number must have more characters than this to overflow without an exponent."""

_Reading: TypeAlias = tuple[str, ...] | Literal["missing", "unreadable"]


def logic_recall_block(plan_programs: Sequence[str | None], gt_programs: Sequence[str | None]) -> Floats:
    """Return `logic_recall` of each pair of texts; NaN where it is None.

    >>> logic_recall_block(["subtract(1, 2)", "7"], ["subtract(1, 2), divide(#0, 2)", ""])
    array([0.5, nan])
    """
    if len(plan_programs) != len(gt_programs):
        raise ValueError(f"{len(plan_programs)} plans and {len(gt_programs)} programs do not pair")
    if not len(plan_programs):
        return np.empty(0)
    known = _Readings()
    plans, programs = (
        np.fromiter(map(known.__getitem__, _shapes(texts)), np.int64, len(texts))
        for texts in (plan_programs, gt_programs)
    )
    return _recalls(plans, programs, list(known.distinct))


def operations_block(programs: Sequence[str | None]) -> list[tuple[str, ...] | None]:
    """Return the operations of each program in order; None where there is no program or it cannot be read.

    >>> operations_block(["subtract(9, 4), divide(#0, 4)", "206588", None])
    [('subtract', 'divide'), (), None]
    """
    if not len(programs):
        return []
    known: dict[bytes, tuple[str, ...] | None] = {}
    found = []
    for shape in _shapes(programs):
        if shape not in known:
            known[shape] = _ordered(shape)
        found.append(known[shape])
    return found


@lru_cache(maxsize=4096)
def _ordered(shape: bytes) -> tuple[str, ...] | None:
    text = shape.decode("utf-8", "surrogatepass")
    return None if is_missing(text) else readable(text)


class _Readings(dict[bytes, int]):
    """The number of each shape's reading; a shape that is not known is read when it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.distinct: dict[_Reading, int] = {}

    def __missing__(self, shape: bytes) -> int:
        self[shape] = number = self.distinct.setdefault(_reading(shape), len(self.distinct))
        return number


@lru_cache(maxsize=4096)
def _reading(shape: bytes) -> _Reading:
    text = shape.decode("utf-8", "surrogatepass")
    if is_missing(text):
        return "missing"
    found = readable(text)
    return "unreadable" if found is None else tuple(sorted(found))


def _recalls(plans: _Codes, programs: _Codes, readings: list[_Reading]) -> Floats:
    """Return the recall of each pair of readings, by counting every operation in all pairs at once."""
    named = [() if isinstance(reading, str) else reading for reading in readings]
    readable_ones = np.array([not isinstance(reading, str) for reading in readings])
    missing = np.array([reading == "missing" for reading in readings])
    counts = np.array([[names.count(name) for name in OPERATIONS] for names in named], np.int32)
    totals = counts.sum(axis=1)
    shared = np.minimum(counts[plans], counts[programs]).sum(axis=1)
    wanted = totals[programs]
    extract_only = readable_ones & (totals == 0)
    recalls: Floats = np.where(wanted > 0, shared / np.maximum(wanted, 1), extract_only[plans])
    recalls[missing[plans] | ~readable_ones[programs]] = np.nan
    return recalls


def _shapes(texts: Sequence[str | None]) -> list[bytes]:
    """Return the texts with every number as one zero, where that cannot change the reading."""
    lines = _lines(texts)
    digit = lines == _ZERO
    first = np.ones(len(lines), np.bool_)
    first[1:] = ~(digit[1:] & digit[:-1])
    runs = lines[first]
    shapes = _without_decimals(runs).tobytes().split(b"\n")[:-1]
    lengths = np.diff(np.flatnonzero(lines == _NEWLINE), prepend=-1)
    for row in np.flatnonzero(_digits_matter(runs) | (lengths > _LONGEST_SHAPED)).tolist():
        shapes[row] = (texts[row] or "").encode("utf-8", "surrogatepass")
    return shapes


def _lines(texts: Sequence[str | None]) -> _Bytes:
    """Return all texts as lines of UTF-8, with every digit a zero."""
    try:
        lines = _encoded(cast("Sequence[str]", texts))
    except TypeError:
        lines = _encoded(["" if text is None else text for text in texts])
    if lines.count(b"\n") != len(texts):
        # A newline is white space like any other to the language; here it ends a text.
        lines = _encoded([(text or "").replace("\n", " ") for text in texts])
    return np.frombuffer(lines.translate(_ONE_DIGIT), np.uint8)


def _encoded(texts: Sequence[str]) -> bytes:
    return "\n".join(texts).encode("utf-8", "surrogatepass") + b"\n"


def _without_decimals(runs: _Bytes) -> _Bytes:
    decimals = _places(runs, b"0.0")
    if not decimals.any():
        return runs
    keep = np.ones(len(runs), np.bool_)
    keep[1:] &= ~decimals[:-1]
    keep[2:] &= ~decimals[:-2]
    return runs[keep]


def _digits_matter(runs: _Bytes) -> _Mask:
    """Return per line whether its reading may depend on more than the shape of its numbers."""
    starts = np.flatnonzero(runs == _NEWLINE) + 1
    starts = np.concatenate(([0], starts[:-1]))
    matter = np.zeros(len(starts), np.bool_)
    for pattern in _DIGITS_MATTER:
        matter |= _any_per_line(_places(runs, pattern), starts)
    grouped = _any_per_line(_places(runs, b"0,0"), starts)
    if grouped.any():
        # A comma belongs to a number in a bare number and where another comma, with a space, separates arguments.
        bare = ~_any_per_line(runs == _OPENING, starts)
        matter |= grouped & (bare | _any_per_line(_separating(runs), starts))
    return matter


def _separating(runs: _Bytes) -> _Mask:
    """Return where a comma stands with a space after it, but for those between steps."""
    space = (runs == _SPACE) | ((runs >= _TAB) & (runs <= _RETURN))
    separating = _places(runs, b",")
    separating[:-1] &= space[1:]
    separating[1:] &= runs[:-1] != _CLOSING
    return separating


def _places(data: _Bytes, pattern: bytes) -> _Mask:
    """Return where a pattern begins."""
    found: _Mask = data == pattern[0]
    for offset in range(1, len(pattern)):
        found[:-offset] &= data[offset:] == pattern[offset]
        found[-offset:] = False
    return found


def _any_per_line(mask: _Mask, starts: npt.NDArray[np.int64]) -> _Mask:
    if not mask.any():
        return np.zeros(len(starts), np.bool_)
    found: _Mask = np.logical_or.reduceat(mask, starts)
    return found
