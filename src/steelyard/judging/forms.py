"""Plain rows to scored blocks: texts and numbers by the block forms of their scorers, all else by distinct pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.canonical.extraction import Extraction
from steelyard.canonical.outcome import NotFound
from steelyard.judging.columns import no_answer
from steelyard.judging.corpus import count_columns
from steelyard.judging.distinct_pairs import (
    JudgedPairs,
    combined,
    distinct_pairs,
    error_tags_at,
    in_order,
    judged_pairs,
    labels_at,
    prefixed,
    texts_at,
    woven,
)
from steelyard.judging.extractions import Extracted, extracted, extracted_values, is_extracted_by_columns
from steelyard.judging.items import Judge, Judgement
from steelyard.judging.plain_rows import PlainRows, conversation_columns, detail_columns, selected
from steelyard.judging.roles import ItemRoles, PredictionRoles
from steelyard.judging.typed_forms import TypedForm, outputs_of, references_of, typed_form
from steelyard.kernels.writing import item_hashes
from steelyard.records.answers import Text
from steelyard.records.blocks import Counts, ErrorTags, Floats, ItemBlock, Labels, ScoredBlock, TextColumn
from steelyard.records.items import Item, Prediction
from steelyard.registry import Metric, block_form
from steelyard.scoring.blocks import BlockScores, TextPair, metric_block, needs_pairs
from steelyard.scoring.rules import RuleBlocks

StrictPair = Callable[[int], tuple[Item, Prediction | None] | None]
"""Reads a row of the block at hand, and the prediction that belongs to it, as the strict reader does."""
_Way: TypeAlias = tuple[Extraction, tuple[str, ...]]
"""How answers are found in outputs: the extraction, and the choices that it may know."""
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PlainItems:
    """Plain rows of a dataset with their predictions and tags."""

    items: PlainRows[ItemRoles]
    predictions: PlainRows[PredictionRoles]
    tags: dict[str, Labels]

    def kept(self, rows: Any) -> PlainItems:
        """Return some of the rows."""
        return PlainItems(self.items.kept(rows), self.predictions.kept(rows), selected(self.tags, rows))

    def lines(self) -> Integers:
        """Return the line of each row in its file."""
        return self.items.block.raw.numbers_of(self.items.rows)

    def columns(self) -> dict[str, Any]:
        """Return what a scored block has of its rows, whatever judges them."""
        conversations, turns = conversation_columns(self.items)
        named = [conversations.value(row) for row in range(len(turns))] if conversations.names else None
        details = detail_columns(self.predictions) | ({"conversation": named} if named else {})
        return {
            "start": 0,
            "ids": self.items.named("id"),
            "lines": self.lines(),
            "inputs": self.items.named("input"),
            "tags": self.tags,
            "clusters": conversations,
            "details": details | ({"turn": turns} if any(turn is not None for turn in turns) else {}),
        }


class BlockScoring:
    """Scores plain rows in the one way that a task allows."""

    def __init__(self, judge: Judge, strict_pair: StrictPair) -> None:
        self.judge = judge
        self.strict_pair = strict_pair
        self.rules = None if judge.rules is None else RuleBlocks(judge.rules)
        # Which label an answer spells is found for each distinct pair.
        self.forms = [_text_form(judgement) for judgement in judge.judgements]
        self.by_columns = judge.labels is None and None not in self.forms
        self.typed = typed_form(judge)

    def share(self, plain: PlainItems) -> float:
        """Return how many of some plain rows can be scored here."""
        items, predictions = plain.items, plain.predictions
        if self.typed is not None:
            answers, _ = extracted_values(outputs_of(predictions), self.judge.judgements[0])
            return self.typed.share(answers, references_of(items))
        outputs, references = predictions.named("output"), items.named("reference")
        return float(self.by_columns or (len(items) > 0 and distinct_pairs(outputs, references) is not None))

    def scored(self, plain: PlainItems) -> tuple[PlainItems, ScoredBlock]:
        """Return the rows that could be scored, and their block."""
        if self.by_columns:
            return self._by_columns(plain)
        return self._by_pairs(plain) if self.typed is None else self._by_type(self.typed, plain)

    def _by_columns(self, plain: PlainItems) -> tuple[PlainItems, ScoredBlock]:
        """Judge rows in whose outputs every judgement finds an answer, and those in which the only one finds none."""
        outputs = plain.predictions.named("output")
        judgements = {_way(judgement): judgement for judgement in self.judge.judgements}
        answers = {way: extracted(outputs, judgement) for way, judgement in judgements.items()}
        found = np.logical_and.reduce([answer.found for answer in answers.values()])
        if found.all():
            return plain, self._answered(plain, {way: answer.texts for way, answer in answers.items()})
        scored = self._answered(plain.kept(found), {way: _kept(answer, found) for way, answer in answers.items()})
        missing = next(iter(answers.values())).missing if len(self.forms) == 1 else {}
        if not missing:
            return plain.kept(found), scored
        is_missing = np.zeros(len(found), np.bool_)
        is_missing[[*missing]] = True
        unanswered = self._unanswered(plain.kept(is_missing), [*missing.values()])
        if not found.any():
            return plain.kept(is_missing), unanswered
        order = np.argsort(np.concatenate([np.flatnonzero(found), np.flatnonzero(is_missing)]), kind="stable")
        return plain.kept(found | is_missing), woven([scored, unanswered], order)

    def _answered(self, plain: PlainItems, answers: dict[_Way, TextColumn]) -> ScoredBlock:
        outputs, references = plain.predictions.named("output"), plain.items.named("reference")
        pairs = self._text_pairs(answers, references)
        pair = pairs[0]
        scores = [self._scores(number, found) for number, found in enumerate(pairs)]
        first = scores[0]
        checked, rule_tags = self._checked(outputs)
        columns = plain.columns()
        return ScoredBlock(
            **columns,
            item_hashes=item_hashes(columns["inputs"], references),
            states=Labels(["scored"], np.zeros(len(plain.items), np.int32)),
            expected=references,
            predicted=pair.predicted,
            outputs=outputs,
            primary=first.primary,
            passed=first.passed,
            scores=dict(sorted((self._numbers(scores, pair) | checked).items())),
            error_tags=combined([*self._error_tags(scores), *rule_tags]),
            explain=first.explain,
            counts=self._counts(pair),
        )

    def _unanswered(self, plain: PlainItems, outcomes: Sequence[NotFound]) -> ScoredBlock:
        """Judge outputs without an answer, as `judging.cards.unanswered` does: 0 wherever that is the worst value."""
        outputs, references = plain.predictions.named("output"), plain.items.named("reference")
        directions = self.judge.judgements[0].scorers["text"].definition.sub_scores
        perfect = self.forms[0](TextPair(references, references)).sub_scores
        parts = {
            name: np.where(np.isnan(values) | (directions.get(name) != "higher"), np.nan, 0.0)
            for name, values in perfect.items()
        }
        worst = {metric.name: _worst(metric) for metric in self.judge.metrics}
        metrics = {name: np.full(len(outcomes), value) for name, value in worst.items()}
        checked, rule_tags = self._checked(outputs)
        columns = plain.columns()
        return ScoredBlock(
            **columns,
            item_hashes=item_hashes(columns["inputs"], references),
            states=Labels(["unparsed"], np.zeros(len(outcomes), np.int32)),
            expected=references,
            predicted=[None] * len(outcomes),
            outputs=outputs,
            primary=np.zeros(len(outcomes)),
            passed=np.zeros(len(outcomes), np.bool_),
            scores=dict(sorted((parts | metrics | checked).items())),
            error_tags=combined([ErrorTags.of([outcome.tags for outcome in outcomes]), *rule_tags]),
            explain=[no_answer(text, found.reason) for text, found in zip(references, outcomes, strict=True)],
            counts=count_columns(self.judge.corpus, [(None, Text(reference)) for reference in references]),
        )

    def _text_pairs(self, answers: dict[_Way, TextColumn], references: TextColumn) -> list[TextPair]:
        """Return answers and references for each judgement; those that find the same answers share what is measured."""
        needed = needs_pairs(self.judge.metrics)
        pairs = {way: TextPair(texts, references, pairs=needed) for way, texts in answers.items()}
        return [pairs[_way(judgement)] for judgement in self.judge.judgements]

    def _by_type(self, form: TypedForm, plain: PlainItems) -> tuple[PlainItems, ScoredBlock]:
        """Judge numbers or lists."""
        answers, found = extracted_values(outputs_of(plain.predictions), self.judge.judgements[0])
        if not found.all():
            plain, answers = plain.kept(found), answers.kept(found)
        answered = form.judge(answers, references_of(plain.items))
        plain = plain.kept(answered.kept)
        texts = TextColumn.of([text or "" for text in answered.predicted])
        pair = TextPair(texts, answered.expected, pairs=needs_pairs(self.judge.metrics))
        outputs = outputs_of(plain.predictions).shown()
        checked, rule_tags = self._checked(outputs)
        columns = plain.columns()
        scored = ScoredBlock(
            **columns,
            item_hashes=references_of(plain.items).hashes_with(columns["inputs"]),
            states=in_order(Labels(["scored", "unparsed"], answered.unparsed.astype(np.int32))),
            expected=answered.expected,
            predicted=answered.predicted,
            outputs=outputs,
            primary=answered.scores.primary,
            passed=answered.scores.passed,
            scores=dict(sorted((self._numbers([answered.scores], pair) | checked).items())),
            error_tags=combined([answered.scores.error_tags, *rule_tags]),
            explain=answered.scores.explain,
            counts=self._counts(pair),
        )
        return plain, scored

    def _by_pairs(self, plain: PlainItems) -> tuple[PlainItems, ScoredBlock]:
        """Judge each distinct pair once."""
        pairs = self._pairs(plain)
        kept = np.zeros(len(plain.items), np.bool_) if pairs is None else pairs.places >= 0
        plain = plain.kept(kept)
        if pairs is None:
            return plain, self.judge.judge(ItemBlock(0, [], []))
        judged, places = pairs.judged, pairs.places[kept]
        columns = plain.columns()
        scored = ScoredBlock(
            **columns,
            item_hashes=item_hashes(columns["inputs"], plain.items.named("reference")),
            states=in_order(Labels(judged.states.names, judged.states.codes[places])),
            expected=texts_at(judged.expected, places),  # type: ignore[arg-type]  # every item has a reference
            predicted=texts_at(judged.predicted, places),
            outputs=plain.predictions.named("output"),
            primary=judged.primary[places],
            passed=judged.passed[places],
            scores={name: values[places] for name, values in judged.scores.items()},
            error_tags=error_tags_at(judged.error_tags, places),
            explain=texts_at(judged.explain, places),  # type: ignore[arg-type]  # every card has a sentence
            truth=labels_at(judged.truth, places),
            guess=labels_at(judged.guess, places),
            confidence=None if judged.confidence is None else judged.confidence[places],
            confidence_kind=labels_at(judged.confidence_kind, places),
            counts={name: counts[places] for name, counts in judged.counts.items()},
        )
        return plain, scored

    def _pairs(self, plain: PlainItems) -> JudgedPairs | None:
        items, predictions = plain.items, plain.predictions
        found = distinct_pairs(predictions.named("output"), items.named("reference"))
        if found is None:
            return None
        firsts, codes = found
        rows = items.rows[firsts]
        return judged_pairs(self.judge, rows, codes, self.strict_pair)

    def _scores(self, number: int, pair: TextPair) -> BlockScores:
        found: BlockScores = self.forms[number](pair)
        return found

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


def _text_form(judgement: Judgement) -> Any:
    """Return the block form of a judgement of text; None where it is made by other means."""
    scorer = judgement.scorers.get("text") if judgement.answer_type == "text" else None
    return None if scorer is None or not is_extracted_by_columns(judgement) else block_form(scorer)


def _worst(metric: Metric) -> float:
    """Return what a metric gives where there is no answer: 0 where that is its worst value, else null."""
    definition = metric.definition
    return 0.0 if definition.direction == "higher" and definition.bounded else np.nan


def _way(judgement: Judgement) -> _Way:
    return judgement.extraction, judgement.choices


def _kept(answers: Extracted, rows: npt.NDArray[np.bool_]) -> TextColumn:
    return TextColumn(answers.texts.data, answers.texts.starts[rows], answers.texts.ends[rows])
