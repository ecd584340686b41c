"""Signatures, thresholds, and the lift over blocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.records.answers import Text
from steelyard.records.scores import Score
from steelyard.registry import Parameter, Scorer, ScorerDefinition, bind_scorer, signature


def definition(function):
    return ScorerDefinition("made_up", 1, "text", function, {}, 0.5, {}, "", __name__)


def test_the_specifications_signature():
    bound = bind_scorer("number@v1", {"tolerance_abs": 0.5, "tolerance_rel": 0.02})
    assert bound.signature == "number@v1|normalize=basic,tolerance_abs=0.5,tolerance_rel=0.02"


def test_a_threshold_of_the_users_own_is_part_of_the_signature():
    assert bind_scorer("choice@v1").signature == "choice@v1"
    assert bind_scorer("choice@v1", pass_threshold=0.9).signature == "choice@v1|pass_threshold=0.9"


@given(st.lists(st.text(), max_size=3), st.lists(st.text(), max_size=3))
def test_two_lists_of_aliases_never_share_a_signature(first, second):
    declared = {"aliases": Parameter("aliases", tuple[str, ...], ())}
    printed = [signature("x@v1", declared, {"aliases": tuple(aliases)}) for aliases in (first, second)]
    assert (printed[0] == printed[1]) == (first == second)


@pytest.mark.parametrize("primary", [1.1, -0.1, float("nan"), float("inf")])
def test_a_score_outside_0_to_1_is_the_scorers_fault(primary):
    broken = Scorer(definition(lambda predicted, expected: Score(primary)))
    with pytest.raises(ValueError, match=r"made_up@v1 gave .* not in \[0, 1\]"):
        broken(Text("a"), Text("b"))


@pytest.mark.parametrize(("threshold", "passed"), [(0.5, True), (0.50001, False), (0.0, True)])
def test_pass_is_at_the_threshold_or_above(threshold, passed):
    half = Scorer(definition(lambda predicted, expected: Score(0.5)), pass_threshold=threshold)
    assert half(Text("a"), Text("b")).passed is passed


def test_a_block_is_judged_as_its_items_are():
    judge = bind_scorer("text@v1")
    predicted, expected = (
        [Text("sales are up"), Text(""), Text("营收")],
        [Text("sales went up"), Text("x"), Text("营收")],
    )
    assert judge.over(predicted, expected) == [judge(*pair) for pair in zip(predicted, expected, strict=True)]
    with pytest.raises(ValueError, match="shorter"):
        judge.over(predicted, expected[:2])
