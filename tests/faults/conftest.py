"""What tests of faults share: the command in a folder of its own, and two small good files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from steelyard.cli.main import main
from steelyard.secrets import forget_secrets
from tests.postgres import postgres_database, postgres_server

__all__ = ["postgres_database", "postgres_server"]

ITEMS = b'{"id":"a","prompt":"2+2?","expected_answer":"4"}\n{"id":"b","prompt":"3+3?","expected_answer":"6"}\n'
OUTPUTS = b'{"id":"a","output":"4"}\n{"id":"b","output":"7"}\n'


class Finished(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def problems(self) -> list[dict[str, Any]]:
        """The problems that `--json` printed."""
        found: list[dict[str, Any]] = json.loads(self.out)["problems"]
        return found


Command = Callable[..., Finished]


@pytest.fixture
def steelyard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Run the command line as its users do, in an empty folder, with files that are written first."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, **files: bytes) -> Finished:
        for name, data in files.items():
            Path(name.replace("__", ".")).write_bytes(data)
        with pytest.raises(SystemExit) as exited:
            main(list(arguments))
        forget_secrets()
        captured = capfd.readouterr()
        code = exited.value.code
        assert isinstance(code, int)
        return Finished(code, captured.out, captured.err)

    return run


@pytest.fixture
def evaluate(steelyard: Command) -> Command:
    """Evaluate two files, good ones where none are given."""

    def run(*arguments: str, items: bytes = ITEMS, outputs: bytes = OUTPUTS, suffix: str = "jsonl") -> Finished:
        Path(f"items.{suffix}").write_bytes(items)
        Path(f"outputs.{suffix}").write_bytes(outputs)
        given = ["--dataset", f"items.{suffix}", "--predictions", f"outputs.{suffix}", "--name", "run"]
        return steelyard("eval", *given, "--scorer", "answer_correctness@v1", *arguments)

    return run
