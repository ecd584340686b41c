"""Every scorer against its frozen file. A change of output is a version of its own, never an edit here.

The figures were worked out by hand from page 10's formulas; `origin` says which. Shares are exact to the last bit.
"""

import json
from pathlib import Path

import pytest

from steelyard.canonical.references import expected_answer
from steelyard.canonical.typed_objects import AnswerReader
from steelyard.instructions import DEFINITIONS
from steelyard.registry import bind_scorer, scorers

FOLDER = Path(__file__).parent
BUILT_IN = [
    "answer_correctness@v1",
    "choice@v1",
    "claim_evidence_overlap@v1",
    "claim_verifiability@v1",
    "instructions@v1",
    "list@v1",
    "number@v1",
    "numerical_match@v1",
    "reasoning@v1",
    "reasoning_consistency@v1",
    "reasoning_step_order@v1",
    "text@v1",
    "text@v2",
]


def frozen(key):
    lines = (FOLDER / f"{key}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


CASES = [(key, number, case) for key in BUILT_IN for number, case in enumerate(frozen(key), start=1)]


@pytest.mark.parametrize(
    ("key", "case"), [(key, case) for key, _, case in CASES], ids=[f"{k}:{n}" for k, n, _ in CASES]
)
def test_the_output_is_as_frozen(key, case):
    scorer = bind_scorer(key, case.get("parameters"))
    answer_type = scorer.definition.answer_type
    predicted = AnswerReader(reference=False).read(case["predicted"], answer_type)
    card = scorer(predicted, _expected(case["expected"], answer_type))
    assert card.primary_score == case["primary"]
    assert card.passed is case["pass"]
    assert card.sub_scores == case["sub_scores"]
    assert list(card.error_tags) == case["error_tags"]
    assert card.explain.endswith(".")


def _expected(raw, answer_type):
    # Datasets refuse an empty reference; the judge itself must still not take an answer for it.
    empty = answer_type == "text" and raw.get("value") == ""
    return AnswerReader(reference=False).read(raw, answer_type) if empty else expected_answer(raw, answer_type)


def test_every_built_in_scorer_has_a_frozen_file():
    registered = [definition.key for definition in scorers() if definition.module.startswith("steelyard.")]
    assert sorted(registered) == BUILT_IN
    assert {file.stem for file in FOLDER.glob("*@v*.jsonl")} >= set(BUILT_IN)


@pytest.mark.parametrize("key", BUILT_IN)
def test_every_error_tag_and_sub_score_of_a_scorer_is_in_its_file(key):
    cases = frozen(key)
    tags = {tag for case in cases for tag in case["error_tags"]}
    assert tags == ERROR_TAGS[key]
    for part in bind_scorer(key).definition.sub_scores:
        values = {case["sub_scores"][part] for case in cases}
        assert len(values) > 1, f"{part} never changes"


# Page 10's table of scorers; `type_mismatch` is page 80's, and numerical_match's are page 40's misses.
ERROR_TAGS = {
    "answer_correctness@v1": {"wrong_answer"},
    "choice@v1": {"wrong_choice", "invalid_choice"},
    "number@v1": {
        "not_a_number", "wrong_unit", "missing_unit", "out_of_tolerance", "sign_error", "scale_error",
        "rounding_error", "type_mismatch",
    },
    "numerical_match@v1": {"scale_error", "sign_error", "wrong_value"},
    "instructions@v1": {*DEFINITIONS},
    "list@v1": {"missing_item", "extra_item", "wrong_order", "duplicate_item"},
    "text@v1": {"empty_text", "missing_keyword"},
    "text@v2": {"empty_text", "missing_keyword"},
    "reasoning@v1": {
        "wrong_final_answer", "unsupported_claim", "missing_evidence", "missing_step", "wrong_step_order",
        "inconsistent_reasoning",
    },
    "reasoning_consistency@v1": {"inconsistent_reasoning"},
    "claim_evidence_overlap@v1": {"missing_evidence"},
    "reasoning_step_order@v1": {"missing_step", "wrong_step_order"},
    "claim_verifiability@v1": {"unsupported_claim"},
}  # fmt: skip
