"""Block form of every task whose scorers have none: each distinct pair of output and reference is judged once.

What is extracted, scored, tagged and explained depends on the two texts alone, so rows with the same texts share all of
it. A classification of a million rows has a few hundred distinct pairs; a task whose pairs are mostly distinct takes
the item form.

Beside it: odd rows woven into the block of the plain ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.errors import Problems
from steelyard.judging.items import Judge
from steelyard.kernels.labels import are_same, text_hashes
from steelyard.records.blocks import ErrorTags, ItemBlock, Labels, ScoredBlock, TextColumn
from steelyard.records.items import Item, Prediction

# Judged parts of one block, woven together in the order of their rows.
#
# What becomes of a column follows from what it is, so that a column of `ScoredBlock` is named in its record alone.


Order = npt.NDArray[np.int64]
"""For each row of the whole: its place among the rows of all parts, one part after the other."""


def woven(parts: Sequence[ScoredBlock], order: Order) -> ScoredBlock:
    """Return the rows of several parts in the given order, as if they had been judged together."""
    sizes = [len(part) for part in parts]
    columns = {column.name: [getattr(part, column.name) for part in parts] for column in fields(ScoredBlock)}
    starts = columns.pop("start")
    return ScoredBlock(start=min(starts), **{name: _column(found, order, sizes) for name, found in columns.items()})


def _column(parts: Sequence[Any], order: Order, sizes: Sequence[int]) -> Any:
    """Return one column of the whole; where a part lacks it, its rows have none of it."""
    known = next((part for part in parts if part is not None), None)
    if known is None:
        return None
    if isinstance(known, dict):
        return _by_name(parts, order, sizes)
    if isinstance(known, Labels):
        return _labels([_or_none(part, size) for part, size in zip(parts, sizes, strict=True)], order)
    if isinstance(known, ErrorTags):
        return _error_tags(parts, order)
    if isinstance(known, np.ndarray):
        return np.concatenate([_or_nan(part, size) for part, size in zip(parts, sizes, strict=True)])[order]
    return _values([[None] * size if part is None else part for part, size in zip(parts, sizes, strict=True)], order)


def _by_name(parts: Sequence[dict[str, Any]], order: Order, sizes: Sequence[int]) -> dict[str, Any]:
    same = all(list(part) == list(parts[0]) for part in parts)
    names = list(parts[0]) if same else sorted({name for part in parts for name in part})
    return {name: _column([part.get(name) for part in parts], order, sizes) for name in names}


def _or_none(part: Labels | None, size: int) -> Labels:
    return Labels((), np.full(size, -1, np.int32)) if part is None else part


def _or_nan(part: npt.NDArray[Any] | None, size: int) -> npt.NDArray[Any]:
    return np.full(size, np.nan) if part is None else part


def _values(parts: Sequence[Sequence[Any]], order: Order) -> Sequence[Any]:
    if all(isinstance(part, TextColumn) or all(isinstance(value, str) for value in part) for part in parts):
        return texts_in_order([part if isinstance(part, TextColumn) else TextColumn.of(part) for part in parts], order)
    together = [value for part in parts for value in part]
    return [together[place] for place in order.tolist()]


def texts_in_order(columns: Sequence[TextColumn], order: Order) -> TextColumn:
    """Return the texts of columns, one after the other, in the given order."""
    shifts = np.cumsum([0, *(len(column.data) for column in columns[:-1])]).tolist()
    starts = np.concatenate([column.starts + shift for column, shift in zip(columns, shifts, strict=True)])
    ends = np.concatenate([column.ends + shift for column, shift in zip(columns, shifts, strict=True)])
    return TextColumn(np.concatenate([column.data for column in columns]), starts[order], ends[order])


def _labels(parts: Sequence[Labels], order: Order) -> Labels:
    """Return labels in the order of first appearance in the whole."""
    known: dict[str, int] = {}
    moved = [np.array([known.setdefault(name, len(known)) for name in part.names] + [-1], np.int32) for part in parts]
    codes = np.concatenate([places[part.codes] for places, part in zip(moved, parts, strict=True)])
    return in_order(Labels(list(known), codes[order]))


def in_order(labels: Labels) -> Labels:
    """Return the same values with names in order of first appearance, and none that does not appear."""
    present, firsts = np.unique(labels.codes, return_index=True)
    appearing = present[np.argsort(firsts)]
    appearing = appearing[appearing >= 0]
    moved = np.full(len(labels.names) + 1, -1, np.int32)
    moved[appearing] = np.arange(len(appearing), dtype=np.int32)
    return Labels([labels.names[code] for code in appearing.tolist()], moved[labels.codes])


def _error_tags(parts: Sequence[ErrorTags], order: Order) -> ErrorTags:
    shifts = np.cumsum([0, *(len(part.sets) for part in parts[:-1])]).tolist()
    codes = np.concatenate([part.codes + shift for part, shift in zip(parts, shifts, strict=True)])
    return ErrorTags([tags for part in parts for tags in part.sets], codes[order].astype(np.int32))


def prefixed(tags: ErrorTags, name: str) -> ErrorTags:
    """Return error tags with the name of their judgement before each."""
    return ErrorTags([tuple(f"{name}:{tag}" for tag in found) for found in tags.sets], tags.codes)


def combined(parts: Sequence[ErrorTags]) -> ErrorTags:
    """Return the error tags of several judgements of the same rows, one after the other in each row."""
    whole = parts[0]
    for part in parts[1:]:
        if list(part.sets) == [()]:
            continue
        codes = whole.codes.astype(np.int64) * len(part.sets) + part.codes
        present, places = np.unique(codes, return_inverse=True)
        pairs = [divmod(code, len(part.sets)) for code in present.tolist()]
        whole = ErrorTags([(*whole.sets[left], *part.sets[right]) for left, right in pairs], places.astype(np.int32))
    return whole


MOST_DISTINCT = 0.5
"""Where more than this share of the rows are distinct pairs, judging each once saves nothing."""

Integers = npt.NDArray[np.int64]
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class JudgedPairs:
    """The distinct pairs of a block, judged, and which of them each row is."""

    judged: ScoredBlock
    places: Integers
    """For each row its place among the judged pairs; -1 where its pair could not be judged."""


def distinct_pairs(outputs: TextColumn, references: TextColumn) -> tuple[Integers, Integers] | None:
    """Return the first row of each distinct pair and the pair of each row; None where most pairs are distinct."""
    hashes = text_hashes(outputs).view(np.uint64) * _ODD + text_hashes(references).view(np.uint64)
    _, firsts, codes = np.unique(hashes, return_index=True, return_inverse=True)
    if len(firsts) > MOST_DISTINCT * len(hashes):
        return None
    shared = firsts[codes]
    same = are_same(outputs, _at(outputs, shared)) and are_same(references, _at(references, shared))
    return (firsts.astype(np.int64), codes.astype(np.int64)) if same else None


def judged_pairs(
    judge: Judge, firsts: Integers, codes: Integers, strict: Callable[[int], tuple[Item, Prediction | None] | None]
) -> JudgedPairs:
    """Judge the first row of each pair by the item form; `strict` reads a row."""
    alone = copy(judge)
    alone.problems = Problems()
    pairs = [found for found in map(strict, firsts.tolist()) if found is not None]
    judged = alone.judge(ItemBlock(0, [item for item, _ in pairs], [prediction for _, prediction in pairs]))
    by_line = {line: place for place, line in enumerate(judged.lines)}
    lines = {number: item.line for number, (item, _) in enumerate(pairs)} if len(pairs) == len(firsts) else {}
    places = np.array([by_line.get(lines.get(number, -1), -1) for number in range(len(firsts))], np.int64)
    return JudgedPairs(judged, places[codes])


def texts_at(texts: Sequence[str | None], places: Integers) -> Sequence[str | None]:
    """Return texts, or none, by their places."""
    present = [text for text in texts if text is not None]
    if len(present) == len(texts):
        return _at(TextColumn.of(present), places)
    return [texts[place] for place in places.tolist()]


def labels_at(labels: Labels | None, places: Integers) -> Labels | None:
    """Return labels by their places."""
    return None if labels is None else in_order(Labels(labels.names, labels.codes[places]))


def error_tags_at(tags: ErrorTags, places: Integers) -> ErrorTags:
    """Return error tags by their places."""
    return ErrorTags(tags.sets, tags.codes[places])


def _at(column: TextColumn, places: Integers) -> TextColumn:
    return TextColumn(column.data, column.starts[places], column.ends[places])
