"""Plain words and variables of configuration files."""

import pytest

from steelyard.reading.yaml_words import NotFiniteError, literal, meaning, substituted
from steelyard.secrets import forget_secrets, redact


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"), ("yes", "yes"), ("on", "on"), ("2024-01-01", "2024-01-01"), ("12:30", "12:30"),
        ("1_000", "1_000"),
        ("true", True), ("False", False), ("", None), ("~", None), ("null", None), ("nUll", "nUll"),
        ("007", 7), ("-12", -12), ("0o17", 15), ("0x1F", 31), ("1e3", 1000.0), (".5", 0.5),
        ("9007199254740993", 2**53 + 1),
        ("NaN", "NaN"), ("inf", "inf"), ("-0x1", "-0x1"), ("１２", "１２"),
    ],
)  # fmt: skip
def test_plain_words_mean_what_the_core_schema_of_yaml_1_2_says(text, value):
    found = meaning(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("text", [".nan", ".inf", "-.Inf", "+.INF", "1e400", "9" * 5000, "0x" + "f" * 5000])
def test_numbers_with_which_nothing_can_be_computed_are_refused(text):
    with pytest.raises(NotFiniteError):
        meaning(text)


@pytest.mark.parametrize("text", ["${A}", "$${A}", "$$${A} ${B}", "$A {A} ${1} $", "${A}${A}"])
def test_text_that_is_written_to_mean_itself_is_read_back(text):
    assert substituted(literal({"x": [text]})["x"][0], {}) == (text, [])


def test_variables_are_filled_in_and_unset_ones_are_named():
    assert substituted("a ${B}${C} ${A}", {"A": "1", "C": "${A}"}) == ("a ${A} 1", ["B"])
    assert substituted("$${A} $A {A} ${1}", {"A": "1"}) == ("${A} $A {A} ${1}", [])


@pytest.mark.parametrize(("name", "key"), [("OPENAI_API_KEY", ""), ("X", "api_key"), ("MY_TOKEN", "")])
def test_a_variable_that_is_named_like_a_secret_is_kept_out_of_what_is_written(name, key):
    try:
        substituted(f"${{{name}}}", {name: "hunter2hunter2"}, key=key)
        assert redact("it is hunter2hunter2.") == "it is [redacted]."
    finally:
        forget_secrets()


def test_a_variable_that_is_no_secret_stays_readable():
    substituted("${DATA_FOLDER}", {"DATA_FOLDER": "somewhere"}, key="dataset")
    assert redact("somewhere") == "somewhere"
