"""The plugin package of tests/plugin, installed for real, through its entry point."""

import os
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from steelyard.errors import ConfigurationError
from steelyard.records.answers import Text
from steelyard.registry import bind_scorer, scorers
from steelyard.tasks.scoring import ScoreOptions, score_pair

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests" / "plugin" / "within_days.py"


@pytest.fixture(autouse=True)
def installed():
    if "within_days" not in entry_points(group="steelyard").names:
        message = "the plugin of tests/plugin is not installed: run `make test`, or pip install ./tests/plugin"
        pytest.fail(message) if os.environ.get("CI") == "true" else pytest.skip(message)


def test_the_plugins_scorer_is_registered_beside_the_built_in_ones():
    found = {definition.key: definition.module for definition in scorers()}
    assert found["within_days@v1"] == "within_days"


@pytest.mark.parametrize(
    ("predicted", "days", "score", "tags"),
    [
        ("2026-11-18", 1, 1.0, ()),
        (" 2026-11-19\n", 1, 1.0, ()),
        ("2026-11-20", 1, 0.0, ("too_far",)),
        ("2026-11-20", 2, 1.0, ()),
        ("soon", 1, 0.0, ("not_a_date",)),
    ],
)
def test_it_scores(predicted, days, score, tags):
    card = bind_scorer("within_days@v1", {"days": days})(Text(predicted), Text("2026-11-18"))
    assert (card.primary_score, card.error_tags) == (score, tags)


def test_it_is_used_by_name_and_its_parameters_are_checked():
    options = ScoreOptions(scorer="within_days@v1", parameters={"days": 3})
    assert score_pair("2026-11-18", "2026-11-21", options).passed
    with pytest.raises(ConfigurationError, match="did you mean 'days'"):
        bind_scorer("within_days@v1", {"day": 3})


def test_a_scorer_takes_about_fifteen_lines():
    code = SOURCE.read_text(encoding="utf-8").partition("@scorer")[2]
    assert len(code.splitlines()) <= 15


def test_the_tutorial_shows_the_plugin_that_is_tested():
    page = (ROOT / "docs" / "tutorial" / "plugin.md").read_text(encoding="utf-8")
    for file in ("within_days.py", "pyproject.toml"):
        assert (ROOT / "tests" / "plugin" / file).read_text(encoding="utf-8").rstrip() in page
