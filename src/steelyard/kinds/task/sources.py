"""Where the items and predictions of an evaluation come from, and what judges them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from steelyard.canonical.references import BadReference, ReferenceContext, expected_answer
from steelyard.errors import InputError, Problem, Problems
from steelyard.items.named_fields import NamedFields
from steelyard.items.sampling import Selection
from steelyard.items.source import Source
from steelyard.judging.items import Judge, Judgement
from steelyard.judging.labels import LabelNames
from steelyard.reading.limits import Limits
from steelyard.reading.rows import Row, read_rows
from steelyard.records.answers import Choice
from steelyard.records.plans import DERIVED_TAGS, ReportPlan
from steelyard.secrets import hidden, warn_of_plain_secrets
from steelyard.tasks.fields import answer_fields, field_metrics, gate_tags, item_fields
from steelyard.tasks.options import EvaluateOptions
from steelyard.tasks.preparation import Prepared, resolve

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
