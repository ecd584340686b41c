"""Format rules: what passes, what is stopped, and that a stopped pattern does not slow the rest."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import ConfigurationError
from steelyard.records.plans import Rule
from steelyard.scoring import rules as rules_module
from steelyard.scoring.rules import FormatRules, is_simple

RUNAWAY = "(a|aa)+$"
HOSTILE = "a" * 60 + "b"


def passes(output, **rule):
    columns, _ = FormatRules([Rule("it", **rule)]).check(output)
    assert columns["rule.it"] == columns["format_compliance"]
    return columns["rule.it"] == 1.0


@pytest.mark.parametrize(
    ("output", "rule", "expected"),
    [
        ("It is four.", {"pattern": r"\.$"}, True),
        ("It is four.\n", {"pattern": r"\.$"}, True),
        ("four", {"pattern": r"\.$"}, False),
        ("Sure, four", {"pattern": "^(?:Sure|Of course)", "invert": True}, False),
        ("Four", {"pattern": "^(?:Sure|Of course)", "invert": True}, True),
        ("one two three", {"max_tokens": 3}, True),
        ("one two three four", {"max_tokens": 3}, False),
        ("营收上涨", {"max_tokens": 3}, False),
        ("营收上涨", {"min_tokens": 4}, True),
        ("", {"min_tokens": 1}, False),
        ("", {"max_tokens": 0}, True),
        (" yes\n", {"one_of": ("yes", "no")}, True),
        ("Yes", {"one_of": ("yes", "no")}, False),
        ('{"a": 1}', {"json_schema": {"type": "object", "required": ["a"]}}, True),
        ('{"b": 1}', {"json_schema": {"type": "object", "required": ["a"]}}, False),
        ('```json\n{"a": 1}\n```', {"json_schema": True}, False),
        ("NaN", {"json_schema": True}, False),
        ("[" * 100_000, {"json_schema": True}, False),
        ('"\ud800"', {"json_schema": True}, False),
        ("1", {"json_schema": False}, False),
    ],
)
def test_a_rule_passes_what_it_asks_for(output, rule, expected):
    assert passes(output, **rule) is expected


@given(st.text(max_size=40), st.sampled_from([r"\.$", "^a", "a|b", r"\d\d", "[a-z]{2,3}x", "^(?!Sure)", r"\bthe\b"]))
def test_a_pattern_is_a_search_with_pythons_meaning(output, pattern):
    assert passes(output, pattern=pattern) == (re.search(pattern, output) is not None)


def test_an_output_complies_where_all_rules_pass_and_each_rule_is_reported():
    rules = FormatRules([Rule("period", pattern=r"\.$"), Rule("short", max_tokens=2)])
    assert rules.check("Much too long.")[0] == {"rule.period": 1.0, "rule.short": 0.0, "format_compliance": 0.0}
    assert rules.check("Short one.")[0]["format_compliance"] == 1.0


def test_no_output_passes_no_rule():
    assert FormatRules([Rule("short", max_tokens=2)]).check(None) == ({"rule.short": 0.0, "format_compliance": 0.0}, ())


def test_a_runaway_pattern_stops_after_a_second_and_is_tagged():
    rules = FormatRules([Rule("runaway", pattern=RUNAWAY), Rule("short", max_tokens=2)])
    started = time.process_time()
    columns, tags = rules.check(HOSTILE)
    assert 0.9 < time.process_time() - started < 2
    assert columns == {"rule.runaway": 0.0, "rule.short": 1.0, "format_compliance": 0.0}
    assert tags == ("regex_timeout",)
    assert rules.check("aaa") == ({"rule.runaway": 1.0, "rule.short": 1.0, "format_compliance": 1.0}, ())


def test_an_inverted_rule_that_is_stopped_fails_too(monkeypatch):
    monkeypatch.setattr(rules_module, "DEADLINE", 0.01)
    assert passes(HOSTILE, pattern=RUNAWAY, invert=True) is False


def test_many_runaway_matches_cost_little_more_than_the_budget(monkeypatch):
    monkeypatch.setattr(rules_module, "LOST_SECONDS", 0.2)
    monkeypatch.setattr(rules_module, "DEADLINE", 0.1)
    rules = FormatRules([Rule(f"runaway{number}", pattern=RUNAWAY) for number in range(100)])
    started = time.process_time()
    columns, _ = rules.check(HOSTILE)
    # 0.2 s at the full deadline, then 98 matches of about 2 ms.
    assert time.process_time() - started < 1
    assert columns["format_compliance"] == 0.0
    assert rules.check("aaaa")[0]["format_compliance"] == 1.0


def test_a_thousand_rules_take_no_process_and_little_time():
    rules = FormatRules(
        [Rule(f"rule{number}", pattern=rf"word{number}\b.*end$", invert=True) for number in range(1000)]
    )
    started = time.process_time()
    for number in range(20):
        assert rules.check(f"some text number {number} end")[0]["format_compliance"] == 1.0
    assert time.process_time() - started < 2


def test_a_runaway_pattern_inside_a_schema_is_stopped(monkeypatch):
    monkeypatch.setattr(rules_module, "DEADLINE", 0.05)
    rules = FormatRules([Rule("schema", json_schema={"type": "string", "pattern": RUNAWAY})])
    columns, tags = rules.check(f'"{HOSTILE}"')
    assert (columns["rule.schema"], tags) == (0.0, ("regex_timeout",))
    assert rules.check('"aaa"')[0]["rule.schema"] == 1.0


def test_pattern_properties_hold_in_a_schema():
    schema = {"patternProperties": {"^n_": {"type": "integer"}}}
    assert passes('{"n_a": 1, "b": "x"}', json_schema=schema)
    assert not passes('{"n_a": "one"}', json_schema=schema)


def test_a_schema_that_cannot_be_used_is_a_configuration_error():
    with pytest.raises(ConfigurationError, match="JSON Schema cannot be used"):
        FormatRules([Rule("bad", json_schema={"type": "text"})])


def test_a_schema_never_fetches_what_it_refers_to():
    rules = FormatRules([Rule("remote", json_schema={"$ref": "http://127.0.0.1:9/schema.json"})])
    with pytest.raises(ConfigurationError, match="nothing is fetched"):
        rules.check("{}")


def test_two_rules_of_one_name_are_a_configuration_error():
    with pytest.raises(ConfigurationError, match="same name: twice"):
        FormatRules([Rule("twice", max_tokens=1), Rule("twice", min_tokens=1)])


def test_the_signature_changes_with_any_rule():
    signatures = {FormatRules([Rule("it", max_tokens=limit)]).signature for limit in (1, 2, 3)}
    assert len(signatures) == 3


@pytest.mark.parametrize(
    "pattern", ["(a|b)(c|d)", "a+", "a*", "a?", "a{2,}", "((a))", "(a|aa)+$", "(?i)a", r"(\w\s)(x)"]
)
def test_what_repeats_or_branches_twice_is_not_simple(pattern):
    assert not is_simple(pattern)


@pytest.mark.parametrize("pattern", [r"\.$", "^Sure", "[*+?]", r"\*\+", "^(?:a|b|c)", "(?!Sure|OK)", r"^\d\d:[0-5]\d$"])
def test_plain_patterns_are_simple(pattern):
    assert is_simple(pattern)
