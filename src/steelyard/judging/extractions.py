"""Outputs by columns to what is extracted from them; an output without an answer is left to the item form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steelyard.canonical.extraction import Extraction, extract
from steelyard.canonical.outcome import REGEX_TIMEOUT, NotFound
from steelyard.items.shapes import TEXT
from steelyard.judging.items import Judgement
from steelyard.judging.member_values import Values
from steelyard.kernels.answer_lines import answer_lines_block
from steelyard.kernels.checks import reasoning_rows
from steelyard.records.blocks import TextColumn, replaced

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was extracted from many outputs."""

    texts: TextColumn
    found: Flags
    """In which outputs there is an answer that is text; the others are the item form's."""


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
    answers = list(_answers(others, extraction, judgement.choices))
    texts = replaced(texts, asked[: len(answers)], [answer or "" for answer in answers])
    found[asked[: len(answers)]] = [answer is not None for answer in answers]
    return Extracted(texts, found & ~reasoning_rows(texts))


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


def _answers(outputs: TextColumn, extraction: Extraction, choices: tuple[str, ...]) -> Iterator[str | None]:
    """Yield the answer in each output; nothing from the first on which a pattern runs too long, lest it runs twice."""
    for text in outputs:
        outcome = extract(text, extraction, choices=choices)
        if isinstance(outcome, NotFound) and REGEX_TIMEOUT in outcome.tags:
            return
        yield None if isinstance(outcome, NotFound) else _as_text(outcome.value)


def _as_text(value: object) -> str | None:
    """Return a text that a column can hold; JSON of another kind and lone surrogates are the item form's."""
    if not isinstance(value, str):
        return None
    return value if value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value) else None
