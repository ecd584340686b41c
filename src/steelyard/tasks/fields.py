"""The fields that a task names, in the rows of items and in the rows of predictions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from steelyard.configuration.task import FieldMetric, Task
from steelyard.items.named_fields import Fields, NamedField
from steelyard.items.row_values import predicted_field
from steelyard.reading.references import has_field, value_of
from steelyard.records.plans import DERIVED_TAGS, NO_CLUSTERS, SEPARATOR

MEANINGS = {
    "id": "the id",
    "input": "the input",
    "reference": "the reference",
    "choices": "the choices",
    "conversation": "the conversation",
    "turn": "the turn",
}
"""What `fields:` may name in the rows of a dataset; the others stand in rows of predictions."""


def item_fields(task: Task) -> Iterator[NamedField]:
    """Yield the fields that must stand in some row of the dataset."""
    for key, meaning in MEANINGS.items():
        name = getattr(task.fields, key)
        if name is not None:
            yield _at_path(name, meaning)
    for entry in field_metrics(task):
        yield _at_path(entry.label_field, f"the label_field of {entry.type}")
    if "tag_fields" in task.model_fields_set:
        yield from (_at_path(name, "a tag") for name in task.tag_fields)
    if task.cluster_by is not None and task.cluster_by not in (*DERIVED_TAGS, NO_CLUSTERS):
        yield _cluster(task.cluster_by)


def answer_fields(task: Task, *, journal: bool = False) -> Iterator[NamedField]:
    """Yield the fields that must stand in some row of predictions.

    A run's own journal may lack the confidence: models have their own name for it, or none. It has outputs, in whose
    JSON a metric looks for its field; one without it is unparsed.
    """
    if task.fields.prediction is not None:
        yield _at_path(task.fields.prediction, "the prediction")
    if task.fields.confidence is not None and not journal:
        yield _at_path(task.fields.confidence, "the confidence")
    if not journal:
        yield from map(_predicted, field_metrics(task))


def gold_fields(task: Task) -> Iterator[NamedField]:
    """Yield the fields that must stand in some row of a gold set."""
    for key in ("id", "reference"):
        name = getattr(task.fields, key)
        if name is not None:
            yield _at_path(name, MEANINGS[key])


def field_metrics(task: Task) -> list[FieldMetric]:
    """Return the metrics that name their fields themselves, as seed 003's do."""
    return [entry for entry in task.metrics or () if isinstance(entry, FieldMetric)]


def _at_path(name: str, meaning: str) -> NamedField:
    return NamedField(name, meaning, partial(has_field, name=name))


def _predicted(entry: FieldMetric) -> NamedField:
    return NamedField(
        entry.pred_field,
        f"the pred_field of {entry.type}",
        partial(_is_found, name=entry.pred_field),
    )


def _is_found(fields: Fields, name: str) -> bool:
    try:
        predicted_field(fields, name)
    except KeyError:
        return False
    return True


def _cluster(name: str) -> NamedField:
    return NamedField(name, "what items are clustered by", partial(_is_found_or_tag, name=name))


def _is_found_or_tag(fields: Fields, name: str) -> bool:
    tags = fields.get("tags")
    return value_of(fields, name) is not None or (isinstance(tags, dict) and tags.get(name) is not None)


def gate_tags(task: Task) -> tuple[str, ...]:
    """Return the tags that the gates of a task name; gates that cannot be meant name none."""
    return tuple(
        dict.fromkeys(key for entry in task.gates for key in _tags(entry.get("slice"), entry.get("slice_each")))
    )


def _tags(where: object, each: object) -> Iterator[str]:
    if isinstance(where, dict):
        yield from map(str, where)
    if isinstance(each, str):
        yield from each.split(SEPARATOR)
