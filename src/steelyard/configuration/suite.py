"""Suite files: several tasks, one policy over them (page 30)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, field_validator

from steelyard.configuration.problems import Strict, checked


class Suite(Strict):
    """A suite file, checked. Task files are still as written; `kinds.suite` resolves them against the file."""

    suite: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    tasks: tuple[str, ...] = Field(strict=False, min_length=1)
    gates: tuple[dict[str, Any], ...] = Field(default=(), strict=False)
    allow: tuple[str, ...] = Field(default=(), strict=False)
    required: tuple[str, ...] = Field(default=(), strict=False)
    """Tasks that must pass; where none is named, all must. The others are advisory."""

    @field_validator("tasks", "gates", "allow", "required", mode="before")
    @classmethod
    def _lists(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value


def parse_suite(values: Mapping[str, Any], *, file: str | None = None) -> Suite:
    """Return a suite from the content of its file.

    >>> parse_suite({"suite": "release", "tasks": ["qa.yaml"]}).tasks
    ('qa.yaml',)
    """
    return checked(Suite, values, file=file)
