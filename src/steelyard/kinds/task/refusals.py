"""What an evaluation is refused for that would be about nothing: names that no row has, and no answer at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import islice

from steelyard.errors import ConfigurationError, InputError, Problem, Problems, UsageError
from steelyard.items.named_fields import field_names, listed, unknown_tag
from steelyard.items.source import Source
from steelyard.reading.references import PREDICTION_FIELDS, item_id
from steelyard.reading.rows import read_rows
from steelyard.records.plans import DERIVED_TAGS, ReportPlan

GIVE = "give --predictions FILE or --model SPEC; a row of the dataset may carry its own"
_SHOWN_IDS = 3
_DERIVED_FROM = {
    "length_bucket": "the input",
    "turn": "`turn_idx`, or the field that `fields: {turn: …}` names",
    "operations": "a turn program",
    "answer_type": "the answer type",
}


def refuse_unseen(source: Source, *, answers: bool = True) -> None:
    """Raise for every named field that no row had; `answers` are looked at where there were to be any."""
    problems = source.item_fields.problems(source.dataset, source.limits)
    if answers:
        problems += source.answer_fields.problems(source.predictions or source.dataset, source.limits)
    if problems:
        raise ConfigurationError(problems)


def refuse_unknown_tags(plan: ReportPlan, tags: Collection[str], source: Source) -> None:
    """Raise for every key of a slice, of the report or of a gate, that is a tag of no item."""
    asked = dict.fromkeys(key for keys in plan.slice_by for key in keys)
    unknown = [key for key in asked if key not in tags]
    gated = [key for key in source.gated if key not in tags and key not in asked]
    if unknown or gated:
        fields = field_names(source.dataset, source.limits)
        near = {*tags, *DERIVED_TAGS, *fields}
        problems = [_unknown_tag(key, tags, near) for key in unknown]
        raise ConfigurationError([*problems, *(_unknown_gate_tag(key, tags, fields) for key in gated)])


def _unknown_gate_tag(key: str, tags: Collection[str], fields: Collection[str]) -> Problem:
    problem = unknown_tag(key, tags, whose="a gate names, and no item has,")
    if key not in (*fields, *DERIVED_TAGS):
        return problem
    return replace(problem, hint=f"name {key} under `eval: {{slice_by_tags: …}}` too, which makes it a tag")


def _unknown_tag(key: str, tags: Collection[str], near: Collection[str]) -> Problem:
    if key in _DERIVED_FROM:
        message = f"no item has the tag {key!r}, which is derived from {_DERIVED_FROM[key]}"
        return Problem("unknown-tag", message, hint="leave it out, or give the rows what it is derived from")
    return unknown_tag(key, tags, near=near)


def refuse_unanswered(states: Mapping[str, int], source: Source) -> None:
    """Raise where every item is missing and no row of predictions says so itself."""
    if states["missing"] < sum(states.values()) or source.answer_fields.has_failures:
        return
    if source.predictions is None:
        raise UsageError(_none_given(source))
    raise InputError(_no_output(source) if source.answer_fields.has_rows else _no_item(source))


def _none_given(source: Source) -> Problem:
    found = listed(field_names(source.dataset, source.limits))
    message = f"there are no predictions: no file, no model, and no row carries one; its fields are {found}"
    return Problem("no-predictions", message, hint=GIVE, file=str(source.dataset))


def _no_output(source: Source) -> Problem:
    known = field_names(source.predictions or source.dataset, source.limits)
    usual = ", ".join(PREDICTION_FIELDS)
    message = f"no row of predictions has a prediction: none of {usual}; the fields are {listed(known)}"
    hint = "name the field: --prediction-field NAME, or `fields: {prediction: NAME}` in the task"
    return Problem("no-predictions", message, hint=hint, file=str(source.predictions))


def _no_item(source: Source) -> Problem:
    if source.rejected:
        hint = "evaluate without --bad-rows quarantine to see what is wrong with each"
        message = f"all {source.rejected} rows of predictions were set aside, and none of them names an item"
        return Problem("no-predictions", message, hint=hint, file=str(source.predictions))
    first, line = next(iter(source.unknown_ids), (None, None))
    given = listed([found for found, _ in source.unknown_ids[:_SHOWN_IDS]])
    message = f"no prediction is for an item of the dataset: its ids begin with {listed(_first_ids(source))}"
    message += f", those of the predictions with {given}" if source.unknown_ids else ""
    hint = "predictions meet items by id: check that the two files belong together, and `fields: {id: NAME}`"
    return Problem("unknown-id", message, hint=hint, file=str(source.predictions), line=line, item_id=first)


def _first_ids(source: Source) -> list[str]:
    rows = read_rows(source.dataset, Problems(), limits=source.limits)
    found = (item_id(row.fields, source.names) for row in rows)
    return list(islice((name for name in found if name is not None), _SHOWN_IDS))
