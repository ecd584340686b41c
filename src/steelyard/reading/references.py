"""Page 10's field rules: which field of a row is its id, input, reference, prediction, and what its tags are.

A name that the configuration gives is the only one looked at. Otherwise the first present field is taken; a field that
is null counts as present only where every other one is absent or null too, since Parquet has null for what is absent.

Beside them: lists of names as people write them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from steelyard.errors import Problem, excerpt, quoted
from steelyard.reading.ids import PREFIX, item_hash
from steelyard.records.answers import IFEVAL_KEYS
from steelyard.records.items import UNTAGGED, FieldNames

ID_FIELDS = ("id", "item_id", "sample_id", "trace_id")
INPUT_FIELDS = ("input", "prompt", "question", "text", "instruction")
IFEVAL_IDS, IFEVAL_ARGUMENTS = IFEVAL_KEYS
REFERENCE_FIELDS = ("ground_truth", "gt_*", "expected_answer", "reference", "output", "label", IFEVAL_IDS)
PREDICTION_FIELDS = ("prediction", "predicted", "predicted_answer", "pred_*", "parsed", "output", "response")
TRAINING_FIELDS = (("instruction", "output"), ("text", "label"))
"""Seed 001's rows for SFT and for classification; these need no id."""
TAG_FIELDS = ("section", "category", "difficulty")

_ABSENT = object()


def value_of(fields: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field, None where it is absent; `a.b` reaches into nested objects.

    >>> value_of({"meta": {"gold": "B"}}, "meta.gold")
    'B'
    """
    value = _reach(fields, name)
    return None if value is _ABSENT else value


def has_field(fields: Mapping[str, Any], name: str) -> bool:
    """Return whether a row has a field, be it null; `a.b` reaches into nested objects."""
    return _reach(fields, name) is not _ABSENT


def _reach(fields: Mapping[str, Any], name: str) -> Any:
    if name in fields or "." not in name:
        return fields.get(name, _ABSENT)
    first, rest = name.split(".", maxsplit=1)
    inner = fields.get(first)
    return _reach(inner, rest) if isinstance(inner, dict) else _ABSENT


def item_id(fields: Mapping[str, Any], mapping: FieldNames) -> str | None:
    """Return a row's id as text, or None where it has none that can be used.

    >>> item_id({"sample_id": 7}, FieldNames())
    '7'
    """
    name = mapping.id or _first(fields, ID_FIELDS)
    if name is None:
        return _content_id(fields, mapping)
    value = value_of(fields, name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value else None


def _content_id(fields: Mapping[str, Any], mapping: FieldNames) -> str | None:
    """Return the id of one of seed 001's training rows, which have none: a hash of what it asks and expects."""
    if not any(all(name in fields for name in names) for names in TRAINING_FIELDS):
        return None
    reference = reference_field(fields, mapping)
    content = item_hash(input_text(fields, mapping) or "", value_of(fields, reference) if reference else None)
    return f"row-{content.removeprefix(PREFIX)[:16]}"


def reference_field(fields: Mapping[str, Any], mapping: FieldNames) -> str | None:
    """Return the name of the field that holds the reference, or None; `no_reference` then says why."""
    return _named(fields, mapping.reference) if mapping.reference else _first(fields, REFERENCE_FIELDS)


def reference_value(fields: Mapping[str, Any], name: str) -> Any:
    """Return the reference in a field; IFEval's instructions stand in two."""
    value = value_of(fields, name)
    return {IFEVAL_IDS: value, IFEVAL_ARGUMENTS: fields.get(IFEVAL_ARGUMENTS)} if name == IFEVAL_IDS else value


def no_reference(fields: Mapping[str, Any], mapping: FieldNames) -> str:
    """Return why `reference_field` finds nothing in a row."""
    if mapping.reference:
        return f"there is no field {quoted(mapping.reference)}, which the configuration names as the reference"
    several = _with_prefix(fields, "gt_")
    if len(several) > 1:
        return f"there are several gt_* fields ({excerpt(', '.join(several))}); `fields: {{reference: …}}` says which"
    return f"there is none of {', '.join(REFERENCE_FIELDS)}"


def prediction_field(fields: Mapping[str, Any], mapping: FieldNames, reference: str | None) -> str | None:
    """Return the name of the field that holds the prediction, never the one used as reference, or None."""
    if mapping.prediction:
        return _named(fields, mapping.prediction) if mapping.prediction != reference else None
    return _first(fields, PREDICTION_FIELDS, but=reference)


def input_field(fields: Mapping[str, Any], mapping: FieldNames) -> str | None:
    """Return the name of the field that holds the input, or None."""
    return _named(fields, mapping.input) if mapping.input else _first(fields, INPUT_FIELDS)


def input_text(fields: Mapping[str, Any], mapping: FieldNames) -> str | None:
    r"""Return a row's input as text, or None where it has none; what is not text is shown as JSON.

    >>> input_text({"instruction": "Translate.", "input": "Haus"}, FieldNames())
    'Translate.\n\nHaus'
    """
    name = input_field(fields, mapping)
    if name is None or value_of(fields, name) is None:
        return None
    text = _as_text(value_of(fields, name))
    instruction = None if mapping.input or name != "input" else fields.get("instruction")
    if instruction is None:
        return text
    return f"{_as_text(instruction)}\n\n{text}" if text else _as_text(instruction)


def tags_of(
    fields: Mapping[str, Any], tag_fields: Iterable[str] = TAG_FIELDS, sliced: Iterable[str] = ()
) -> dict[str, str] | Problem:
    """Return the tags of a row, or the problem with one of them; null and empty text are no tag.

    A scalar that is `sliced` by becomes a tag where `tags` has none of that name.

    >>> tags_of({"section": "core", "tags": {"source": "human", "turns": 2, "note": None}})
    {'section': 'core', 'source': 'human', 'turns': '2'}
    """
    inner = fields.get("tags")
    if inner is not None and not isinstance(inner, dict):
        return _bad_tag("tags", inner, 'an object such as {"source": "human"}')
    tags: dict[str, str] = {}
    inner = inner or {}
    named = [(name, value_of(fields, name)) for name in tag_fields]
    for name, value in [*named, *inner.items(), *_sliced(fields, inner, sliced)]:
        if value is None or value == "":
            continue
        if isinstance(value, (dict, list)):
            return _bad_tag(name, value, "a text, number or boolean")
        text = _tag_text(value)
        if text == UNTAGGED:
            return _bad_tag(name, value, f"any value but {UNTAGGED}, which stands for items without the tag")
        if tags.setdefault(name, text) != text:
            return _bad_tag(name, value, f"{quoted(tags[name])}, which the same row says elsewhere")
    return tags


def _sliced(fields: Mapping[str, Any], inner: Mapping[str, Any], names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    for name in names:
        value = value_of(fields, name) if name not in inner else None
        if not isinstance(value, (dict, list)):
            yield name, value


def _tag_text(value: str | float | bool) -> str:  # noqa: FBT001
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _bad_tag(name: str, value: Any, expected: str) -> Problem:
    message = f"the tag {quoted(name)} is {excerpt(_as_text(value))}, expected {expected}"
    return Problem("bad-tag", message, hint="change the value, or leave the tag out")


def _first(fields: Mapping[str, Any], names: tuple[str, ...], *, but: str | None = None) -> str | None:
    null = None
    for pattern in names:
        name = _only(fields, pattern[:-1]) if pattern.endswith("*") else pattern
        if name is None or name == but or name not in fields:
            continue
        if fields[name] is not None:
            return name
        null = null or name
    return null


def _only(fields: Mapping[str, Any], prefix: str) -> str | None:
    """Return the one field with a prefix, or None where there are none or several."""
    names = _with_prefix(fields, prefix)
    return names[0] if len(names) == 1 else None


def _with_prefix(fields: Mapping[str, Any], prefix: str) -> list[str]:
    names = [name for name in fields if name.startswith(prefix)]
    return [name for name in names if fields[name] is not None] or names[:1]


def _named(fields: Mapping[str, Any], name: str) -> str | None:
    return name if has_field(fields, name) else None


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# Names as people give them: one text with commas between, or a list of its own.


Key = str | tuple[str, ...]
"""A tag, or the tags of a cross-slice."""


def names_of(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names of a text that is separated by commas, or of a list, whose entries are names as they are.

    >>> names_of("f1, rougeL"), names_of("f1"), names_of(["f1", "a,b"])
    (('f1', 'rougeL'), ('f1',), ('f1', 'a,b'))
    """
    if isinstance(given, str):
        return tuple(part.strip() for part in given.split(",") if part.strip())
    return tuple(given)


def slice_keys(given: str | Iterable[str | Iterable[str]]) -> tuple[Key, ...]:
    """Return the keys of slices; a plus sign in a text, or a list within a list, crosses tags.

    >>> slice_keys("source,source+difficulty"), slice_keys(["source", ["source", "difficulty"]])
    (('source', ('source', 'difficulty')), ('source', ('source', 'difficulty')))
    """
    if isinstance(given, str):
        return tuple(tuple(key.split("+")) if "+" in key else key for key in names_of(given))
    return tuple(key if isinstance(key, str) else tuple(key) for key in given)
