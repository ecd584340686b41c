"""The scoring profile of seed 003: normalisation and thresholds per answer type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, field_validator

from steelyard.configuration.problems import Strict, checked
from steelyard.errors import ConfigurationError, Problem
from steelyard.records.answers import AnswerType, Profile

_PROFILES: dict[tuple[bool, bool, bool], Profile] = {
    (True, True, True): "basic",
    (True, True, False): "strip_lower",
    (False, False, False): "none",
}


class Normalization(Strict):
    """Which normalisation the profile asks for, and further spellings of units."""

    lowercase: bool = True
    trim_whitespace: bool = True
    collapse_spaces: bool = True
    unit_aliases: dict[str, str] = Field(default_factory=dict)

    @property
    def profile(self) -> Profile:
        """The normalisation profile with these three properties."""
        key = (self.lowercase, self.trim_whitespace, self.collapse_spaces)
        if key not in _PROFILES:
            message = (
                "lowercase, trim_whitespace and collapse_spaces are "
                f"{key}; profiles exist for all true (basic), the first two true (strip_lower) and all false (none)"
            )
            raise ConfigurationError(Problem(code="bad-configuration", message=message))
        return _PROFILES[key]


class TypeProfile(Strict):
    """How one answer type is judged."""

    primary_metric: str | None = None
    pass_threshold: float | None = Field(default=None, ge=0, le=1)
    metrics: tuple[str, ...] = Field(default=(), strict=False)

    @field_validator("metrics", mode="before")
    @classmethod
    def _lists(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value


class ScoringProfile(Strict):
    """`version`, `normalization{…}`, `scorers{type: {primary_metric, pass_threshold, metrics[]}}`."""

    version: str | int = "v1"
    normalization: Normalization = Normalization()
    scorers: dict[AnswerType, TypeProfile] = Field(default_factory=dict)


def parse_profile(values: Mapping[str, Any], *, file: str | None = None) -> ScoringProfile:
    """Return a scoring profile from the content of its file."""
    return checked(ScoringProfile, values, file=file)
