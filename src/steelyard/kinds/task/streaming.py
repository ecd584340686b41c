"""Blocks through the rooms: read, judge, record. Nothing here holds more than one.

Before it: where items and predictions come from, and what judges them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from steelyard.canonical.references import BadReference, ReferenceContext, expected_answer
from steelyard.errors import InputError, Problem, Problems
from steelyard.items.journal import StoredJournal
from steelyard.items.named_fields import NamedFields
from steelyard.items.sampling import Selection
from steelyard.items.source import SMALLEST_FILE, Source
from steelyard.judging.columns import LabelNames
from steelyard.judging.items import DryJudge, Judge, Judgement
from steelyard.judging.workers import judged_by_processes
from steelyard.kinds.task.refusals import refuse_unanswered, refuse_unknown_tags, refuse_unseen
from steelyard.reading.limits import Limits
from steelyard.reading.rows import Row, read_rows
from steelyard.records.answers import Choice
from steelyard.records.blocks import ItemBlock, ScoredBlock
from steelyard.records.plans import DERIVED_TAGS, ReportPlan
from steelyard.records.runs import Reading
from steelyard.runs.places import Progress
from steelyard.runs.recipes import Taking
from steelyard.secrets import hidden, warn_of_plain_secrets
from steelyard.store.journal import odd_answers
from steelyard.tasks.fields import answer_fields, field_metrics, gate_tags, item_fields
from steelyard.tasks.loading import EvaluateOptions
from steelyard.tasks.preparation import Prepared, resolve


def stream(
    recorder: Taking,
    judge: Judge | DryJudge,
    source: Source,
    journal: StoredJournal | None,
    progress: Progress | None,
    *,
    aside: bool = False,
) -> None:
    """Carry blocks through the rooms, nothing here holds more than one; then refuse what would be about nothing.

    What is judged again `aside` was held to its names when it was first judged, maybe with other data.
    """
    tags: set[str] = set()
    for scored in judged_blocks(judge, source, journal):
        if len(scored):
            recorder.add(scored)
            tags.update(scored.tags)
        if progress is not None:
            progress(recorder.report.n_items)
    if not aside:
        refuse_unseen(source)
    source.problems.merge(judge.problems)
    source.problems.raise_if_any()
    if not recorder.report.n_items:
        hint = "check --limit and --sample-size; an evaluation of nothing would say nothing"
        raise InputError(Problem("no-items", "no items are left to evaluate", hint=hint, file=str(source.dataset)))
    if not aside and isinstance(judge, Judge):
        refuse_unanswered(recorder.report.states, source)
        refuse_unknown_tags(recorder.report.plan, tags, source)


def block_path(judge: Judge, source: Source, journal: StoredJournal | None) -> Iterator[ScoredBlock] | None:
    """Return the judged blocks of a dataset by columns, or None where it is too small for their machinery."""
    if source.dataset.stat().st_size < SMALLEST_FILE:
        return None
    from steelyard.judging import path  # noqa: PLC0415 - thirty modules and their loops, for large files alone

    return path.block_path(judge, source, journal)


def judged_blocks(judge: Judge | DryJudge, source: Source, journal: StoredJournal | None) -> Iterator[ScoredBlock]:
    """Yield the judged blocks of a source: in columns, or row by row where it is small."""
    if isinstance(judge, DryJudge):
        return map(judge.unscored, judged_blocks(judge.judge, source, journal))
    found = block_path(judge, source, journal)
    return judged_by_processes(judge, _journaled(source.blocks(), journal), source.workers) if found is None else found


def _journaled(blocks: Iterator[ItemBlock], journal: StoredJournal | None) -> Iterator[ItemBlock]:
    for block in blocks:
        if journal is not None:
            journal.write(block)
        yield block


def prediction_facts(journal: Path | None, reading: Reading) -> dict[str, Any]:
    """Return what a run's results say of its predictions: which did not count, and how many were cut short."""
    counts = {"unknown_ids": reading.unknown_ids, "quarantined": reading.quarantined}
    return {"predictions": counts | (odd_answers(journal) if journal is not None else {})}


# Where the items and predictions of an evaluation come from, and what judges them.


MAX_LABELS = 10_000


def make_source(prepared: Prepared, options: EvaluateOptions, *, journal: bool = False) -> Source:
    """Return where the items and predictions of an evaluation come from; `journal` is a run's own."""
    warn_of_plain_secrets()
    task, keys = prepared.task, [key for keys in prepared.report.slice_by for key in keys]
    dataset = resolve(prepared, options.dataset, task.dataset, "dataset")
    assert dataset is not None
    limits = Limits(**options.limits)
    selection = Selection(options.limit, options.sample_size, options.seed, partial(_rows, dataset, limits))
    return Source(
        dataset,
        resolve(prepared, options.predictions, task.predictions, "predictions"),
        prepared.field_names,
        task.tag_fields,
        selection,
        limits=limits,
        cluster_by=task.cluster_by,
        answer_type=task.answer_type,
        derived=frozenset(key for key in keys if key in DERIVED_TAGS),
        sliced=tuple(dict.fromkeys(key for key in keys if key not in (*DERIVED_TAGS, *task.tag_fields))),
        item_fields=NamedFields(item_fields(task)),
        answer_fields=NamedFields(answer_fields(task, journal=journal)),
        predicted=frozenset(entry.pred_field for entry in field_metrics(task)),
        elsewhere=prepared.gold.ids if prepared.gold else frozenset(),
        gated=gate_tags(task),
        workers=options.workers,
    )


def _rows(dataset: Path, limits: Limits) -> Iterator[Row]:
    return read_rows(dataset, Problems(), limits=limits)


def report_over(prepared: Prepared, source: Source) -> ReportPlan:
    """Return what is reported over a source's items: in conversations where it has them and nothing else is said."""
    if prepared.task.cluster_by is not None:
        return prepared.report
    return replace(prepared.report, clustered=source.begins_in_a_conversation())


def make_judge(prepared: Prepared, source: Source) -> Judge:
    """Return what judges the blocks of a source."""
    labels = label_names(prepared, source) if prepared.classification else None
    return Judge(
        prepared.judgements,
        prepared.metrics,
        labels=labels,
        corpus=prepared.corpus,
        rules=prepared.rules,
        file=str(source.dataset),
    )


def raw_references(judgement: Judgement, source: Source) -> Iterator[Any]:
    """Yield every raw reference of a dataset at least once."""
    from steelyard.judging import labelling  # noqa: PLC0415 - for classifications alone

    return labelling.raw_references(judgement, source)


def label_names(prepared: Prepared, source: Source) -> LabelNames:
    """Return the labels of a classification: the declared ones, or those that the references have."""
    aliases = {alias: choice for choice, found in prepared.task.aliases.items() for alias in found}
    if prepared.task.choices:
        return LabelNames(prepared.task.choices, aliases, prepared.field_names.confidence)
    found: dict[str, None] = {}
    for raw in raw_references(prepared.judgements[0], source):
        value = _label(hidden(raw))
        if value is not None:
            found.setdefault(value)
        if len(found) > MAX_LABELS:
            message = f"there are more than {MAX_LABELS} labels, expected those of a classification"
            raise InputError(Problem("bad-reference", message, hint="answer_type: text judges free text"))
    return LabelNames(sorted(found), aliases, prepared.field_names.confidence)


def _label(raw: Any) -> str | None:
    try:
        answer = expected_answer(raw, "choice", ReferenceContext(choices=()))
    except BadReference:
        return None
    return answer.value if isinstance(answer, Choice) else None
