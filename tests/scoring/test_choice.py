"""`choice@v1`: aliases that mean two choices, and what its sentences say."""

import pytest

from steelyard.errors import ConfigurationError
from steelyard.records.answers import Choice
from steelyard.scoring.choice import alias_table, choice


@pytest.mark.parametrize("pairs", [("a=x", "a=y"), ("a=b", "b=c"), ("A=x", " a =y")])
def test_an_alias_that_means_two_choices_is_a_configuration_error(pairs):
    with pytest.raises(ConfigurationError, match="means two answers"):
        alias_table(pairs)


@pytest.mark.parametrize("pairs", [("b",), ("=b",), ("a=",), ("",)])
def test_a_pair_is_written_alias_equals_choice(pairs):
    with pytest.raises(ConfigurationError, match="not of the form alias=answer"):
        alias_table(pairs)


def test_an_alias_between_two_options_is_a_configuration_error():
    with pytest.raises(ConfigurationError, match="means two answers"):
        choice(Choice("A"), Choice("B", choices=("A", "B")), aliases=("A=B",))
    with pytest.raises(ConfigurationError, match="means two answers"):
        choice(Choice("A"), Choice("B", aliases=("a",), choices=("A", "B")))


def test_the_same_alias_given_twice_is_no_conflict():
    assert choice(Choice("pos"), Choice("positive", aliases=("pos",)), aliases=("pos=positive",)).primary == 1.0


@pytest.mark.parametrize(
    ("predicted", "sentence"),
    [
        ("B", "Chose 'B' as expected."),
        ("C", "Expected 'B', found 'C'."),
        ("F", "Expected 'B', found 'F', which is none of the options 'A', 'B', 'C' and 1 more."),
        ("\x1b[31m", "Expected 'B', found '\\x1b[31m', which is none of the options 'A', 'B', 'C' and 1 more."),
    ],
)
def test_its_sentences_say_what_was_expected_and_found(predicted, sentence):
    assert choice(Choice(predicted), Choice("B", choices=("A", "B", "C", "D"))).explain == sentence
