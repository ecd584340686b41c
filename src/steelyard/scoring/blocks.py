"""Block forms: what a scorer or metric gives for two columns of text, equal to its item form row by row.

A block form computes what it can by loops and asks the item form about the rest, so its numbers never differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from steelyard.kernels.labels import blank_rows
from steelyard.kernels.overlap import OverlapBlock, RougeBlock, overlap_block, rouge_block, same_stripped_block
from steelyard.kernels.writing import FIRST, SECOND, VALUE, Part, sentences
from steelyard.records.answers import Text
from steelyard.records.blocks import ErrorTags, Floats, TextColumn, replaced
from steelyard.registry import Metric, Scorer
from steelyard.scoring import metrics_text

_KERNEL_PROFILES = ("basic", "squad")
_NO_TAGS: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockScores:
    """What a scorer says of many rows."""

    primary: Floats
    passed: npt.NDArray[np.bool_]
    sub_scores: dict[str, Floats]
    error_tags: ErrorTags
    explain: Sequence[str]


class TextPair:
    """Predictions and references of many rows, with each measure computed at most once."""

    def __init__(self, predicted: TextColumn, expected: TextColumn, *, pairs: bool = False) -> None:
        self.predicted = predicted
        self.expected = expected
        self._pairs = pairs
        self._overlaps: dict[str, OverlapBlock] = {}
        self._rouges: dict[bool, RougeBlock] = {}

    def __len__(self) -> int:
        return len(self.predicted)

    def overlap(self, profile: str) -> OverlapBlock:
        """Return exact match and token F1 under a profile that has a loop."""
        if profile not in self._overlaps:
            normalize = cast("Literal['basic', 'squad']", profile)
            self._overlaps[profile] = overlap_block(self.predicted, self.expected, normalize=normalize)
        return self._overlaps[profile]

    def rouge(self, *, together: bool = True) -> RougeBlock:
        """Return ROUGE-1 and ROUGE-L, and ROUGE-2 where it was asked for; `together` as version 2 reads the texts."""
        if together not in self._rouges:
            self._rouges[together] = rouge_block(self.predicted, self.expected, pairs=self._pairs, together=together)
        return self._rouges[together]


TextForm: TypeAlias = Callable[[TextPair], BlockScores]


def text_form(scorer: Scorer) -> TextForm | None:
    """Return the block form of `text`; a profile that has no loop has none."""
    if scorer.parameters.get("normalize") not in (None, *_KERNEL_PROFILES):
        return None
    return partial(_text_block, scorer, together=scorer.definition.version > 1)


def correctness_form(scorer: Scorer) -> TextForm:
    """Return the block form of `answer_correctness@v1`."""
    return partial(_correctness_block, scorer)


def metric_block(metric: Metric, pair: TextPair) -> Floats:
    """Return a metric of many rows: by its block form, or by its item form where it has none."""
    function, parameters = metric.definition.function, metric.parameters
    assert function is not None
    profile = str(parameters.get("normalize") or "basic")
    if function in (metrics_text.exact_match, metrics_text.f1) and profile in _KERNEL_PROFILES:
        found = pair.overlap(profile)
        return found.exact_match if function is metrics_text.exact_match else found.f1
    if function in _ROUGE and not parameters.get("stemmer"):
        measure, together = _ROUGE[function]
        return measure(pair.rouge(together=together))
    values = [function(*texts, **parameters) for texts in zip(pair.predicted, pair.expected, strict=True)]
    return np.array([np.nan if value is None else value for value in values], np.float64)


def needs_pairs(metrics: Sequence[Metric]) -> bool:
    """Return whether one of the metrics is ROUGE-2, which costs time that the others do not need."""
    return any(metric.definition.function in (metrics_text.rouge2, metrics_text.rouge2_v1) for metric in metrics)


_ROUGE: dict[Callable[..., Any], tuple[Callable[[RougeBlock], Floats], bool]] = {
    metrics_text.rouge1: (lambda found: found.rouge1, True),
    metrics_text.rouge2: (lambda found: found.rouge2, True),
    metrics_text.rouge_l: (lambda found: found.rouge_l, True),
    metrics_text.rouge1_v1: (lambda found: found.rouge1, False),
    metrics_text.rouge2_v1: (lambda found: found.rouge2, False),
    metrics_text.rouge_l_v1: (lambda found: found.rouge_l, False),
}
"""By function: which measure of a block it is, and whether both texts are read by one rule."""


def _text_block(scorer: Scorer, pair: TextPair, *, together: bool) -> BlockScores:
    rouge = pair.rouge(together=together)
    primary_name = str(scorer.parameters.get("primary") or "rouge1")
    overlap = pair.overlap(str(scorer.parameters.get("normalize") or "basic"))
    parts: dict[str, Floats] = {
        "rouge1": rouge.rouge1,
        "rougeL": rouge.rouge_l,
        "f1": overlap.f1,
        "exact_match": overlap.exact_match,
        "keyword_coverage": np.full(len(pair), np.nan),
    }
    name = "rouge1" if primary_name == "keyword_coverage" else primary_name
    form: list[Part] = ["Expected '", SECOND, "', found '", FIRST, f"' ({name} ", VALUE, ")."]
    explain, untold = sentences(pair.predicted, pair.expected, parts[name], [form], np.zeros(len(pair), np.int64))
    blank = overlap.empty.copy()
    blank[overlap.empty] = blank_rows(_rows(pair.predicted, overlap.empty))
    tags = ErrorTags([_NO_TAGS, ("empty_text",)], overlap.empty.astype(np.int32))
    return _completed(
        scorer,
        pair,
        BlockScores(parts[name], parts[name] >= scorer.pass_threshold, parts, tags, explain),
        [untold, rouge.nothing, blank],
    )


def _correctness_block(scorer: Scorer, pair: TextPair) -> BlockScores:
    same = same_stripped_block(pair.predicted, pair.expected)
    forms: list[list[Part]] = [
        ["Expected '", SECOND, "', found '", FIRST, "'."],
        ["Equals the expected answer '", SECOND, "'."],
    ]
    explain, untold = sentences(pair.predicted, pair.expected, same, forms, same.astype(np.int64))
    tags = ErrorTags([("wrong_answer",), _NO_TAGS], same.astype(np.int32))
    return _completed(scorer, pair, BlockScores(same, same >= scorer.pass_threshold, {}, tags, explain), [untold])


def _completed(
    scorer: Scorer, pair: TextPair, found: BlockScores, left_over: Sequence[npt.NDArray[Any]]
) -> BlockScores:
    """Return a block's scores with the rows that are left over judged by the item form."""
    flags = np.zeros(len(pair), np.bool_)
    for rows in left_over:
        flags[rows] = True
    rows = np.flatnonzero(flags)
    if not len(rows):
        return found
    cards = [scorer(Text(pair.predicted[row]), Text(pair.expected[row])) for row in rows.tolist()]
    primary = found.primary.copy()
    primary[rows] = [card.primary_score for card in cards]
    parts = {name: values.copy() for name, values in found.sub_scores.items()}
    for name, values in parts.items():
        values[rows] = [np.nan if card.sub_scores[name] is None else card.sub_scores[name] for card in cards]
    known = {tags: code for code, tags in enumerate(found.error_tags.sets)}
    codes = found.error_tags.codes.copy()
    codes[rows] = [known.setdefault(card.error_tags, len(known)) for card in cards]
    assert isinstance(found.explain, TextColumn)
    told = replaced(found.explain, rows, [card.explain for card in cards])
    return BlockScores(primary, primary >= scorer.pass_threshold, parts, ErrorTags(list(known), codes), told)


def _rows(column: TextColumn, flags: npt.NDArray[np.bool_]) -> TextColumn:
    return TextColumn(column.data, column.starts[flags], column.ends[flags])
