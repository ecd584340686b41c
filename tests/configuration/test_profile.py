"""Seed 003's scoring profile."""

import pytest

from steelyard.configuration.profile import Normalization, parse_profile
from steelyard.errors import ConfigurationError
from steelyard.reading.yaml_file import parse_yaml

SEED_003 = """
version: v1
normalization:
  lowercase: true
  trim_whitespace: true
  collapse_spaces: true
  unit_aliases: {percent: "%"}
scorers:
  choice: {primary_metric: exact_match, pass_threshold: 0.5, metrics: [exact_match]}
  text: {primary_metric: reference_rouge, pass_threshold: 0.3, metrics: [reference_rouge]}
"""


def test_the_seeds_profile_loads():
    profile = parse_profile(parse_yaml(SEED_003, file="profile.yaml"))
    assert (profile.normalization.profile, profile.normalization.unit_aliases) == ("basic", {"percent": "%"})
    assert (profile.scorers["text"].pass_threshold, profile.scorers["choice"].metrics) == (0.3, ("exact_match",))


@pytest.mark.parametrize(
    ("flags", "name"), [((True, True, True), "basic"), ((True, True, False), "strip_lower"), ((False,) * 3, "none")]
)
def test_three_sets_of_flags_name_a_normalisation(flags, name):
    keys = ("lowercase", "trim_whitespace", "collapse_spaces")
    assert Normalization(**dict(zip(keys, flags, strict=True))).profile == name


def test_other_flags_name_none_and_are_refused():
    with pytest.raises(ConfigurationError, match="profiles exist for"):
        _ = Normalization(lowercase=False).profile


@pytest.mark.parametrize(
    "text",
    ["scorers: {text: {pass_threshold: 1.01}}", "scorers: {text: {pass_threshold: -0.1}}", "scorers: {essay: {}}",
     "normalisation: {}", "normalization: {lowercase: 1}", "scorers: {text: {metrics: f1}}"],
)  # fmt: skip
def test_what_a_profile_cannot_mean_is_refused_with_its_line(text):
    with pytest.raises(ConfigurationError) as caught:
        parse_profile(parse_yaml(text, file="profile.yaml"), file="profile.yaml")
    assert (caught.value.problems[0].file, caught.value.problems[0].line) == ("profile.yaml", 1)
