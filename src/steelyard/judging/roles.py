"""What each member of a plain row is: decided once per shape, by the functions that decide it for a single row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from steelyard.errors import Problem
from steelyard.items.journal import JournalForm
from steelyard.items.row_values import count_of
from steelyard.items.shapes import ARRAY, FRACTION, INTEGER, TEXT, Shape
from steelyard.items.source import Source
from steelyard.judging.items import Judgement
from steelyard.kernels.writing import LineForm
from steelyard.reading.references import has_field, input_text, item_id, tags_of, value_of
from steelyard.records.measures import Measure, measures
from steelyard.records.plans import NO_CLUSTERS
from steelyard.secrets import SECRET_IN_OUTPUT

_STATES = ("state", "status")
_WORDS = {True: b"true", False: b"false", None: b"null"}
RESPELLED = (FRACTION, ARRAY)
"""Kinds whose values have several spellings in JSON, of which a journal has one."""


@dataclass(frozen=True, slots=True)
class ItemRoles:
    """Where a plain row of a dataset has what an item needs."""

    id: int
    input: int | None
    """None where a row has no input."""
    reference: int
    tags: dict[str, int | str] = field(default_factory=dict)
    """The member that is a tag, or the value that the shape itself tells (`true`)."""
    reference_kind: int = TEXT
    full: tuple[str, ...] = ()
    """Tags that must not be empty, because they would be derived."""
    conversation: int | None = None
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class PredictionRoles:
    """Where a plain row has what a prediction needs."""

    id: int
    output: int
    line: LineForm
    output_kind: int = TEXT
    details: dict[str, int] = field(default_factory=dict)


class NotPlain(Exception):  # noqa: N818 - a finding about a shape, not a fault
    """A shape whose rows take the item form."""


def item_roles(
    shape: Shape, source: Source, judgements: Sequence[Judgement], kinds: Sequence[int] = (TEXT,)
) -> ItemRoles:
    """Return the roles of a dataset's rows of a shape, or raise NotPlain; `kinds` are those a reference may have."""
    _refuse_duplicates(shape)
    example = shape.example()
    source.item_fields.see(example)
    tags = tags_of(example, source.tag_fields, source.sliced)
    if isinstance(tags, Problem) or source.derived - set(tags):
        raise NotPlain
    if any(_says_how(judgement, example, source) for judgement in judgements):
        raise NotPlain
    references = {_member(shape, _reference(judgement, example), *kinds) for judgement in judgements}
    if len(references) != 1:
        raise NotPlain
    reference = references.pop()
    text = input_text(example, source.names)
    return ItemRoles(
        id=_member(shape, item_id(example, source.names), TEXT, INTEGER),
        input=None if text is None else _member(shape, text, TEXT, INTEGER),
        reference=reference,
        reference_kind=shape.members[reference].kind,
        tags={name: _tag(shape, value) for name, value in tags.items()},
        full=tuple(source.derived),
        conversation=_conversation(shape, example, tags, source),
        turn=_turn(shape, example, source),
    )


def prediction_roles(
    shape: Shape,
    source: Source,
    judgements: Sequence[Judgement],
    journal: JournalForm | None,
    kinds: Sequence[int] = (TEXT,),
) -> PredictionRoles:
    """Return the roles of a prediction's rows of a shape, or raise NotPlain; `kinds` are those an output may have."""
    separate = source.predictions is not None
    _refuse_duplicates(shape)
    example = shape.example()
    if any(isinstance(example.get(name), str) for name in _STATES) or example.get("error") is not None:
        raise NotPlain
    if SECRET_IN_OUTPUT in example:
        raise NotPlain
    outputs = {_member(shape, _prediction(judgement, example), *kinds) for judgement in judgements}
    if len(outputs) != 1 or (source.names.confidence or "confidence") in example or "probabilities" in example:
        raise NotPlain
    # A row that has one text for both is an item with a reference and no prediction.
    if not separate and any(_member(shape, _reference(each, example), *kinds) in outputs for each in judgements):
        raise NotPlain
    place = id_member(shape, source)
    line = LineForm((b"",), (), ()) if journal is None else _line_form(shape, place, journal)
    source.answer_fields.see(example)
    details = {measure.name: _first_number(shape, example, measure) for measure in measures()}
    output = outputs.pop()
    numbers = {name: member for name, member in details.items() if member is not None}
    return PredictionRoles(place, output, line, shape.members[output].kind, numbers)


def reference_member(shape: Shape, judgement: Judgement) -> int:
    """Return the member that is the reference of a judgement, or raise NotPlain."""
    _refuse_duplicates(shape)
    return _member(shape, _reference(judgement, shape.example()), TEXT)


def id_member(shape: Shape, source: Source) -> int:
    """Return the member that is the id of a row of predictions, or raise NotPlain."""
    _refuse_duplicates(shape)
    return _member(shape, source.prediction_id(shape.example()), TEXT, INTEGER)


def _refuse_duplicates(shape: Shape) -> None:
    if shape.has_duplicates:
        raise NotPlain


def _member(shape: Shape, value: object, *kinds: int) -> int:
    place = None if value is None else shape.member_of(value)
    if place is None or shape.members[place].kind not in kinds:
        raise NotPlain
    return place


def _tag(shape: Shape, value: str) -> int | str:
    return value if value in ("true", "false") else _member(shape, value, TEXT, INTEGER)


def _says_how(judgement: Judgement, example: dict[str, object], source: Source) -> bool:
    """Return whether a row itself says how it is judged, by its own answer type or its own choices."""
    own_choices = judgement.choices_of is not None and has_field(example, source.names.choices or "")
    return judgement.answer_type is None or own_choices


def _conversation(shape: Shape, example: dict[str, object], tags: dict[str, str], source: Source) -> int | None:
    name = source.cluster_by or source.names.conversation or "conversation_id"
    found = None if name == NO_CLUSTERS else tags.get(name, value_of(example, name))
    return None if found is None else _member(shape, found, TEXT, INTEGER)


def _turn(shape: Shape, example: dict[str, object], source: Source) -> int | None:
    found = value_of(example, source.names.turn or "turn_idx")
    return shape.member_of(found) if count_of(found) is not None else None


def _reference(judgement: Judgement, example: dict[str, object]) -> object:
    if judgement.extracts_reference:
        raise NotPlain
    try:
        return judgement.reference(example)
    except KeyError:
        raise NotPlain from None


def _prediction(judgement: Judgement, example: dict[str, object]) -> object:
    try:
        return judgement.prediction(example)
    except KeyError:
        raise NotPlain from None


def _first_number(shape: Shape, example: dict[str, object], measure: Measure) -> int | None:
    for name in measure.fields:
        value = example.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            place = shape.member_of(value)
            if measure.kind == "count" and place is not None and shape.members[place].kind == FRACTION:
                return None
            return place
    return None


def _line_form(shape: Shape, place: int, journal: JournalForm) -> LineForm:
    """Return how the journal writes rows of a shape: as it writes the example, with the members' values in place."""
    words, members, raw = [b'{"item_id":"'], [place], [False]
    rest = b'"'
    for name, value in journal.kept_fields(shape.example()).items():
        rest += b"," + _quoted(name) + b":"
        if value is None or isinstance(value, bool):
            rest += _WORDS[value]
            continue
        member = _member(shape, value, TEXT, INTEGER, *RESPELLED)
        as_it_stands = shape.members[member].kind != TEXT
        members.append(member)
        raw.append(as_it_stands)
        words.append(rest if as_it_stands else rest + b'"')
        rest = b"" if as_it_stands else b'"'
    return LineForm((*words, rest + b"}\n"), tuple(members), tuple(raw))


def _quoted(name: str) -> bytes:
    if not name.isprintable() or '"' in name or "\\" in name:
        raise NotPlain
    return f'"{name}"'.encode()
