"""`steelyard score` as a flow: pairs and CanonicalAnswer lines to ScoreCards."""

import io
import json

import msgspec
import pytest

from steelyard.errors import ConfigurationError, InputError, Problems, UsageError
from steelyard.tasks.scoring import ScoreOptions, score_lines, score_pair

DEFAULTS = ScoreOptions()
SEED_META = {"schema_version": "v1", "prompt_version": "ie_json.v1", "scorer_version": "v1"}
SEED_GROUND_TRUTHS = {
    "choice": {"value": "B", "aliases": ["option_b", "b"]},
    "number": {"value": 12.5, "unit": "%", "tolerance_abs": 0.5, "tolerance_rel": 0.02},
    "list": {"items": ["ai", "earnings"], "ordered": False, "unique": True},
    "text": {"value": "短摘要文本", "normalize": "basic"},
    "reasoning": {
        "final_answer": {"value": "positive"},
        "steps": [{"id": "s1", "text": "..."}],
        "claims": [{"text": "营收增长", "evidence": ["news_1"]}],
    },
}


def canonical(answer_type, prediction, ground_truth, **more):
    row = {"task_id": "event_eval", "sample_id": "S001", "answer_type": answer_type}
    return row | {"prediction": prediction, "ground_truth": ground_truth, "meta": SEED_META} | more


def cards(*rows, options=DEFAULTS):
    problems = Problems()
    lines = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows).encode()
    return list(score_lines(io.BytesIO(lines), options, problems)), problems


@pytest.mark.parametrize(("answer_type", "answer"), SEED_GROUND_TRUTHS.items())
def test_each_of_the_seeds_answer_objects_scores_1_against_itself(answer_type, answer):
    (card,), problems = cards(canonical(answer_type, answer, answer))
    assert (card.primary_score, card.passed, card.error_tags) == (1.0, True, ())
    assert not problems


def test_a_scorecard_has_exactly_the_seeds_keys():
    card = score_pair("12.5%", "0.125", ScoreOptions(answer_type="number"))
    assert list(msgspec.to_builtins(card)) == ["primary_score", "pass", "sub_scores", "error_tags", "explain"]


@pytest.mark.parametrize("predicted", ["option_b", "OPTION_B", "b", "Ｂ"])
def test_the_seeds_choice_is_matched_through_its_aliases(predicted):
    (card,), _ = cards(canonical("choice", {"value": predicted}, SEED_GROUND_TRUTHS["choice"]))
    assert card.passed


@pytest.mark.parametrize(("value", "passed"), [(12.0, True), (13.0, True), (13.01, False), (11.99, False)])
def test_the_seeds_number_passes_within_half_a_percent(value, passed):
    (card,), _ = cards(canonical("number", {"value": value, "unit": "%"}, SEED_GROUND_TRUTHS["number"]))
    assert card.passed is passed


def test_aliases_and_tolerances_of_a_prediction_are_never_read():
    wishful = {"value": "A", "aliases": ["B"]}, {"value": 99, "unit": "%", "tolerance_abs": 1000}
    (choice, number), _ = cards(
        canonical("choice", wishful[0], SEED_GROUND_TRUTHS["choice"]),
        canonical("number", wishful[1], SEED_GROUND_TRUTHS["number"]),
    )
    assert (choice.primary_score, number.primary_score) == (0.0, 0.0)


def test_an_empty_prediction_scores_0_and_is_tagged():
    (card,), _ = cards(canonical("choice", {}, SEED_GROUND_TRUTHS["choice"]))
    assert (card.primary_score, card.passed, card.error_tags) == (0.0, False, ("parse_error",))


def test_the_seeds_empty_placeholder_has_no_reference_and_is_refused():
    found, problems = cards(canonical("choice", {}, {}))
    assert not found
    assert [problem.code for problem in problems.listed] == ["empty-reference"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", "bad-json"),
        ("[1]", "not-an-object"),
        ('{"task_id": 1, "task_id": 2}', "duplicate-key"),
        ('{"task_id": NaN}', "not-finite"),
        (canonical("choice", {}, {"value": "B"}, extra=1), "unknown-key"),
        ({"task_id": "t"}, "missing-field"),
        (canonical("essay", {}, {"value": "B"}), "bad-answer"),
        (canonical("choice", [], {"value": "B"}), "bad-answer"),
        (canonical("choice", {}, {"value": "B", "alias": []}), "bad-reference"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(line, code):
    good = canonical("choice", {"value": "B"}, {"value": "B"})
    _, problems = cards(good, line, good)
    assert [(problem.code, problem.line) for problem in problems.listed] == [(code, 2)]


def test_no_lines_are_refused():
    _, problems = cards()
    assert problems.listed[0].code == "empty-file"


def test_a_scorer_for_another_answer_type_refuses_the_line():
    row = canonical("number", {"value": 1}, {"value": 1})
    _, problems = cards(row, options=ScoreOptions(scorer="choice@v1"))
    assert "choice@v1 judges choice answers, not number" in problems.listed[0].message


def test_a_pair_needs_an_answer_type_or_a_scorer():
    assert score_pair("A", "a", ScoreOptions(scorer="answer_correctness@v1")).passed
    with pytest.raises(UsageError, match="needs to know"):
        score_pair("A", "a", ScoreOptions())


def test_parameters_reach_the_scorer_and_unknown_ones_are_refused():
    close = ScoreOptions(scorer="number@v1", parameters={"tolerance_rel": 0.02})
    assert score_pair("100", "101", close).passed
    with pytest.raises(ConfigurationError, match="tolerance_rle"):
        score_pair("100", "101", ScoreOptions(scorer="number@v1", parameters={"tolerance_rle": 0.02}))


def test_an_empty_reference_is_refused():
    with pytest.raises(InputError, match="empty"):
        score_pair("  ", "", ScoreOptions(answer_type="text"))


@pytest.mark.parametrize(
    ("answer_type", "expected", "predicted"),
    [
        ("number", '{"value": 12.5, "unit": "%", "tolerance_abs": 0.5}', "12.9%"),
        ("list", '{"items": ["ai", "earnings"]}', "earnings, AI"),
        ("reasoning", '{"final_answer": {"value": 42}}', '{"final_answer": 42, "steps": ["6 x 7 = 42"]}'),
        ("text", '{"not": "typed"}', '{"not": "typed"}'),
    ],
)
def test_a_typed_object_may_be_written_as_json(answer_type, expected, predicted):
    assert score_pair(expected, predicted, ScoreOptions(answer_type=answer_type)).passed


PROFILE = """
version: v1
normalization:
  lowercase: true
  trim_whitespace: true
  collapse_spaces: true
  unit_aliases: {pct: "%", 点: "%"}
scorers:
  choice: {primary_metric: exact_match, pass_threshold: 0.5, metrics: [exact_match]}
  number: {primary_metric: within_tolerance, pass_threshold: 0.5, metrics: [numeric_error]}
  text: {primary_metric: reference_rouge, pass_threshold: 0.9, metrics: [reference_rouge]}
"""


def test_a_scoring_profile_sets_thresholds_and_unit_aliases(tmp_path):
    profile = tmp_path / "profile.yaml"
    profile.write_text(PROFILE, encoding="utf-8")
    options = ScoreOptions(answer_type="text", profile=str(profile))
    card = score_pair("sales went up", "sales are up", options)
    assert (round(card.primary_score, 3), card.passed) == (0.667, False)
    numbers = ScoreOptions(answer_type="number", profile=str(profile))
    assert score_pair("12.5%", "12.5点", numbers).passed


def test_json_that_is_refused_is_text():
    deep = '{"value": ' * 20_000
    assert score_pair(deep, deep, ScoreOptions(answer_type="text")).primary_score == 1.0
