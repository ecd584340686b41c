"""Two judged parts of one block, woven together in the order of their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import ErrorTags, Floats, Labels, ScoredBlock, TextColumn

Order = npt.NDArray[np.int64]
"""For each row of the whole: its place among the rows of the first part followed by those of the second."""


def woven(first: ScoredBlock, second: ScoredBlock, order: Order) -> ScoredBlock:
    """Return the rows of two parts in the given order, as if they had been judged together."""
    sizes = len(first), len(second)
    return ScoredBlock(
        start=min(first.start, second.start),
        ids=_texts(first.ids, second.ids, order),
        lines=_values(first.lines, second.lines, order),
        inputs=_texts(first.inputs, second.inputs, order),
        item_hashes=_texts(first.item_hashes, second.item_hashes, order),
        states=_labels(first.states, second.states, order, sizes),
        expected=_texts(first.expected, second.expected, order),
        predicted=_values(first.predicted, second.predicted, order),
        outputs=_values(first.outputs, second.outputs, order),
        primary=np.concatenate([first.primary, second.primary])[order],
        passed=np.concatenate([first.passed, second.passed])[order],
        scores=_scores(first.scores, second.scores, order, sizes),
        error_tags=_error_tags(first.error_tags, second.error_tags, order),
        explain=_texts(first.explain, second.explain, order),
        tags=_tags(first.tags, second.tags, order, sizes),
        truth=_optional_labels(first.truth, second.truth, order, sizes),
        guess=_optional_labels(first.guess, second.guess, order, sizes),
        confidence=_floats(first.confidence, second.confidence, order, sizes),
        confidence_kind=_optional_labels(first.confidence_kind, second.confidence_kind, order, sizes),
        clusters=_optional_labels(first.clusters, second.clusters, order, sizes),
        counts={name: np.concatenate([first.counts[name], second.counts[name]])[order] for name in first.counts},
        details=_details(first.details, second.details, order, sizes),
    )


def _values(first: Sequence[Any], second: Sequence[Any], order: Order) -> Sequence[Any]:
    if all(isinstance(part, TextColumn) or all(isinstance(text, str) for text in part) for part in (first, second)):
        return _texts(first, second, order)
    both = [*first, *second]
    return [both[place] for place in order.tolist()]


def _texts(first: Sequence[str], second: Sequence[str], order: Order) -> TextColumn:
    columns = [part if isinstance(part, TextColumn) else TextColumn.of(part) for part in (first, second)]
    return texts_in_order(columns, order)


def texts_in_order(columns: Sequence[TextColumn], order: Order) -> TextColumn:
    """Return the texts of columns, one after the other, in the given order."""
    shifts = np.cumsum([0, *(len(column.data) for column in columns[:-1])]).tolist()
    starts = np.concatenate([column.starts + shift for column, shift in zip(columns, shifts, strict=True)])
    ends = np.concatenate([column.ends + shift for column, shift in zip(columns, shifts, strict=True)])
    return TextColumn(np.concatenate([column.data for column in columns]), starts[order], ends[order])


def _labels(first: Labels | None, second: Labels | None, order: Order, sizes: tuple[int, int]) -> Labels:
    """Return labels in the order of first appearance in the whole."""
    left = Labels((), np.full(sizes[0], -1, np.int32)) if first is None else first
    right = Labels((), np.full(sizes[1], -1, np.int32)) if second is None else second
    known = {name: code for code, name in enumerate(left.names)}
    moved = np.array([known.setdefault(name, len(known)) for name in right.names] + [-1], np.int32)
    return in_order(Labels(list(known), np.concatenate([left.codes, moved[right.codes]])[order]))


def in_order(labels: Labels) -> Labels:
    """Return the same values with names in order of first appearance, and none that does not appear."""
    present, firsts = np.unique(labels.codes, return_index=True)
    appearing = present[np.argsort(firsts)]
    appearing = appearing[appearing >= 0]
    moved = np.full(len(labels.names) + 1, -1, np.int32)
    moved[appearing] = np.arange(len(appearing), dtype=np.int32)
    return Labels([labels.names[code] for code in appearing.tolist()], moved[labels.codes])


def _optional_labels(
    first: Labels | None, second: Labels | None, order: Order, sizes: tuple[int, int]
) -> Labels | None:
    return None if first is None and second is None else _labels(first, second, order, sizes)


def _tags(
    first: Mapping[str, Labels], second: Mapping[str, Labels], order: Order, sizes: tuple[int, int]
) -> dict[str, Labels]:
    return {key: _labels(first.get(key), second.get(key), order, sizes) for key in sorted({*first, *second})}


def _floats(first: Floats | None, second: Floats | None, order: Order, sizes: tuple[int, int]) -> Floats | None:
    if first is None and second is None:
        return None
    left = np.full(sizes[0], np.nan) if first is None else first
    right = np.full(sizes[1], np.nan) if second is None else second
    both: Floats = np.concatenate([left, right])[order]
    return both


def _scores(
    first: Mapping[str, Floats], second: Mapping[str, Floats], order: Order, sizes: tuple[int, int]
) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    for name in sorted({*first, *second}):
        values = _floats(first.get(name), second.get(name), order, sizes)
        assert values is not None
        found[name] = values
    return found


def _error_tags(first: ErrorTags, second: ErrorTags, order: Order) -> ErrorTags:
    shift = len(first.sets)
    return ErrorTags([*first.sets, *second.sets], np.concatenate([first.codes, second.codes + shift])[order])


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


def _details(
    first: Mapping[str, Sequence[Any]], second: Mapping[str, Sequence[Any]], order: Order, sizes: tuple[int, int]
) -> dict[str, Sequence[Any]]:
    found: dict[str, Sequence[Any]] = {}
    for name in [*first, *(name for name in second if name not in first)]:
        both = [*first.get(name, [None] * sizes[0]), *second.get(name, [None] * sizes[1])]
        found[name] = [both[place] for place in order.tolist()]
    return found
