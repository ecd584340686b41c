"""`numerical_match@v1`: the ladder as a scorer."""

import pytest

from steelyard.records.answers import Number
from steelyard.registry import bind_scorer


@pytest.mark.parametrize(
    ("expected", "predicted", "primary", "tags"),
    [
        (Number(12.5, "%"), Number(0.125), 1.0, ()),
        (Number(12.5, "%"), Number(12.5), 0.0, ("scale_error",)),
        (Number(33.33), Number(33.3), 1.0, ()),
        (Number(-5), Number(5), 0.0, ("sign_error",)),
        (Number(5), Number(7), 0.0, ("wrong_value",)),
        (Number(0), Number(0.05), 0.0, ("wrong_value",)),
        (Number(True), Number(True), 1.0, ()),
        (Number(True), Number(False), 0.0, ("wrong_value",)),
        (Number(True), Number(1), 0.0, ("wrong_value",)),
    ],
)
def test_the_primary_is_the_numerical_match(expected, predicted, primary, tags):
    card = bind_scorer("numerical_match@v1")(predicted, expected)
    assert (card.primary_score, card.error_tags) == (primary, tags)


def test_the_other_rungs_are_sub_scores():
    card = bind_scorer("numerical_match@v1")(Number(12.5), Number(12.5, "%"))
    assert card.sub_scores == {
        "exact_numeric_match": 0.0,
        "soft_match": 0.0,
        "general_match": 1.0,
        "unit_agnostic_match": 1.0,
        "sign_agnostic_match": 0.0,
    }
    assert card.explain == "Expected 12.5 %, found 12.5: scale error."
