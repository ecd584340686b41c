"""Outputs by columns to what is extracted from them; an output without an answer is left to the item form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from steelyard.canonical.extraction import Extraction, extract
from steelyard.canonical.outcome import REGEX_TIMEOUT, NotFound, Outcome
from steelyard.items.shapes import TEXT
from steelyard.judging.items import Judgement
from steelyard.judging.member_values import Values
from steelyard.kernels.answer_lines import answer_lines_block
from steelyard.kernels.labels import reasoning_rows
from steelyard.records.blocks import TextColumn, replaced

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was extracted from many outputs."""

    texts: TextColumn
    found: Flags
    """In which outputs there is an answer that is text; the others are the item form's."""
    missing: Mapping[int, NotFound] = field(default_factory=dict)
    """The outputs in which there is no answer, by their rows, and why there is none."""


def is_extracted_by_columns(judgement: Judgement) -> bool:
    """Return whether a judgement's answers are taken out of columns of outputs."""
    match judgement.extraction.kind:
        case "choice_letter":
            return judgement.choices_of is None
        case "last_number":
            # A number is read in its surroundings, and a text alone would lose them.
            return judgement.answer_type == "text"
        case _:
            return True


def extracted(outputs: TextColumn, judgement: Judgement) -> Extracted:
    """Return the answers in outputs, none of which has a reasoning block."""
    extraction = judgement.extraction
    if extraction.kind == "none":
        return Extracted(outputs, np.ones(len(outputs), np.bool_))
    texts, found = _at_a_glance(outputs, extraction)
    asked = np.flatnonzero(~found)
    if not len(asked):
        return Extracted(texts, found)
    others = TextColumn(outputs.data, outputs.starts[asked], outputs.ends[asked])
    outcomes = list(_outcomes(others, extraction, judgement.choices))
    told = asked[: len(outcomes)]
    answers = [_as_text(outcome) for outcome in outcomes]
    texts = replaced(texts, told, [answer or "" for answer in answers])
    found[told] = [answer is not None for answer in answers]
    rows = zip(told.tolist(), outcomes, strict=True)
    missing = {row: outcome for row, outcome in rows if isinstance(outcome, NotFound)}
    return Extracted(texts, found & ~reasoning_rows(texts), missing)


def extracted_values(outputs: Values, judgement: Judgement) -> tuple[Values, Flags]:
    """Return outputs with the answers in those that are texts; other values are answers as they stand."""
    answers = extracted(outputs.texts, judgement)
    are_texts = outputs.kinds == TEXT
    if are_texts.all() or judgement.extraction.kind == "none":
        return Values(answers.texts, outputs.kinds), answers.found
    others = np.flatnonzero(~are_texts)
    values = TextColumn(outputs.texts.data, outputs.texts.starts[others], outputs.texts.ends[others])
    return Values(replaced(answers.texts, others, list(values)), outputs.kinds), answers.found | ~are_texts


def _at_a_glance(outputs: TextColumn, extraction: Extraction) -> tuple[TextColumn, Flags]:
    """Return the answers that a loop finds."""
    if extraction.kind == "answer_line":
        return answer_lines_block(outputs, marker_in_prompt=extraction.marker_in_prompt)
    return outputs, np.zeros(len(outputs), np.bool_)


def _outcomes(outputs: TextColumn, extraction: Extraction, choices: tuple[str, ...]) -> Iterator[Outcome]:
    """Yield what is found in each output; nothing from the first on which a pattern runs too long."""
    for text in outputs:
        outcome = extract(text, extraction, choices=choices)
        if isinstance(outcome, NotFound) and REGEX_TIMEOUT in outcome.tags:
            return
        yield outcome


def _as_text(outcome: Outcome) -> str | None:
    """Return a text that a column can hold; JSON of another kind and lone surrogates are the item form's."""
    value = None if isinstance(outcome, NotFound) else outcome.value
    if not isinstance(value, str):
        return None
    return value if value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value) else None
