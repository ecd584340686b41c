"""What the tests of readers share: a file from bytes, and everything that reading it gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from steelyard.errors import Problem, Problems
from steelyard.reading.rows import Row, read_rows


class Outcome(NamedTuple):
    rows: list[Row]
    problems: list[Problem]

    @property
    def fields(self) -> list[dict[str, Any]]:
        return [row.fields for row in self.rows]

    @property
    def codes(self) -> list[str]:
        return [problem.code for problem in self.problems]


Read = Callable[..., Outcome]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write bytes to a file of a given name and read its rows."""

    def run(name: str, data: bytes, **options: Any) -> Outcome:
        path = tmp_path / name
        path.write_bytes(data)
        problems = Problems()
        return Outcome(list(read_rows(path, problems, **options)), problems.listed)

    return run
