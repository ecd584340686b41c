"""Any JSON value, any text, any bytes: an answer or a reason, never an exception."""

import io
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.canonical.extraction import EXTRACTION_KINDS, Extraction
from steelyard.canonical.outcome import ERROR_TAGS
from steelyard.canonical.predictions import predicted_answer
from steelyard.canonical.references import BadReference, expected_answer
from steelyard.errors import Problems
from steelyard.judging.columns import card_of
from steelyard.records.answers import ANSWER_CLASSES, ANSWER_TYPES
from steelyard.registry import bind_scorer
from steelyard.tasks.scoring import ScoreOptions, score_lines

MARKERS = ["Answer:", "答案：", "【答案】", "<think>", "</think>", "\\boxed{", '{"final_answer":', '"value"']
SIGNS = ["{", "}", "[", "]", ":", ",", "、", "%", "$", "***", "\n", "\ud800", "\u202e"]
WORDS = ["A", "B", " or ", "12,5", "(1,234.5)", "百分之", "yes", "NaN", "9**9**9"]
KEYS = ["value", "unit", "items", "final_answer", "steps", "claims", "text", "id", "x"]
TEXTS = st.one_of(st.text(max_size=40), st.lists(st.sampled_from([*MARKERS, *SIGNS, *WORDS]), max_size=12).map("".join))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)),
    max_leaves=8,
)
TYPES = st.sampled_from(ANSWER_TYPES)
EXTRACTIONS = st.sampled_from(EXTRACTION_KINDS).map(lambda kind: Extraction(kind, "value", "[A-B]+"))
CHOICES = st.sampled_from([(), ("A", "B"), ("yes", "no", "maybe")])


@settings(max_examples=400, deadline=None)
@given(VALUES, TYPES, EXTRACTIONS, CHOICES)
def test_an_output_is_an_answer_of_its_type_or_a_reason(raw, answer_type, extraction, choices):
    parsed = predicted_answer(raw, answer_type, extraction, choices=choices)
    assert set(parsed.tags) <= set(ERROR_TAGS)
    if parsed.answer is None:
        assert parsed.tags
        assert parsed.reason
    else:
        assert isinstance(parsed.answer, ANSWER_CLASSES[answer_type])


@settings(max_examples=400, deadline=None)
@given(VALUES, VALUES, TYPES)
def test_whatever_is_a_reference_judges_whatever_is_an_output(raw_expected, raw_predicted, answer_type):
    try:
        expected = expected_answer(raw_expected, answer_type)
    except BadReference:
        return
    parsed = predicted_answer(raw_predicted, answer_type, Extraction(), expected=expected)
    card = card_of(bind_scorer(answer_type), parsed, expected)
    assert 0.0 <= card.primary_score <= 1.0


ROWS = st.fixed_dictionaries(
    {"task_id": TEXTS, "sample_id": TEXTS, "answer_type": TYPES, "prediction": VALUES, "ground_truth": VALUES},
    optional={"meta": VALUES, "more": VALUES},
).map(lambda row: json.dumps(row).encode())


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(ROWS, st.binary(max_size=30)), max_size=4))
def test_lines_from_anywhere_are_cards_or_problems(lines):
    problems = Problems()
    cards = list(score_lines(io.BytesIO(b"\n".join(lines)), ScoreOptions(), problems))
    assert len(cards) + problems.total >= 1
    assert all(problem.line is not None for problem in problems.listed if problem.code != "empty-file")
