"""Gold set accuracy: exact match on a small curated set, whose predictions come by id from the run's own (seed 001)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from steelyard.aggregate.means import Mean, detail
from steelyard.aggregate.report import Report
from steelyard.canonical.extraction import after_prompt, parse_extraction
from steelyard.errors import InputError, Problem, Problems
from steelyard.items.journal import StoredJournal
from steelyard.items.named_fields import NamedFields
from steelyard.items.row_values import row_prediction, row_reference
from steelyard.items.sampling import Selection
from steelyard.items.source import Source
from steelyard.judging.items import Judge, Judgement
from steelyard.reading.rows import Row, read_rows
from steelyard.records.blocks import ItemBlock
from steelyard.records.items import Item
from steelyard.registry import bind_scorer
from steelyard.scoring.gold import size_warning
from steelyard.tasks.loading import prompt_text
from steelyard.tasks.preparation import METRIC, GoldSet, Prepared


def add_gold(
    report: Report, prepared: Prepared, source: Source, journal: StoredJournal | None, *, aside: bool = False
) -> None:
    """Judge the task's gold set and put its accuracy into the report; a task without one has none.

    A gold set that none of the predictions is for is refused, but not `aside`, where a run is judged as it was made.
    """
    if prepared.gold is not None:
        plan, items = prepared.report, gold_source(prepared.gold, source)
        mean, answered = _judged(prepared.gold, prepared, source, items, journal)
        if not (aside or answered):
            raise InputError(_unanswered(prepared.gold))
        report.further[METRIC] = _detail(mean, prepared.gold, mean.interval(rounds=plan.rounds, seed=plan.seed))


def _detail(mean: Mean, gold: GoldSet, interval: Any) -> dict[str, Any]:
    found = detail(mean, interval, "higher") | {"signature": gold.metric.signature}
    warning = size_warning(len(gold.ids))
    return found | ({"warning": warning} if warning else {})


def _unanswered(gold: GoldSet) -> Problem:
    message = f"none of the {len(gold.ids)} items of the gold set has a prediction"
    hint = "predictions of gold items stand by id beside the others; or leave out `eval.gold_set`"
    return Problem("no-predictions", message, hint=hint, file=str(gold.path))


def _judged(
    gold: GoldSet, prepared: Prepared, source: Source, items: Source, journal: StoredJournal | None
) -> tuple[Mean, bool]:
    """Judge the gold items; say whether any has a prediction, or a row that says why it has none.

    Their predictions go to the run's journal, so that they can be judged again.
    """
    judge = Judge([_judgement(prepared)], [gold.metric], file=str(gold.path))
    mean, answered = Mean("rate"), False
    for block in items.blocks():
        judged = judge.judge(block)
        mean.update(np.asarray(judged.scores[METRIC]))
        answered |= set(judged.states.names) != {"missing"}
        if journal is not None:
            pairs = zip(block.items, block.predictions, strict=True)
            own = [pair for pair in pairs if pair[0].id not in source.shared]
            journal.write(ItemBlock(block.start, [item for item, _ in own], [prediction for _, prediction in own]))
    items.problems.merge(judge.problems)
    items.problems.raise_if_any()
    return mean, answered or items.answer_fields.has_failures


def _judgement(prepared: Prepared) -> Judgement:
    names, task = prepared.field_names, prepared.task
    return Judgement(
        name=METRIC,
        scorers={"text": bind_scorer("answer_correctness@v1")},
        answer_type="text",
        extraction=after_prompt(parse_extraction(task.extract), prompt_text(task, prepared.folder)),
        prediction=partial(row_prediction, names=names),
        reference=partial(row_reference, names=names),
    )


def gold_source(gold: GoldSet, source: Source) -> Source:
    """Return the gold items, with predictions from where the run has its own; rows set aside are none."""
    return replace(
        source, dataset=gold.path, selection=Selection(), derived=frozenset(), elsewhere=frozenset(), quarantine=None,
        problems=Problems(), unknown_ids=[], unknown_total=0, n_items=0, item_fields=NamedFields(),
        answer_fields=NamedFields(), known_rows=source.known_rows or _known_rows(gold, source),
    )  # fmt: skip


def _known_rows(gold: GoldSet, source: Source) -> Callable[[str], Row | None] | None:
    """Return the rows of predictions for gold items; None where rows carry their own."""
    if source.predictions is None:
        return None
    known: dict[str, Row] = {}
    for row in read_rows(source.predictions, Problems(), limits=source.limits):
        found = source.prediction_id(row.fields)
        if found in gold.ids:
            known.setdefault(found, row)
    return known.get


def gold_items(gold: GoldSet, source: Source) -> Iterator[Item]:
    """Yield the gold items that a model must be asked beside those of the dataset, which have been read."""
    for block in gold_source(gold, replace(source, predictions=None)).blocks():
        yield from (item for item in block.items if item.id not in source.shared)
