"""Scores that another tool recorded, beside the items and outputs that they are of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from steelyard.canonical.references import BadReference, ReferenceContext, expected_answer
from steelyard.errors import Problem, Problems
from steelyard.items.row_values import number_of
from steelyard.items.source import Source
from steelyard.judging.columns import Columns, Verdict, scored_block
from steelyard.judging.items import output_text
from steelyard.kinds.imported.recipe import ImportedRecipe
from steelyard.kinds.task.identity import manifest_of
from steelyard.kinds.task.streaming import make_source, prediction_facts
from steelyard.reading.ids import sha256_file
from steelyard.reading.references import prediction_field, reference_field, value_of
from steelyard.records.blocks import ItemBlock, ScoredBlock
from steelyard.records.items import FieldNames, Item, Prediction
from steelyard.records.plans import ReportPlan
from steelyard.records.runs import Reading
from steelyard.records.scores import Scorecard
from steelyard.runs.places import Watching
from steelyard.runs.recipes import Found, Taking
from steelyard.runs.recording import RunIdentity
from steelyard.tasks.loading import EvaluateOptions
from steelyard.tasks.preparation import Prepared

RECORDED = "recorded"
"""The field of a journal's line that holds the tool's scores by the names of its scorers."""


@dataclass
class RecordedJudge:
    """Gives every item the scores that stand with its output."""

    recipe: ImportedRecipe
    source: Source
    problems: Problems = field(default_factory=Problems)

    def judge(self, block: ItemBlock) -> ScoredBlock:
        """Return a block as it was judged elsewhere."""
        columns = Columns()
        for item, prediction in zip(block.items, block.predictions, strict=True):
            self._item(columns, item, prediction)
        return scored_block(block.start, columns, labels=None, corpus=())

    def _item(self, columns: Columns, item: Item, prediction: Prediction | None) -> None:
        reference = reference_field(item.fields, self.source.names)
        raw = None if reference is None else value_of(item.fields, reference)
        try:
            expected = expected_answer(raw, "text", ReferenceContext(choices=()))
        except BadReference as error:
            self.problems.add(Problem(error.code, str(error), file=str(self.source.dataset), line=item.line))
            return
        recorded = _recorded(prediction)
        primary, *further = self.recipe.scorers
        found = number_of(recorded.get(primary))
        card = _card(found, f"{self.recipe.scorers[primary]} gave {recorded.get(primary)}.")
        output = _output(prediction, self.source.names)
        state = "missing" if prediction is None else prediction.state or "scored"
        columns.verdicts.append(Verdict(state, card, expected, None, output, output, raw))
        columns.items.append(item)
        columns.predictions.append(prediction)
        columns.scores.append({name: number_of(recorded.get(name)) for name in further})
        columns.error_tags.append(card.error_tags)


def _recorded(prediction: Prediction | None) -> Mapping[str, Any]:
    found = None if prediction is None else prediction.fields.get(RECORDED)
    return found if isinstance(found, dict) else {}


def _card(score: float | None, explain: str) -> Scorecard:
    """Return a card: an item without a score stays in the denominator, as 0."""
    if score is None:
        return Scorecard(0.0, passed=False, sub_scores={}, error_tags=("unscored",), explain="No score was recorded.")
    return Scorecard(score, passed=score >= 1, sub_scores={}, error_tags=(), explain=explain)


def _output(prediction: Prediction | None, names: FieldNames) -> str | None:
    named = None if prediction is None else prediction_field(prediction.fields, names, None)
    return None if prediction is None or named is None else output_text(value_of(prediction.fields, named))


@dataclass(frozen=True)
class ImportedEvaluation:
    """An imported run's own journal, ready to be taken up again."""

    prepared: Prepared
    """Of the data alone: which fields hold what. No scorer of ours is asked."""
    recipe: ImportedRecipe
    source: Source
    model: Mapping[str, Any]
    reading: Reading
    judged_by: dict[str, Any] | None = None
    group_rows: int | None = None

    @cached_property
    def identity(self) -> RunIdentity:
        """What the run says about itself."""
        scorers = [*self.recipe.scorers.values()]
        return RunIdentity(
            task=self.prepared.task.task,
            scorer_version=scorers[0],
            signatures={"scorers": scorers, "metrics": [], "canonical": []},
            model=self.model,
            dataset={"path": str(self.source.dataset), "sha256": sha256_file(self.source.dataset)},
            kind="imported",
        )

    @property
    def plan(self) -> ReportPlan:
        """What is reported over the items."""
        primary, *further = self.recipe.scorers
        own = self.prepared.report
        directions = dict.fromkeys((primary, *further), "higher")
        return ReportPlan(
            primary,
            tuple(further),
            directions,  # type: ignore[arg-type]  # "higher" is a direction
            slice_by=own.slice_by,
            hard_examples=own.hard_examples,
            clustered=own.clustered or self.source.begins_in_a_conversation(),
        )

    def config(self) -> dict[str, Any]:
        """Return the recipe as the run keeps it."""
        return self.recipe.config()

    def manifest(self, taking: Taking, found: Found) -> dict[str, Any]:
        """Return the manifest of the items."""
        del found
        return manifest_of(self.source, taking.report.n_items)

    def judge(self, taking: Taking, watching: Watching) -> Found:
        """Take up every item with the scores that were recorded."""
        judge = RecordedJudge(self.recipe, self.source)
        for block in self.source.blocks():
            taking.add(judge.judge(block))
            if watching.judged is not None:
                watching.judged(taking.report.n_items)
        self.source.problems.merge(judge.problems)
        self.source.problems.raise_if_any()
        return Found(prediction_facts(self.source.predictions, self.reading), self.reading)


def imported_evaluation(
    prepared: Prepared, options: EvaluateOptions, recipe: ImportedRecipe, model: Mapping[str, Any], reading: Reading
) -> ImportedEvaluation:
    """Return an imported run ready to be taken up."""
    return ImportedEvaluation(prepared, recipe, make_source(prepared, options, journal=True), model, reading)
