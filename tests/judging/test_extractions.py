"""What is extracted by columns is what is extracted from one text after another."""

import numpy as np
import pytest

from steelyard.canonical import extraction as ways
from steelyard.canonical.extraction import Extraction, extract, parse_extraction
from steelyard.canonical.outcome import REGEX_TIMEOUT, Found, NotFound
from steelyard.items.shapes import FRACTION, INTEGER, TEXT
from steelyard.judging import extractions
from steelyard.judging.extractions import extracted, extracted_values, is_extracted_by_columns
from steelyard.judging.items import Judgement
from steelyard.judging.member_values import Values
from steelyard.records.blocks import TextColumn

OUTPUTS = ["Answer: 4", "so 5", "答案：6", '{"answer": "7"}', '{"answer": 7}', "\\boxed{8}", "Answer: **9**", "B", ""]


def judgement(extraction, kind="text", **more):
    return Judgement("one", {}, kind, extraction, dict, dict, **more)


@pytest.mark.parametrize(
    "way",
    ["none", "answer_line", "last_number", "boxed", "choice_letter", {"json_field": "answer"}, {"regex": "[4-8]"}],
)
def test_each_extraction_gives_what_it_gives_of_one_text(way):
    extraction = parse_extraction(way)
    found = extracted(TextColumn.of(OUTPUTS), judgement(extraction, choices=("A", "B")))
    outcomes = [extract(text, extraction, choices=("A", "B")) for text in OUTPUTS]
    wanted = [outcome.value if isinstance(outcome, Found) else None for outcome in outcomes]
    texts = [text if is_found else None for text, is_found in zip(found.texts, found.found.tolist(), strict=True)]
    assert texts == [value if isinstance(value, str) else None for value in wanted]


def test_values_that_are_no_text_are_answers_as_they_stand():
    outputs = Values(TextColumn.of(["Answer: 4", "7", "so 5", "2.5"]), np.array([TEXT, INTEGER, TEXT, FRACTION]))
    values, found = extracted_values(outputs, judgement(Extraction("answer_line"), "number"))
    assert found.tolist() == [True, True, False, True]
    assert [text for text, is_found in zip(values.texts, found.tolist(), strict=True) if is_found] == ["4", "7", "2.5"]


def test_an_answer_that_looks_like_reasoning_is_for_the_item_form():
    output = '{"answer": "\\u003cthink\\u003e 7"}'
    assert not extracted(TextColumn.of([output]), judgement(Extraction("json_field", field="answer"))).found.any()


def test_a_pattern_that_runs_too_long_is_tried_once(monkeypatch):
    asked = []

    def slow(text, *_, **__):
        asked.append(text)
        return NotFound((REGEX_TIMEOUT,), "") if text == "b" else Found(text, 0)

    monkeypatch.setattr(extractions, "extract", slow)
    found = extracted(TextColumn.of(["a", "b", "c"]), judgement(Extraction("regex", pattern=".")))
    assert found.found.tolist() == [True, False, False]
    assert asked == ["a", "b"]


def test_extractions_that_need_more_than_the_text_take_the_item_form():
    letters = Extraction("choice_letter")
    assert not is_extracted_by_columns(judgement(letters, choices_of=lambda item: item))
    assert not is_extracted_by_columns(judgement(Extraction("last_number"), "number"))
    assert all(is_extracted_by_columns(judgement(Extraction(kind))) for kind in ways.EXTRACTION_KINDS)
