"""Block form of every task whose scorers have none: each distinct pair of output and reference is judged once.

What is extracted, scored, tagged and explained depends on the two texts alone, so rows with the same texts share all of
it. A classification of a million rows has a few hundred distinct pairs; a task whose pairs are mostly distinct takes
the item form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steelyard.errors import Problems
from steelyard.judging.items import Judge
from steelyard.judging.weaving import in_order
from steelyard.kernels.labels import are_same, text_hashes
from steelyard.records.blocks import ErrorTags, ItemBlock, Labels, ScoredBlock, TextColumn
from steelyard.records.items import Item, Prediction

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
