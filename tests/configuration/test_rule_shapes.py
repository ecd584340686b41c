"""Format rules are checked before anything runs, and one shape is read in its evident meaning."""

import pytest

from steelyard.configuration.rules import FormatRule, PreambleRuleWarning
from steelyard.configuration.task import parse_task
from steelyard.errors import ConfigurationError


def rule(**given):
    return {"name": "it", **given}


def parse(*rules):
    return parse_task({"task": "t", "eval": {"format_rules": list(rules)}}).eval.format_rules


@pytest.mark.parametrize(
    ("pattern", "read_as"),
    [
        ("^(?!Sure|Of course|I'd be happy)", "^(?:Sure|Of course|I'd be happy)"),
        (r"\A(?!Sure\b)", r"^(?:Sure\b)"),
        ("^(?!(?:Sure|OK),? )", "^(?:(?:Sure|OK),? )"),
        ("^(?![Ss]ure)", "^(?:[Ss]ure)"),
    ],
)
def test_an_anchored_negative_look_ahead_with_invert_means_must_not_begin_with(pattern, read_as):
    with pytest.warns(PreambleRuleWarning, match="cancel"):
        (found,) = parse(rule(pattern=pattern, invert=True))
    assert (found.pattern, found.invert) == (read_as, True)


@pytest.mark.parametrize(
    ("pattern", "invert"),
    [
        ("^(?!Sure)", False),
        ("(?!Sure)", True),
        ("^(?!Sure).*", True),
        ("^(?!a)(?!b)", True),
        ("^(?=Sure)", True),
        (r"^(?!Sure\)", False),
    ],
)
def test_no_other_shape_is_guessed(pattern, invert):
    if pattern.endswith(r"\)"):
        with pytest.raises(ConfigurationError, match="does not compile"):
            parse(rule(pattern=pattern, invert=invert))
        return
    (found,) = parse(rule(pattern=pattern, invert=invert))
    assert found == FormatRule(name="it", pattern=pattern, invert=invert)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "needs exactly one of"),
        ({"max_tokens": 1, "min_tokens": 1}, "needs exactly one of"),
        ({"max_tokens": 1, "invert": True}, "invert goes with pattern"),
        ({"pattern": ""}, "1 to 1000 characters"),
        ({"pattern": "a" * 1001}, "1 to 1000 characters"),
        ({"pattern": "("}, "does not compile"),
        ({"max_tokens": -1}, "greater than or equal to 0"),
        ({"max_words": 3}, "did you mean"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_a_configuration_error(given, message):
    with pytest.raises(ConfigurationError, match=message):
        parse(rule(**given))
