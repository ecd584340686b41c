"""Columns of items and predictions to judged blocks, by block forms; rows that are not plain by the item form.

`BlockJudge` gives for a block of lines what `pipeline.judging.items.Judge` gives for the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steelyard.errors import Problems
from steelyard.pipeline.blocks.columns import PlainRows, ShapeRoles, detail_columns, selected, tag_columns
from steelyard.pipeline.blocks.merging import combined, in_order, prefixed, texts_in_order, woven
from steelyard.pipeline.blocks.pairs import (
    JudgedPairs,
    distinct_pairs,
    error_tags_at,
    judged_pairs,
    labels_at,
    texts_at,
)
from steelyard.pipeline.blocks.roles import ItemRoles, PredictionRoles, item_roles, prediction_roles
from steelyard.pipeline.blocks.typed import TypedForm, outputs_of, references_of, typed_form
from steelyard.pipeline.blocks.values import respelled
from steelyard.pipeline.items.reading import Source
from steelyard.pipeline.judging.corpus import count_columns
from steelyard.pipeline.judging.items import Judge, Judgement
from steelyard.pipeline.recording.journal import StoredJournal
from steelyard.reading.columns.scan import BLANK, BlockScanner, RawBlock, ScannedBlock
from steelyard.reading.columns.shapes import TEXT
from steelyard.reading.faults import RowError
from steelyard.records.answers import Text
from steelyard.records.blocks import Counts, ErrorTags, Floats, ItemBlock, Labels, ScoredBlock, TextColumn
from steelyard.records.items import Item, Prediction
from steelyard.scoring.blocks import BlockScores, TextPair, metric_block, needs_pairs, scorer_block
from steelyard.scoring.rule_blocks import RuleBlocks
from steelyard.text.kernels.checks import blank_rows, reasoning_rows
from steelyard.text.kernels.writing import item_hashes, json_lines

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Content:
    """Lines of a dataset, and as many lines of predictions where those have a file of their own."""

    items: RawBlock
    predictions: RawBlock | None = None


@dataclass(frozen=True, slots=True)
class JudgedBlock:
    """A block of lines, judged."""

    scored: ScoredBlock
    journal: TextColumn
    """The journal's lines; an item without a prediction has an empty one."""
    ids: TextColumn
    """Every id that was read, those of items with an unusable reference too."""

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class JudgedContent:
    """A block of bytes, judged, with what was wrong with its rows."""

    block: JudgedBlock
    reading: Problems
    judging: Problems


class BlockJudge:
    """Judges the lines of a dataset whose rows carry their predictions. Several can work side by side."""

    def __init__(self, judge: Judge, source: Source, journal: StoredJournal | None) -> None:
        self.judge = copy(judge)
        self.source = copy(source)
        self.journal = journal
        self.rules = None if judge.rules is None else RuleBlocks(judge.rules)
        self.by_columns = all(has_block_form(judgement) for judgement in judge.judgements)
        self.typed = typed_form(judge)
        self.kinds = (TEXT,) if self.typed is None else self.typed.kinds
        self.scanner = BlockScanner(source.limits)
        self.others = self.scanner if source.predictions is None else BlockScanner(source.limits)
        self._items = ShapeRoles(lambda shape: item_roles(shape, source, judge.judgements, self.kinds))
        self._predictions = ShapeRoles(
            lambda shape: prediction_roles(shape, source, judge.judgements, journal, self.kinds)
        )

    def plain_share(self, content: Content) -> float:
        """Return how many of the rows of a block are plain."""
        items, predictions = self._plain_rows(*self._scanned(content))
        if self.typed is not None:
            share = self.typed.share(outputs_of(predictions), references_of(items))
        else:
            outputs, references = predictions.named("output"), items.named("reference")
            share = float(self.by_columns or (len(items) > 0 and distinct_pairs(outputs, references) is not None))
        return share * len(items) / max(1, int((items.block.shapes != BLANK).sum()))

    def judged(self, content: Content) -> JudgedContent:
        """Return a block of bytes, judged. Where its items stand in the dataset is the caller's to say."""
        self.source.problems, self.judge.problems = Problems(), Problems()
        judged = self._judge(*self._scanned(content))
        return JudgedContent(judged, self.source.problems, self.judge.problems)

    def _scanned(self, content: Content) -> tuple[ScannedBlock, ScannedBlock]:
        """Return the rows of the dataset and the rows of predictions: the same rows, or as many of another file."""
        block = respelled(self.scanner.scan(content.items), self.scanner.shapes, self.kinds)
        if content.predictions is None:
            return block, block
        return block, respelled(self.others.scan(content.predictions), self.others.shapes, self.kinds)

    def _plain_rows(
        self, block: ScannedBlock, other: ScannedBlock
    ) -> tuple[PlainRows[ItemRoles], PlainRows[PredictionRoles]]:
        items, predictions = self._items.of(self.scanner.shapes), self._predictions.of(self.others.shapes)
        rows = np.flatnonzero(_is_plain(items)[block.shapes] & _is_plain(predictions)[other.shapes])
        return PlainRows(block, rows, items), PlainRows(other, rows, predictions)

    def _judge(self, block: ScannedBlock, other: ScannedBlock) -> JudgedBlock:
        items, predictions = self._plain_rows(block, other)
        tags, odd = tag_columns(items)
        ids = items.named("id")
        odd |= ids.starts == ids.ends
        odd |= blank_rows(items.named("reference")) | reasoning_rows(predictions.named("output"))
        if odd.any():
            items, predictions, tags = items.kept(~odd), predictions.kept(~odd), selected(tags, ~odd)
        if self.by_columns:
            scored = self._scored(items, predictions, tags)
        elif self.typed is not None:
            items, predictions, scored = self._scored_by_type(self.typed, items, predictions, tags)
        else:
            items, predictions, scored = self._scored_by_pairs(items, predictions, tags)
        plain = JudgedBlock(scored, self._lines(predictions), items.named("id"))
        left = block.shapes != BLANK
        left[items.rows] = False
        rows = np.flatnonzero(left)
        return self._with_odd_rows(plain, self._strict_pairs(block, other, rows)) if len(rows) else plain

    def _scored(
        self, items: PlainRows[ItemRoles], predictions: PlainRows[PredictionRoles], tags: dict[str, Labels]
    ) -> ScoredBlock:
        outputs = predictions.named("output")
        references = items.named("reference")
        inputs = items.named("input")
        pair = TextPair(outputs, references, pairs=needs_pairs(self.judge.metrics))
        scores = [self._scores(number, pair) for number in range(len(self.judge.judgements))]
        first = scores[0]
        checked, rule_tags = self._checked(outputs)
        return ScoredBlock(
            start=0,
            ids=items.named("id"),
            lines=items.block.first_line + items.rows,  # type: ignore[arg-type]  # an array serves as a sequence
            inputs=inputs,
            item_hashes=item_hashes(inputs, references),
            states=Labels(["scored"], np.zeros(len(items), np.int32)),
            expected=references,
            predicted=outputs,
            outputs=outputs,
            primary=first.primary,
            passed=first.passed,
            scores=dict(sorted((self._numbers(scores, pair) | checked).items())),
            error_tags=combined([*self._error_tags(scores), *rule_tags]),
            explain=first.explain,
            tags=tags,
            clusters=Labels((), np.full(len(items), -1, np.int32)),
            counts=self._counts(pair),
            details=dict(detail_columns(predictions)),
        )

    def _scored_by_type(
        self,
        form: TypedForm,
        items: PlainRows[ItemRoles],
        predictions: PlainRows[PredictionRoles],
        tags: dict[str, Labels],
    ) -> tuple[PlainRows[ItemRoles], PlainRows[PredictionRoles], ScoredBlock]:
        """Judge numbers or lists; return the rows that this could be done for, and their block."""
        answered = form.judge(outputs_of(predictions), references_of(items))
        tags = selected(tags, answered.kept)
        items, predictions = items.kept(answered.kept), predictions.kept(answered.kept)
        texts = TextColumn.of([text or "" for text in answered.predicted])
        pair = TextPair(texts, answered.expected, pairs=needs_pairs(self.judge.metrics))
        inputs, outputs = items.named("input"), outputs_of(predictions).shown()
        checked, rule_tags = self._checked(outputs)
        scored = ScoredBlock(
            start=0,
            ids=items.named("id"),
            lines=items.block.first_line + items.rows,  # type: ignore[arg-type]  # an array serves as a sequence
            inputs=inputs,
            item_hashes=references_of(items).hashes_with(inputs),
            states=in_order(Labels(["scored", "unparsed"], answered.unparsed.astype(np.int32))),
            expected=answered.expected,
            predicted=answered.predicted,
            outputs=outputs,
            primary=answered.scores.primary,
            passed=answered.scores.passed,
            scores=dict(sorted((self._numbers([answered.scores], pair) | checked).items())),
            error_tags=combined([answered.scores.error_tags, *rule_tags]),
            explain=answered.scores.explain,
            tags=tags,
            clusters=Labels((), np.full(len(items), -1, np.int32)),
            counts=self._counts(pair),
            details=dict(detail_columns(predictions)),
        )
        return items, predictions, scored

    def _scored_by_pairs(
        self, items: PlainRows[ItemRoles], predictions: PlainRows[PredictionRoles], tags: dict[str, Labels]
    ) -> tuple[PlainRows[ItemRoles], PlainRows[PredictionRoles], ScoredBlock]:
        """Judge each distinct pair once; return the rows that this could be done for, and their block."""
        pairs = self._pairs(items, predictions)
        kept = np.zeros(len(items), np.bool_) if pairs is None else pairs.places >= 0
        tags = selected(tags, kept)
        items, predictions = items.kept(kept), predictions.kept(kept)
        if pairs is None:
            return items, predictions, self.judge.judge(ItemBlock(0, [], []))
        judged, places = pairs.judged, pairs.places[kept]
        inputs, references, outputs = items.named("input"), items.named("reference"), predictions.named("output")
        scored = ScoredBlock(
            start=0,
            ids=items.named("id"),
            lines=items.block.first_line + items.rows,  # type: ignore[arg-type]  # an array serves as a sequence
            inputs=inputs,
            item_hashes=item_hashes(inputs, references),
            states=in_order(Labels(judged.states.names, judged.states.codes[places])),
            expected=texts_at(judged.expected, places),  # type: ignore[arg-type]  # every item has a reference
            predicted=texts_at(judged.predicted, places),
            outputs=outputs,
            primary=judged.primary[places],
            passed=judged.passed[places],
            scores={name: values[places] for name, values in judged.scores.items()},
            error_tags=error_tags_at(judged.error_tags, places),
            explain=texts_at(judged.explain, places),  # type: ignore[arg-type]  # every card has a sentence
            tags=tags,
            truth=labels_at(judged.truth, places),
            guess=labels_at(judged.guess, places),
            confidence=None if judged.confidence is None else judged.confidence[places],
            confidence_kind=labels_at(judged.confidence_kind, places),
            clusters=Labels((), np.full(len(items), -1, np.int32)),
            counts={name: counts[places] for name, counts in judged.counts.items()},
            details=dict(detail_columns(predictions)),
        )
        return items, predictions, scored

    def _pairs(self, items: PlainRows[ItemRoles], predictions: PlainRows[PredictionRoles]) -> JudgedPairs | None:
        found = distinct_pairs(predictions.named("output"), items.named("reference"))
        if found is None:
            return None
        firsts, codes = found
        rows = items.rows[firsts]
        return judged_pairs(
            self.judge,
            rows,
            codes,
            lambda row: self._strict_pair(items.block, predictions.block, row),
        )

    def _scores(self, number: int, pair: TextPair) -> BlockScores:
        scorer = self.judge.judgements[number].scorers["text"]
        form = scorer_block(scorer)
        assert form is not None
        return form(scorer, pair)

    def _numbers(self, scores: Sequence[BlockScores], pair: TextPair) -> dict[str, Floats]:
        numbers = dict(scores[0].sub_scores)
        for judgement, found in zip(self.judge.judgements[1:], scores[1:], strict=True):
            numbers[judgement.name] = found.primary
            numbers |= {f"{judgement.name}.{name}": values for name, values in found.sub_scores.items()}
        numbers |= {metric.name: metric_block(metric, pair) for metric in self.judge.metrics}
        return numbers

    def _error_tags(self, scores: Sequence[BlockScores]) -> list[ErrorTags]:
        others = zip(self.judge.judgements[1:], scores[1:], strict=True)
        return [scores[0].error_tags, *(prefixed(found.error_tags, judgement.name) for judgement, found in others)]

    def _checked(self, outputs: TextColumn) -> tuple[dict[str, Floats], list[ErrorTags]]:
        if self.rules is None:
            return {}, []
        columns, tags = self.rules.check(outputs)
        return columns, [tags]

    def _counts(self, pair: TextPair) -> dict[str, Counts]:
        if not self.judge.corpus:
            return {}
        texts = zip(pair.predicted, pair.expected, strict=True)
        return count_columns(self.judge.corpus, [(prediction, Text(reference)) for prediction, reference in texts])

    def _lines(self, predictions: PlainRows[PredictionRoles]) -> TextColumn:
        """Return the journal's line of each row."""
        block, shapes = predictions.block, predictions.shape_of_rows()
        if self.journal is None:
            return TextColumn.of([""] * len(predictions))
        columns = [TextColumn.of([])]
        for number in np.unique(shapes).tolist():
            role = predictions.roles[number]
            assert role is not None
            firsts = block.firsts[predictions.rows[shapes == number]]
            columns.append(json_lines(block.data, firsts, block.starts, block.ends, role.line))
        if len(columns) == 2:
            return columns[1]
        return texts_in_order(columns, np.argsort(np.argsort(shapes, kind="stable"), kind="stable"))

    def _strict_pairs(
        self, block: ScannedBlock, other: ScannedBlock, rows: Integers
    ) -> list[tuple[Item, Prediction | None]]:
        """Return items and predictions of rows as the strict reader reads them; other rows become problems."""
        pairs = []
        for row in rows.tolist():
            try:
                found = self._strict_pair(block, other, row)
            except RowError as error:
                self.source.problems.add(error.at(self.source.dataset, block.first_line + row))
            else:
                if found is not None:
                    pairs.append(found)
        return pairs

    def _strict_pair(self, block: ScannedBlock, other: ScannedBlock, row: int) -> tuple[Item, Prediction | None] | None:
        limits = self.source.limits
        if other is block:
            return self.source.pair_of(block.strict_row(row, limits))
        item = self.source.item_of(block.strict_row(row, limits))
        return None if item is None else (item, self.source.prediction_of(other.strict_row(row, limits)))

    def _with_odd_rows(self, plain: JudgedBlock, pairs: Sequence[tuple[Item, Prediction | None]]) -> JudgedBlock:
        if not pairs:
            return plain
        block = ItemBlock(plain.scored.start, [item for item, _ in pairs], [found for _, found in pairs])
        judged = self.judge.judge(block)
        ids = TextColumn.of([item.id for item in block.items])
        order = _order(plain.scored.lines, [item.line for item in block.items])
        written = TextColumn.of_bytes(self.journal.lines(block) if self.journal else [b""] * len(block))
        scored = woven(plain.scored, judged, _order(plain.scored.lines, judged.lines))
        return JudgedBlock(
            scored, texts_in_order([plain.journal, written], order), texts_in_order([plain.ids, ids], order)
        )


def has_block_form(judgement: Judgement) -> bool:
    """Return whether a judgement of text is made by columns."""
    scorer = judgement.scorers.get("text") if judgement.answer_type == "text" else None
    return scorer is not None and judgement.extraction.kind == "none" and scorer_block(scorer) is not None


def _is_plain(roles: Sequence[object | None]) -> npt.NDArray[np.bool_]:
    return np.array([*(role is not None for role in roles), False, False], np.bool_)  # the last: BLANK and ODD


def _order(lines: Sequence[int], others: Sequence[int]) -> Integers:
    return np.argsort(np.concatenate([np.asarray(lines, np.int64), np.asarray(others, np.int64)]), kind="stable")
