"""What may be registered as a scorer or metric, and what is a programmer's error."""

import pytest

from steelyard.records.answers import Choice, Text
from steelyard.records.scores import Score
from steelyard.registry import bind_scorer, metric, scorer
from steelyard.registry.parameters import METRICS, SCORERS


@pytest.fixture(autouse=True)
def tables(monkeypatch):
    """Leave the tables as they were: other tests ask what is registered."""
    bind_scorer("choice")
    before = dict(SCORERS), dict(METRICS)
    yield
    for table, kept in zip((SCORERS, METRICS), before, strict=True):
        table.clear()
        table.update(kept)


def test_a_typed_function_becomes_a_scorer():
    @scorer("shorter", version=2, pass_threshold=1.0, sub_scores={"gap": "lower"})
    def shorter(predicted: Text, expected: Text, *, slack: int = 0) -> Score:
        """1 if it is no longer than the reference.

        More words.
        """
        return Score(float(len(predicted.value) <= len(expected.value) + slack))

    bound = bind_scorer("shorter@v2", {"slack": 1})
    assert bound.signature == "shorter@v2|slack=1"
    assert bound.definition.summary == "1 if it is no longer than the reference."
    assert bound(Text("abc"), Text("ab")).passed
    assert not bound(Text("abcd"), Text("ab")).passed


def two_types(predicted: Text, expected: Choice) -> Score: ...
def no_types(predicted, expected) -> Score: ...
def three_answers(predicted: Text, expected: Text, context: Text) -> Score: ...
def not_an_answer(predicted: str, expected: str) -> Score: ...
def no_default(predicted: Text, expected: Text, *, slack: int) -> Score: ...
def wrong_default(predicted: Text, expected: Text, *, slack: int = "none") -> Score: ...


@pytest.mark.parametrize("function", [two_types, no_types, three_answers, not_an_answer, no_default, wrong_default])
def test_a_function_of_another_shape_is_refused(function):
    with pytest.raises(TypeError, match="broken"):
        scorer("broken", version=1)(function)


def fine(predicted: Text, expected: Text) -> Score:
    return Score(1.0)


@pytest.mark.parametrize("name", ["Upper", "with space", "with-dash", "", "9lives"])
def test_a_name_is_letters_digits_and_underscores(name):
    with pytest.raises(TypeError, match="is not a name"):
        scorer(name, version=1)(fine)


def test_versions_count_from_1_and_thresholds_lie_in_0_to_1():
    with pytest.raises(TypeError, match="versions count from 1"):
        scorer("zero", version=0)(fine)
    with pytest.raises(TypeError, match="pass_threshold"):
        scorer("high", version=1, pass_threshold=1.5)


def test_two_modules_cannot_take_one_name():
    with pytest.raises(TypeError, match=r"choice@v1 is registered twice, by steelyard\.scoring\.choice"):
        scorer("choice", version=1)(fine)


def test_a_new_version_stands_beside_the_old_one_and_is_the_default():
    scorer("text", version=9)(fine)
    assert bind_scorer("text").definition.version == 9
    assert bind_scorer("text@v1").definition.version == 1


def test_a_metric_declares_its_direction():
    @metric("gap", direction="lower", bounded=False)
    def gap(prediction: str, reference: str) -> float:
        """How far apart."""
        return abs(len(prediction) - len(reference))

    assert (METRICS["gap", 1].direction, METRICS["gap", 1].bounded) == ("lower", False)
    assert METRICS["gap", 1].values == "unbounded"
