"""The raw reference and the raw output in a row; a KeyError whose argument says why there is none.

Before it: tags that are derived from a row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.canonical.answer_line import separate_reasoning
from steelyard.canonical.extraction import Extraction, NotFound, extract
from steelyard.canonical.json_text import RefusedJson, first_object
from steelyard.canonical.references import BadReference
from steelyard.reading.references import no_reference, prediction_field, reference_field, reference_value, value_of
from steelyard.records.items import FieldNames
from steelyard.records.measures import Measure, measures
from steelyard.text.tokens import tokens


def row_reference(fields: Mapping[str, Any], names: FieldNames) -> Any:
    """Return the reference of a dataset's row."""
    found = reference_field(fields, names)
    if found is None:
        raise KeyError(no_reference(fields, names))
    return reference_value(fields, found)


def extracted_reference(raw: Any, extraction: Extraction) -> Any:
    """Return the reference inside a worked solution; one without an answer in it is a bad reference."""
    if extraction.kind == "none" or not isinstance(raw, str):
        return raw
    outcome = extract(raw, extraction)
    if isinstance(outcome, NotFound):
        raise BadReference(f"extract_reference finds no answer in the reference: {outcome.reason}", empty=False)
    return outcome.value


def row_prediction(fields: Mapping[str, Any], names: FieldNames) -> Any:
    """Return the raw output of a prediction's row, which may be the dataset's own row."""
    reference = reference_field(fields, names) if _holds_reference(fields, names) else None
    found = prediction_field(fields, names, reference)
    if found is None and reference == "output":
        # A predictions file may call the output `output`; only beside a reference is that word the reference.
        found = "output"
    if found is None:
        raise KeyError("the row has no prediction")
    return value_of(fields, found)


def _holds_reference(fields: Mapping[str, Any], names: FieldNames) -> bool:
    """Return whether a row is a dataset's: a predictions file may have `output` without it being a reference."""
    found = reference_field(fields, names)
    return found is not None and (found != "output" or any(name in fields for name in ("input", "instruction")))


_ABSENT = object()
LARGEST_COUNT = 2**63 - 1


def number_of(value: Any) -> float | None:
    """Return a measurement beside a prediction as a number; None where it is none that can be computed with."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def count_of(value: Any) -> int | None:
    """Return a whole number that a column of counts can hold, else None."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and -LARGEST_COUNT <= value <= LARGEST_COUNT else None


def measured(fields: Mapping[str, Any]) -> dict[str, float | int | None]:
    """Return every number that came with a prediction."""
    return {measure.name: _measured(measure, fields) for measure in measures()}


def _measured(measure: Measure, fields: Mapping[str, Any]) -> float | int | None:
    found = next((fields[name] for name in measure.fields if number_of(fields.get(name)) is not None), None)
    return measure_value(measure, found)


def measure_value(measure: Measure, value: Any) -> float | int | None:
    """Return a number as its measure keeps it.

    >>> measure_value(Measure("prompt_tokens", kind="whole"), 3.7)
    3
    """
    if measure.kind == "count":
        return count_of(value)
    number = number_of(value)
    return number if measure.kind == "amount" or number is None else count_of(int(number))


def row_field(fields: Mapping[str, Any], name: str) -> Any:
    """Return a field by its name; `a.b` reaches into nested objects."""
    first, _, rest = name.partition(".")
    if name in fields:
        return fields[name]
    inner = fields.get(first)
    if rest and isinstance(inner, dict):
        return row_field(inner, rest)
    raise KeyError(f"there is no field {name!r}")


def predicted_field(fields: Mapping[str, Any], name: str) -> Any:
    """Return a predicted field: from `parsed`, the row or the output's JSON, with or without its `pred_` prefix."""
    parsed, output = fields.get("parsed"), fields.get("prediction")
    for holder in (parsed if isinstance(parsed, dict) else {}, fields):
        found = _under_its_names(holder, name)
        if found is not _ABSENT:
            return found
    if not isinstance(output, str):
        raise KeyError(f"there is no predicted field {name!r}")
    found = _under_its_names(_object_in(output), name)
    if found is _ABSENT:
        raise OutputLacksField(output, f"no JSON object in the output has the field {name!r}")
    return found


class OutputLacksField(KeyError):  # noqa: N818  a finding about an output, which becomes its state
    """There is an output, and the field that is judged is not in it."""

    def __init__(self, output: str, reason: str) -> None:
        super().__init__(reason)
        self.output, self.reason = output, reason


def _under_its_names(holder: Mapping[str, Any], name: str) -> Any:
    for spelling in (name, f"pred_{name}", name.removeprefix("pred_")):
        try:
            return row_field(holder, spelling)
        except KeyError:
            continue
    return _ABSENT


def _object_in(output: str) -> Mapping[str, Any]:
    try:
        found = first_object(separate_reasoning(output).answer_text)
    except RefusedJson:
        return {}
    return {} if found is None else found.value


# Tags that users expect to slice by and that data often lacks (page 20): derived when a slice asks for them.


SHORT = 20
LONG = 100
"""Inputs under 20 tokens are short, from 100 on long, between them medium."""

PROGRAM_FIELDS = ("turn_program", "program", "ground_truth_program")


@dataclass(frozen=True, slots=True)
class Derivable:
    """What a tag can be derived from."""

    fields: Mapping[str, Any]
    input: str
    turn: int | None
    answer_type: str


def derived_tags(found: Derivable, tags: Mapping[str, str], wanted: Collection[str]) -> dict[str, str]:
    """Return the wanted tags that an item does not have itself and that can be derived."""
    derived: dict[str, str] = {}
    for name, derive in _DERIVATIONS.items():
        if name in wanted and name not in tags:
            value = derive(found)
            if value is not None:
                derived[name] = value
    return derived


def length_bucket(text: str) -> str:
    """Return how long an input is.

    >>> length_bucket("What is 2 + 2?")
    'short'
    """
    size = len(tokens(text, "basic"))
    return "short" if size < SHORT else "medium" if size < LONG else "long"


def _operations(found: Derivable) -> str | None:
    program = next((found.fields[name] for name in PROGRAM_FIELDS if isinstance(found.fields.get(name), str)), None)
    if program is None:
        return None
    from steelyard.programs import ProgramError, operations_per_turn  # noqa: PLC0415 - most items have no program

    try:
        return str(operations_per_turn(program))
    except ProgramError:
        return None


_DERIVATIONS: dict[str, Callable[[Derivable], str | None]] = {
    "length_bucket": lambda found: length_bucket(found.input),
    "turn": lambda found: None if found.turn is None else str(found.turn),
    "operations": _operations,
    "answer_type": lambda found: str(found.fields.get("answer_type", found.answer_type)),
}
