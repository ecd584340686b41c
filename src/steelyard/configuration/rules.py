"""Format rules of seed 001's `eval:` block, checked before any model runs."""

from __future__ import annotations

import warnings
from typing import Any

import regex
from pydantic import Field, field_validator, model_validator

from steelyard.configuration.problems import Strict, own_problem
from steelyard.text.patterns import PatternError, compile_pattern

_KINDS = ("pattern", "max_tokens", "min_tokens", "json_schema", "one_of")

_ANCHORED_NEGATIVE_LOOK_AHEAD = regex.compile(
    r"(?:\^|\\A)\(\?!(?P<words>(?P<part>[^()\\\[\]]|\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]|\((?&part)*\))+)\)"
)
"""The one shape whose evident meaning is the opposite of its literal one (page 20, `no_preamble`)."""


class PreambleRuleWarning(UserWarning):
    """A negative look-ahead with `invert: true` was read in its evident meaning."""


class FormatRule(Strict):
    """One rule on the raw output: a name and exactly one kind of condition."""

    name: str = Field(min_length=1)
    pattern: str | None = None
    max_tokens: int | None = Field(default=None, ge=0)
    min_tokens: int | None = Field(default=None, ge=0)
    json_schema: dict[str, Any] | bool | None = None
    one_of: tuple[str, ...] | None = Field(default=None, strict=False)
    invert: bool = False

    @field_validator("one_of", mode="before")
    @classmethod
    def _lists(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _exactly_one_kind(self) -> FormatRule:
        given = [kind for kind in _KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ValueError(f"rule {self.name!r} needs exactly one of {', '.join(_KINDS)}; it has {given or 'none'}")
        if self.invert and self.pattern is None:
            raise ValueError(f"rule {self.name!r}: invert goes with pattern")
        return self

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            compile_pattern(value)
        except PatternError as error:
            hint = "correct the pattern, as Python's `re` reads it; in YAML single quotes keep backslashes as they are"
            raise own_problem("bad-pattern", str(error), hint) from None
        return value

    @model_validator(mode="after")
    def _evident_meaning(self) -> FormatRule:
        """Read seed 001's `no_preamble` as it is meant: an answer must not begin with those words."""
        match = _ANCHORED_NEGATIVE_LOOK_AHEAD.fullmatch(self.pattern or "")
        if match is None or not self.invert:
            return self
        words = match["words"]
        warnings.warn(
            f"rule {self.name!r} combines a negative look-ahead with invert, which cancel; it is read as "
            f'"must not begin with these words". Write pattern: "^(?:{words})" with invert: true, '
            f'or pattern: "^(?!{words})" without invert.',
            PreambleRuleWarning,
            stacklevel=2,
        )
        return self.model_copy(update={"pattern": f"^(?:{words})"})
