"""Parameters that a configuration gives: checked, suggested, and printed one way."""

import math

import pytest

from steelyard.errors import ConfigurationError
from steelyard.registry import bind_metric, bind_scorer


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("number@v1", {"tolerance_rle": 0.1}, "did you mean 'tolerance_rel'"),
        ("answer_correctness@v1", {"x": 1}, "its parameters are: none"),
        ("number@v1", {"tolerance_rel": "0.1"}, "expected a number or null"),
        ("number@v1", {"tolerance_rel": True}, "expected a number"),
        ("number@v1", {"tolerance_rel": math.nan}, "not a finite number"),
        ("number@v1", {"tolerance_rel": math.inf}, "not a finite number"),
        ("number@v1", {"tolerance_rel": 10**400}, "expected a number"),
        ("text@v1", {"primary": "bleu"}, "expected one of rouge1, rougeL"),
        ("list@v1", {"normalize": "fancy"}, "expected one of strip_lower, basic"),
        ("choice@v1", {"aliases": "a=b"}, "expected a list of text"),
        ("choice@v1", {"aliases": [1]}, "expected a list of text"),
    ],
)
def test_a_wrong_parameter_is_refused_with_what_is_right(name, parameters, message):
    with pytest.raises(ConfigurationError, match=message):
        bind_scorer(name, parameters)


def test_metrics_check_theirs_too():
    with pytest.raises(ConfigurationError, match="stemmer"):
        bind_metric("rouge1", {"stemer": True})
    assert bind_metric("rouge1", {"stemmer": True}).signature == "rouge1@v2|stemmer=true"


def test_equal_values_have_one_signature():
    whole, decimal = (bind_scorer("list@v1", {"order_weight": value}).signature for value in (1, 1.0))
    assert whole == decimal == "list@v1|normalize=basic,order_weight=1.0"


def test_lists_of_a_configuration_file_are_tuples_here():
    assert bind_scorer("choice@v1", {"aliases": ["b=B"]}).parameters["aliases"] == ("b=B",)
