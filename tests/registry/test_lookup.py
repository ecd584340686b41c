"""Names to scorers and metrics, and a plugin that cannot be loaded."""

from importlib.metadata import EntryPoint

import pytest

from steelyard.errors import ConfigurationError
from steelyard.registry import bind_metric, bind_scorer, direction_of, is_bounded, metrics, scorers, value_kind
from steelyard.registry.lookup import _load_plugin


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(
        ConfigurationError, match="there is no scorer 'numbr@v1'; there are answer_correctness@v1"
    ) as refused:
        bind_scorer("numbr@v1")
    assert refused.value.problems[0].hint == "did you mean 'number'?"


@pytest.mark.parametrize("name", ["text@v9", "text@1", "text@", "@v1", "", "text@v1 ", "text@v01"])
def test_what_is_no_registered_version_is_unknown(name):
    with pytest.raises(ConfigurationError, match="there is no scorer"):
        bind_scorer(name)
    with pytest.raises(ConfigurationError, match="there is no metric"):
        bind_metric(name)


def test_lists_are_in_order_of_name_and_version():
    for registered in (scorers(), metrics()):
        assert [(entry.name, entry.version) for entry in registered] == sorted((e.name, e.version) for e in registered)


def test_every_scorer_says_what_it_does_in_one_line():
    for entry in [*scorers(), *metrics()]:
        assert entry.summary.endswith("."), entry.key


@pytest.mark.parametrize(
    ("name", "direction"),
    [("f1", "higher"), ("mae", "lower"), ("number", "higher"), ("within_tol", "higher"), ("nothing_like_it", None)],
)
def test_the_direction_of_a_number_is_where_it_was_registered(name, direction):
    assert direction_of(name) == direction


@pytest.mark.parametrize(
    ("name", "bounded"),
    [
        ("f1", True),
        ("eval_loss", False),
        ("number", True),
        ("within_tol", True),
        ("mae", False),
        ("numeric_error.change.mae", False),
        ("nothing_like_it", None),
    ],
)
def test_a_number_that_cannot_leave_its_range_is_known(name, bounded):
    assert is_bounded(name) is bounded


def test_a_plugin_that_cannot_be_loaded_is_named():
    broken = EntryPoint("broken_plugin", "steelyard_no_such_module", "steelyard")
    with pytest.raises(
        ConfigurationError, match=r"plugin 'broken_plugin' \(steelyard_no_such_module\) cannot be loaded"
    ):
        _load_plugin(broken)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("exact_match", "rate"),
        ("f1", "bounded"),
        ("rouge1", "bounded"),
        ("bleu", "percent"),
        ("operations_per_turn", "amount"),
        ("perplexity", "amount"),
        ("answer_correctness", "rate"),
        ("text", "bounded"),
        ("mae", "amount"),
        ("numeric_error.change.mae", "amount"),
        ("order_score", "bounded"),
        ("unknown", None),
    ],
)
def test_what_values_a_number_can_have_is_declared(name, kind):
    assert value_kind(name) == kind


def test_scores_that_are_declared_right_or_wrong_are_nothing_between():
    """The kind decides the interval, so a scorer that gives partial credit must not be declared a rate."""
    partial = {"list", "text", "reasoning"}
    assert {entry.name for entry in scorers() if entry.values != "rate"} >= partial
