"""Numbers and lists by columns: what `judging.items` makes of the same rows, by the block forms of their scorers.

Rows that a block form cannot judge (numbers spelled in words or with units, lists that are no lists) are left out, and
the caller gives them the item form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Protocol

import numpy as np
import numpy.typing as npt

from steelyard.canonical.extraction import Extraction
from steelyard.canonical.predictions import predicted_answer
from steelyard.canonical.references import BadReference, expected_answer
from steelyard.items.shapes import ARRAY, FRACTION, INTEGER, TEXT
from steelyard.judging.columns import no_answer
from steelyard.judging.distinct_pairs import texts_in_order
from steelyard.judging.extractions import is_extracted_by_columns
from steelyard.judging.items import Judge
from steelyard.judging.member_values import Values
from steelyard.judging.plain_rows import PlainRows
from steelyard.judging.roles import ItemRoles, PredictionRoles
from steelyard.kernels.plain_numbers import NumberColumn, numbers_block
from steelyard.records.answers import ListAnswer
from steelyard.records.blocks import ErrorTags, TextColumn
from steelyard.registry import Scorer, block_form
from steelyard.scoring.blocks import BlockScores
from steelyard.scoring.list_blocks import ListBlocks
from steelyard.scoring.number_blocks import NumberBlock, answer_texts

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Answered:
    """Rows that were judged, with both answers as a person reads them."""

    kept: Flags
    """Which of the rows were judged; the columns have an entry for each of them."""
    expected: TextColumn
    predicted: Sequence[str | None]
    scores: BlockScores
    unparsed: Flags
    """Which of the judged rows have no answer in their output."""


def references_of(items: PlainRows[ItemRoles]) -> Values:
    """Return the references of rows."""
    return Values(items.named("reference"), items.facts(lambda role: role.reference_kind))


def outputs_of(predictions: PlainRows[PredictionRoles]) -> Values:
    """Return the outputs of rows."""
    return Values(predictions.named("output"), predictions.facts(lambda role: role.output_kind))


class TypedForm(Protocol):
    """Judges columns of answers of one type."""

    kinds: tuple[int, ...]
    """The kinds of JSON values that it takes."""

    def share(self, outputs: Values, references: Values) -> float:
        """Return how many of the rows can be judged here, at a glance."""
        ...

    def judge(self, outputs: Values, references: Values) -> Answered:
        """Return what can be judged here."""
        ...


def typed_form(judge: Judge) -> TypedForm | None:
    """Return the block form of a task of numbers or lists, or None where it has none."""
    if len(judge.judgements) != 1 or judge.labels is not None:
        return None
    judgement = judge.judgements[0]
    scorer = judgement.scorers.get(judgement.answer_type) if judgement.answer_type else None
    if scorer is None or not is_extracted_by_columns(judgement):
        return None
    if judgement.answer_type not in ("number", "list") or (form := block_form(scorer)) is None:
        return None
    if judgement.answer_type == "number":
        return NumberForm(scorer, form, with_unparsed=not (judge.metrics or judge.corpus))
    return ListForm(form)


class NumberForm:
    """Judges plainly spelled numbers, given as text or as JSON numbers."""

    kinds: tuple[int, ...] = (TEXT, INTEGER, FRACTION)

    def __init__(self, scorer: Scorer, form: NumberBlock, *, with_unparsed: bool = False) -> None:
        self._scorer, self._form = scorer, form
        self._with_unparsed = with_unparsed
        """Whether outputs without a number are judged here: what other metrics say of them only the item form knows."""

    def share(self, outputs: Values, references: Values) -> float:
        """Return how many rows have two plain numbers."""
        plain = numbers_block(outputs.texts).plain & numbers_block(references.texts).plain
        return float(plain.mean()) if len(plain) else 0.0

    def judge(self, outputs: Values, references: Values) -> Answered:
        """Return the rows whose two numbers are plain and far enough from every limit."""
        found, wanted = numbers_block(outputs.texts), numbers_block(references.texts)
        kept = found.plain & wanted.plain
        judged = self._form(found.kept(kept), wanted.kept(kept))
        sure = ~judged.unsure
        kept[kept] = sure
        answered = Answered(
            kept,
            TextColumn.of(answer_texts(wanted.kept(kept))),
            TextColumn.of(answer_texts(found.kept(kept))),
            _some(judged.scores, sure),
            np.zeros(int(kept.sum()), np.bool_),
        )
        if not self._with_unparsed:
            return answered
        odd = wanted.plain & ~found.plain & (outputs.kinds == TEXT)
        return _woven(answered, self._unparsed(outputs, wanted, odd)) if odd.any() else answered

    def _unparsed(self, outputs: Values, wanted: NumberColumn, asked: Flags) -> Answered:
        """Return those of some rows that have no number in their output: they score 0 and have no error to measure."""
        parsed = [predicted_answer(text, "number", Extraction()) for text in outputs.kept(asked).texts]
        is_none = np.array([found.answer is None for found in parsed], np.bool_)
        kept = asked.copy()
        kept[asked] = is_none
        without = list(compress(parsed, is_none.tolist()))
        expected = answer_texts(wanted.kept(kept))
        explain = [no_answer(text, found.reason) for text, found in zip(expected, without, strict=True)]
        zeros = np.zeros(len(without))
        directions = self._scorer.definition.sub_scores
        parts = {name: zeros if way == "higher" else np.full(len(without), np.nan) for name, way in directions.items()}
        tags = ErrorTags.of([found.tags for found in without])
        scores = BlockScores(zeros, np.zeros(len(without), np.bool_), parts, tags, explain)
        texts = [found.text for found in without]
        return Answered(kept, TextColumn.of(expected), texts, scores, np.ones(len(without), np.bool_))


def _woven(first: Answered, second: Answered) -> Answered:
    """Return two parts of the same rows as one, in the order of the rows."""
    order = np.argsort(np.concatenate([np.flatnonzero(part.kept) for part in (first, second)]), kind="stable")
    left, right = first.scores, second.scores
    sets = [*left.error_tags.sets, *right.error_tags.sets]
    codes = np.concatenate([left.error_tags.codes, right.error_tags.codes + len(left.error_tags.sets)])
    predicted, explain = [*first.predicted, *second.predicted], [*left.explain, *right.explain]
    scores = BlockScores(
        np.concatenate([left.primary, right.primary])[order],
        np.concatenate([left.passed, right.passed])[order],
        {name: np.concatenate([left.sub_scores[name], right.sub_scores[name]])[order] for name in left.sub_scores},
        ErrorTags(sets, codes[order].astype(np.int32)),
        [explain[place] for place in order.tolist()],
    )
    return Answered(
        first.kept | second.kept,
        texts_in_order([first.expected, second.expected], order),
        [predicted[place] for place in order.tolist()],
        scores,
        np.concatenate([first.unparsed, second.unparsed])[order],
    )


def _some(scores: BlockScores, flags: Flags) -> BlockScores:
    return BlockScores(
        scores.primary[flags],
        scores.passed[flags],
        {name: values[flags] for name, values in scores.sub_scores.items()},
        _appearing(scores.error_tags, flags),
        list(compress(scores.explain, flags.tolist())),
    )


def _appearing(tags: ErrorTags, flags: Flags) -> ErrorTags:
    """Return the tags of some rows, without sets that none of them has: a report names every set that it is given."""
    present, codes = np.unique(tags.codes[flags], return_inverse=True)
    return ErrorTags([tags.sets[code] for code in present.tolist()], codes.astype(np.int32))


class ListForm:
    """Judges lists, given as JSON lists of texts or as text."""

    kinds: tuple[int, ...] = (TEXT, ARRAY)

    def __init__(self, form: ListBlocks) -> None:
        self._blocks = form

    def share(self, outputs: Values, references: Values) -> float:  # noqa: ARG002 - most texts are some list
        """Return 1: almost any text is a list."""
        return 1.0

    def judge(self, outputs: Values, references: Values) -> Answered:
        """Return the rows whose two lists can be read."""
        found = [_predicted_items(value) for value in outputs.lists()]
        wanted = [_expected_items(value) for value in references.lists()]
        kept = [items is not None and others is not None for items, others in zip(found, wanted, strict=True)]
        given = [items for items in compress(found, kept) if items is not None]
        asked = [ListAnswer(tuple(items)) for items in compress(wanted, kept) if items is not None]
        return Answered(
            np.array(kept, np.bool_),
            TextColumn.of([", ".join(answer.items) for answer in asked]),
            TextColumn.of([", ".join(items) for items in given]),
            self._blocks.judge(given, asked),
            np.zeros(len(given), np.bool_),
        )


def _predicted_items(value: list[str] | str) -> Sequence[str] | None:
    if isinstance(value, list):
        return value
    parsed = predicted_answer(value, "list", Extraction())
    return parsed.answer.items if isinstance(parsed.answer, ListAnswer) and not parsed.tags else None


def _expected_items(value: list[str] | str) -> Sequence[str] | None:
    if isinstance(value, list):
        return value
    try:
        answer = expected_answer(value, "list")
    except BadReference:
        return None
    return answer.items if isinstance(answer, ListAnswer) else None
