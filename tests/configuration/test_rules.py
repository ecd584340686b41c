"""Format rules are checked before any model runs."""

import pytest

from steelyard.configuration.problems import checked
from steelyard.configuration.rules import FormatRule, PreambleRuleWarning
from steelyard.errors import ConfigurationError


def code_and_message(**values) -> tuple[str, str]:
    with pytest.raises(ConfigurationError) as caught:
        checked(FormatRule, values)
    return caught.value.problems[0].code, caught.value.problems[0].message


@pytest.mark.parametrize(
    "condition",
    [
        {"pattern": r"\.$"},
        {"max_tokens": 5},
        {"min_tokens": 0},
        {"json_schema": {}},
        {"json_schema": True},
        {"one_of": ["a"]},
    ],
)
def test_a_rule_has_a_name_and_one_condition(condition):
    assert checked(FormatRule, {"name": "rule"} | condition).name == "rule"


@pytest.mark.parametrize("condition", [{}, {"pattern": "a", "max_tokens": 5}, {"max_tokens": 5, "invert": True}])
def test_none_two_or_an_inverted_number_are_refused(condition):
    assert code_and_message(name="rule", **condition)[0] == "bad-configuration"


@pytest.mark.parametrize("pattern", ["(", "", "a" * 1001, "[z-a]", "(?P<a>x)(?P<a"])
def test_a_pattern_that_does_not_compile_is_empty_or_too_long_is_refused(pattern):
    code, message = code_and_message(name="{rule}", pattern=pattern)
    assert (code, message.startswith("pattern: ")) == ("bad-pattern", True)


@pytest.mark.parametrize("value", [-1, 1.5, "5", True])
def test_a_number_of_tokens_is_a_whole_number(value):
    assert code_and_message(name="rule", max_tokens=value)[0] == "bad-configuration"


def test_seed_001s_no_preamble_is_read_as_it_is_meant_and_says_so():
    values = {"name": "no_preamble", "pattern": "^(?!Sure|Of course)", "invert": True}
    with pytest.warns(PreambleRuleWarning, match="must not begin with these words"):
        rule = checked(FormatRule, values)
    assert (rule.pattern, rule.invert) == ("^(?:Sure|Of course)", True)


def test_a_negative_look_ahead_without_invert_stays_as_it_is():
    assert checked(FormatRule, {"name": "rule", "pattern": "^(?!Sure)"}).pattern == "^(?!Sure)"
