"""`number@v1`: its sentences, its parameters, and numbers at the edges of floats."""

import pytest

from steelyard.errors import ConfigurationError
from steelyard.records.answers import Number
from steelyard.scoring.number import number


@pytest.mark.parametrize(
    ("predicted", "expected", "sentence"),
    [
        (Number(5), Number(5), "Expected 5, found 5: equal."),
        (Number(0.125), Number(12.5, "%"), "Expected 12.5 %, found 0.125: equal."),
        (Number(12.5), Number(12.5, "%"), "Expected 12.5 %, found 12.5: equal; one side has no unit."),
        (
            Number(12, "%"),
            Number(12.5, "%", 0.5, 0.02),
            "Expected 12.5 %, found 12 %: off by 0.5 (4 %), within the tolerance of 0.5 or 2 %.",
        ),
        (
            Number(-5),
            Number(5),
            "Expected 5, found -5: off by 10 (200 %), more than the tolerance of 1e-9 of it; the sign is wrong.",
        ),
        (Number(1), Number(0), "Expected 0, found 1: off by 1, more than the tolerance of 1e-9 of it."),
        (Number(5, "kg"), Number(5, "m"), "Expected 5 m, found 5 kg: the units do not convert into each other."),
        (Number(value=True), Number(value=False), "Expected no, found yes: the opposite."),
        (Number(1), Number(value=True), "Expected yes, found 1: a number is not a yes or no."),
    ],
)
def test_its_sentence_says_by_how_much_it_missed(predicted, expected, sentence):
    assert number(predicted, expected).explain == sentence


def test_differences_beyond_all_floats_are_null_and_still_judged():
    score = number(Number(1e308), Number(-1e308))
    assert (score.primary, score.sub_scores["mae"]) == (0.0, None)
    assert number(Number(10**400), Number(5)).error_tags == ("not_a_number",)


def test_integers_beyond_2_to_the_53_are_compared_exactly():
    assert number(Number(2**53 + 1), Number(2**53)).sub_scores["mae"] == 1.0
    assert not number(Number(2**53 + 1), Number(2**53, tolerance_abs=0)).primary


def test_a_unit_alias_is_written_alias_equals_unit():
    with pytest.raises(ConfigurationError, match="alias=unit"):
        number(Number(5), Number(5), unit_aliases=("pct",))
