"""What holds for every registered scorer, plugins included (page 80). A scorer that is in no group fails the suite."""

import dataclasses
import math
import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.canonical.references import read_canonical, to_canonical
from steelyard.errors import escape
from steelyard.numbers.ladder import RUNGS
from steelyard.records.answers import (
    PROFILES,
    Choice,
    Claim,
    FinalAnswer,
    Instruction,
    ListAnswer,
    Number,
    Reasoning,
    Step,
    Text,
)
from steelyard.registry import Scorer, bind_scorer, scorers

RIGHT_OR_WRONG = {
    "answer_correctness@v1", "choice@v1", "instructions@v1", "number@v1", "numerical_match@v1", "within_days@v1",
}  # fmt: skip
"""Scorers whose primary score is 0 or 1."""
GRADED = {
    "list@v1", "text@v1", "text@v2", "reasoning@v1", "reasoning_consistency@v1", "claim_evidence_overlap@v1",
    "reasoning_step_order@v1", "claim_verifiability@v1",
}  # fmt: skip
"""Scorers whose primary score is anything from 0 to 1."""
OF_THE_PREDICTION = {"reasoning_consistency@v1", "claim_verifiability@v1"}
"""Scorers that ask whether an answer holds in itself; a reference need not, so it may score less than 1."""

ALL = [definition.key for definition in scorers()]


def every_scorer(test):
    """Run a test over all scorers, with fewer examples for each."""
    return pytest.mark.parametrize("key", ALL)(settings(max_examples=40, deadline=None)(test))


WORDS = [
    "up",
    "support",
    "营收",
    "増益",
    "한국어",
    "ａｂ",
    "Straße",
    "İ",
    "…",
    "12%",
    "1,200",
    "e\u0301",
    "\ud800",
    "\u202e",
    "=1+1",
    " ",
]
TEXTS = st.one_of(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), st.text(max_size=20))
FILLED = TEXTS.filter(lambda text: bool(text.strip()))
UNITS = st.sampled_from(
    [None, "%", "bp", "kg", "g", "USD", "$", "million USD", "万元", "apples", "9**9**9", "km/h", "°F"]
)
VALUES = st.one_of(st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False))
TOLERANCES = st.one_of(st.none(), st.floats(0, 1e6))

INSTRUCTIONS = st.one_of(
    st.sampled_from(["punctuation:no_comma", "detectable_format:title", "startend:quotation"]).map(Instruction),
    st.builds(
        lambda words: Instruction("keywords:existence", (("keywords", tuple(words)),)), st.lists(FILLED, min_size=1)
    ),
    st.builds(
        lambda count: Instruction("length_constraints:number_paragraphs", (("num_paragraphs", count),)),
        st.integers(0, 3),
    ),
)

ANSWERS = {
    "text": st.builds(Text, FILLED, st.sampled_from(PROFILES), st.lists(FILLED, max_size=2).map(tuple)),
    "choice": st.builds(Choice, FILLED.map(str.strip)),
    "number": st.builds(Number, VALUES, UNITS, TOLERANCES, TOLERANCES),
    "list": st.builds(ListAnswer, st.lists(TEXTS, max_size=6).map(tuple), st.booleans(), st.booleans()),
}
INSTRUCTED = st.builds(Text, FILLED, instructions=st.lists(INSTRUCTIONS, max_size=3).map(tuple))
"""Texts that say what an answer does: references, and no answers themselves."""
FINALS = st.sampled_from(["choice", "number", "list", "text"]).flatmap(
    lambda kind: st.builds(FinalAnswer, st.just(kind), ANSWERS[kind])
)
STEPS = st.lists(st.builds(Step, TEXTS, st.one_of(st.none(), st.sampled_from(["s1", "s2", "s3"]))), max_size=4)
CLAIMS = st.lists(st.builds(Claim, TEXTS, st.lists(st.sampled_from(["n1", "n2"]), max_size=2).map(tuple)), max_size=3)
ANSWERS["reasoning"] = st.builds(Reasoning, FINALS, STEPS.map(tuple), CLAIMS.map(tuple))


def answers(key):
    return ANSWERS[bind_scorer(key).definition.answer_type]


def references(key):
    return INSTRUCTED if bind_scorer(key).definition.needs == "instructions" else answers(key)


def test_every_registered_scorer_is_in_exactly_one_group():
    assert RIGHT_OR_WRONG.isdisjoint(GRADED)
    homeless = set(ALL) - RIGHT_OR_WRONG - GRADED
    assert not homeless, f"put {homeless} into a group of {__name__}"


@every_scorer
@given(data=st.data())
def test_scores_are_finite_and_in_0_to_1(key, data):
    judge = bind_scorer(key)
    card = judge(data.draw(answers(key)), data.draw(references(key)))
    assert 0.0 <= card.primary_score <= 1.0
    assert set(card.sub_scores) <= set(judge.definition.sub_scores)
    for name, value in card.sub_scores.items():
        assert value is None or math.isfinite(value), name
        if value is not None and judge.definition.sub_scores[name] == "higher":
            assert 0.0 <= value <= 1.0, name
    if key in RIGHT_OR_WRONG:
        assert card.primary_score in {0.0, 1.0}


@every_scorer
@given(data=st.data())
def test_an_answer_against_itself_scores_1_and_passes(key, data):
    answer = data.draw(answers(key))
    card = bind_scorer(key)(answer, answer)
    if key in OF_THE_PREDICTION:
        assert card.passed is (card.primary_score >= 0.5)
        return
    assert (card.primary_score, card.passed) == (1.0, True)


@every_scorer
@given(data=st.data())
def test_the_same_pair_gives_the_same_card_whatever_was_judged_between(key, data):
    judge, draw = bind_scorer(key), data.draw
    predicted, expected, other = draw(answers(key)), draw(references(key)), draw(answers(key))
    first = judge(predicted, expected)
    judge(other, expected)
    assert judge(predicted, expected) == first


@every_scorer
@given(data=st.data())
def test_the_order_of_rows_does_not_matter_and_a_block_equals_its_items(key, data):
    judge = bind_scorer(key)
    pairs = data.draw(st.lists(st.tuples(answers(key), references(key)), min_size=1, max_size=5))
    places = random.Random(0).sample(range(len(pairs)), len(pairs))
    items = [judge(*pair) for pair in pairs]
    assert judge.over(*zip(*pairs, strict=True)) == items
    assert judge.over(*zip(*(pairs[place] for place in places), strict=True)) == [items[place] for place in places]


@every_scorer
@given(data=st.data(), low=st.floats(0, 1), high=st.floats(0, 1))
def test_raising_the_threshold_never_turns_fail_into_pass(key, data, low, high):
    definition = bind_scorer(key).definition
    predicted, expected = data.draw(answers(key)), data.draw(references(key))
    passed = [Scorer(definition, {}, threshold)(predicted, expected).passed for threshold in sorted((low, high))]
    assert passed[0] or not passed[1]


@every_scorer
@given(data=st.data())
def test_explanations_are_one_safe_line(key, data):
    explain = bind_scorer(key)(data.draw(answers(key)), data.draw(references(key))).explain
    assert explain
    assert escape(explain) == explain


@given(FILLED, INSTRUCTED)
def test_a_reference_of_instructions_is_written_and_read_back(predicted, expected):
    written = to_canonical(Text(predicted), expected, task_id="t", sample_id="S1")
    assert read_canonical(msgspec.to_builtins(written)).expected == expected


@pytest.mark.parametrize("answer_type", ANSWERS)
@given(data=st.data())
def test_a_canonical_answer_is_written_and_read_back(answer_type, data):
    predicted, expected = data.draw(ANSWERS[answer_type]), data.draw(ANSWERS[answer_type])
    written = to_canonical(predicted, expected, task_id="t", sample_id="S1")
    pair = read_canonical(msgspec.to_builtins(written))
    assert pair.canonical == written
    assert pair.expected == expected
    # A final answer of another type than the reference's is a mismatch and no answer.
    assert pair.parsed.answer is not None or answer_type == "reasoning"


# Forgiving matches contain strict ones.


@given(ANSWERS["number"], ANSWERS["number"])
def test_the_rungs_of_the_ladder_contain_each_other(predicted, expected):
    parts = bind_scorer("number@v1")(predicted, expected).sub_scores
    held = {rung for rung in RUNGS if parts[rung]}
    contained = {
        "exact_numeric_match": {"numerical_match"},
        "soft_match": {"numerical_match"},
        "numerical_match": {"general_match", "unit_agnostic_match", "sign_agnostic_match"},
    }
    for strict, forgiving in contained.items():
        assert strict not in held or forgiving <= held


@given(ANSWERS["number"], ANSWERS["number"], st.floats(0, 1e9), st.floats(0, 1e9))
def test_a_wider_tolerance_never_fails_what_a_narrower_one_passed(predicted, expected, first, second):
    narrow, wide = sorted((first, second))
    for name in ("tolerance_abs", "tolerance_rel"):
        plain = Number(expected.value, expected.unit)
        cards = [bind_scorer("number@v1", {name: limit})(predicted, plain) for limit in (narrow, wide)]
        assert cards[0].primary_score <= cards[1].primary_score


@given(TEXTS, TEXTS, st.sampled_from(PROFILES))
def test_equal_text_has_all_tokens_in_common(predicted, expected, profile):
    parts = bind_scorer("text@v1", {"normalize": profile})(Text(predicted), Text(expected)).sub_scores
    assert not parts["exact_match"] or parts["f1"] == 1.0


@given(TEXTS, TEXTS, TEXTS)
def test_a_further_reference_never_lowers_a_text_score(predicted, expected, alias):
    for key in ("text@v1", "answer_correctness@v1"):
        judge = bind_scorer(key)
        plain, more = Text(expected), Text(expected, aliases=(alias,))
        assert judge(Text(predicted), plain).primary_score <= judge(Text(predicted), more).primary_score


@given(FILLED, FILLED, FILLED)
def test_an_alias_never_turns_a_right_choice_wrong(predicted, expected, alias):
    judge = bind_scorer("choice@v1")
    plain, more = Choice(expected), Choice(expected, aliases=(alias,))
    assert judge(Choice(predicted), plain).primary_score <= judge(Choice(predicted), more).primary_score


@given(st.lists(TEXTS, max_size=5), ANSWERS["list"])
def test_a_wrong_item_never_raises_the_score_of_a_list(items, expected):
    wrong = "\U0010fffd no such item"
    judge = bind_scorer("list@v1")
    with_it = judge(ListAnswer((*items, wrong)), expected).primary_score
    assert with_it <= judge(ListAnswer(tuple(items)), expected).primary_score


# What a prediction says about how it is to be judged is never read.


@given(ANSWERS["number"], ANSWERS["number"])
def test_tolerances_of_a_prediction_change_nothing(predicted, expected):
    bare = Number(predicted.value, predicted.unit)
    judge = bind_scorer("number@v1")
    assert judge(predicted, expected) == judge(bare, expected)


@given(FILLED, FILLED, st.lists(FILLED, max_size=3).map(tuple))
def test_aliases_and_keywords_of_a_prediction_change_nothing(predicted, expected, wishes):
    assert bind_scorer("choice@v1")(Choice(predicted, wishes), Choice(expected)) == bind_scorer("choice@v1")(
        Choice(predicted), Choice(expected)
    )
    wishful = Text(predicted, "none", wishes, wishes)
    assert bind_scorer("text@v1")(wishful, Text(expected)) == bind_scorer("text@v1")(Text(predicted), Text(expected))


@given(FILLED, INSTRUCTED)
def test_instructions_of_a_prediction_change_nothing(predicted, expected):
    judge = bind_scorer("instructions@v1")
    wishful = Text(predicted, instructions=(Instruction("punctuation:no_comma"),))
    assert judge(wishful, expected) == judge(Text(predicted), expected)


@given(FILLED, st.lists(INSTRUCTIONS, min_size=1, max_size=3), INSTRUCTIONS)
def test_one_more_instruction_never_makes_an_answer_pass(text, asked, more):
    judge = bind_scorer("instructions@v1")
    fewer, all_of_them = Text("x", instructions=tuple(asked)), Text("x", instructions=(*asked, more))
    assert judge(Text(text), all_of_them).primary_score <= judge(Text(text), fewer).primary_score


@given(ANSWERS["reasoning"], ANSWERS["reasoning"])
def test_steps_and_claims_never_change_pass(predicted, expected):
    judge = bind_scorer("reasoning@v1")
    bare = judge(Reasoning(predicted.final_answer), Reasoning(expected.final_answer))
    card = judge(predicted, expected)
    assert (card.primary_score, card.passed) == (bare.primary_score, bare.passed)


def test_definitions_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        bind_scorer("text@v1").definition.name = "other"
