"""Everything wrong with a configuration at once, each thing at its place and with a suggestion."""

from typing import Annotated

import pytest
from pydantic import Field

from steelyard.configuration.problems import Strict, checked, known_keys, unknown_key
from steelyard.errors import ConfigurationError
from steelyard.records.documents import Document
from steelyard.secrets import forget_secrets, remember_secret


class Rule(Strict):
    name: str
    weight: float = Field(default=1.0, ge=0, le=1)


class Settings(Strict):
    title: str
    rules: list[str | Rule] = Field(default_factory=list)
    inner: Rule | None = None
    shown_as: Annotated[int, Field(alias="shown")] = 0


def problems_of(values, **options):
    with pytest.raises(ConfigurationError) as caught:
        checked(Settings, values, **options)
    return caught.value.problems


def test_a_good_configuration_is_a_frozen_record():
    settings = checked(Settings, {"title": "a", "rules": ["x", {"name": "y"}]})
    assert settings.rules == ["x", Rule(name="y")]


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file():
    values = Document({"titel": "a", "shown": "x"}, {("titel",): (3, 1), ("shown",): (2, 1)})
    found = problems_of(values, file="settings.yaml")
    assert [(problem.code, problem.line, problem.message) for problem in found] == [
        ("bad-configuration", None, "title: Field required"),
        ("bad-configuration", 2, "shown: Input should be a valid integer; found 'x'"),
        ("unknown-key", 3, "there is no key 'titel'"),
    ]
    assert {problem.file for problem in found} == {"settings.yaml"}


@pytest.mark.parametrize(("key", "hint"), [("titel", "did you mean 'title'?"), ("Title", "did you mean 'title'?")])
def test_an_unknown_key_comes_with_the_nearest_known_one(key, hint):
    assert [problem.hint for problem in problems_of({"title": "a", key: 1})] == [hint]


def test_a_key_like_no_other_lists_those_that_exist():
    assert problems_of({"title": "a", "zzz": 1})[0].hint == "keys are: inner, rules, shown, title"


def test_the_place_inside_a_list_is_told_without_the_names_of_pythons_types():
    found = problems_of({"title": "a", "rules": [{"name": "x", "weight": 2.0}]})
    assert "rules.0.weight: Input should be less than or equal to 1; found 2.0" in [each.message for each in found]
    assert not [each for each in found if "Rule" in each.message]


def test_an_unknown_key_inside_is_named_with_its_path():
    (problem,) = problems_of({"title": "a", "inner": {"name": "x", "wieght": 1}})
    assert (problem.message, problem.hint) == ("there is no key 'inner.wieght'", "did you mean 'weight'?")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "0.5", True, None, [1]])
def test_numbers_are_finite_and_nothing_is_coerced(value):
    assert problems_of({"title": "a", "inner": {"name": "x", "weight": value}})


def test_a_value_that_is_a_secret_is_not_quoted():
    try:
        remember_secret("hunter2hunter2")
        assert "hunter2" not in str(problems_of({"title": "a", "shown": "hunter2hunter2"})[0])
    finally:
        forget_secrets()


def test_foreign_text_in_messages_is_cut_and_escaped():
    message = problems_of({"title": "a", "shown": "\x1b[31m" * 50})[0].message
    assert message.isprintable()
    assert len(message) < 200


def test_known_keys_are_those_a_user_writes():
    assert known_keys(Settings, ["rules", 0]) == ["name", "weight"]
    assert known_keys(Settings, ["shown"]) == []
    assert unknown_key("inner.nam", ["name"]).hint == "did you mean 'name'?"
