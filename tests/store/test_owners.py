"""Who owns a run: one under way is left alone, and one whose owner is gone, by lock or heartbeat, has crashed."""

import json
import os
import time
from pathlib import Path

import pytest

from steelyard.errors import UsageError
from steelyard.runs import stored
from steelyard.runs.stored import open_run
from steelyard.store import directories
from steelyard.store.directories import RunDirectory, read_run
from steelyard.store.owners import standing
from tests.made_runs import make_run
from tests.tamper.worlds import inside, steelyard

GATE = "gate begun --against old --junit junit.xml"


@pytest.fixture
def begun(tmp_path: Path):
    """A folder with a whole run, and one that is marked as running and has no owner here."""
    with inside(tmp_path):
        make_run(tmp_path / "runs", "old", [1] * 20)
        yield say(make_run(tmp_path / "runs", "begun", [1] * 20), status="running")


def say(run: Path, **fields: object) -> Path:
    """Write fields of a run's record."""
    content = json.loads((run / "run.json").read_bytes())
    (run / "run.json").write_text(json.dumps(content | fields))
    return run


def owned(run: Path, text: str, *, age: float = 0) -> None:
    """Write what an owner says of itself, last heard of so many seconds ago."""
    file = run / ".owner"
    file.write_text(text.format(beat=int(time.time() - age)))
    os.utime(file, (time.time() - age,) * 2)


ELSEWHERE = "process 7 on another-host\n"


@pytest.mark.parametrize(
    ("text", "age", "code"),
    [
        (ELSEWHERE + "heartbeat {beat}\n", 30, 3),
        (ELSEWHERE + "heartbeat {beat}\n", 61, 1),
        (ELSEWHERE, 30, 3),
        (ELSEWHERE, 61, 1),
        (ELSEWHERE + "heartbeat ²\n", 61, 1),
        (ELSEWHERE + "heartbeat -1\n", 61, 1),
        ("\udcff\n", 61, 1),
        ("", 0, 1),
    ],
)
def test_an_owner_on_another_host_is_dead_after_a_minute_of_silence(begun: Path, text: str, age: int, code: int):
    owned(begun, text.encode("utf-8", "replace").decode(), age=age)
    found = steelyard(GATE)
    assert (found.code, "Traceback" in found.err) == (code, False)
    assert f"steelyard: {'FAIL' if code == 1 else 'UNDECIDED'}" in found.err.splitlines()[-1]
    assert ("failure" if code == 1 else "error") in Path("junit.xml").read_text()
    listed = steelyard("runs list").out
    assert ("crashed" in listed, "0.0000" in listed) == (code == 1, code == 1)


def test_a_run_that_was_running_on_this_host_without_a_lock_has_crashed(begun: Path):
    owned(begun, f"process 7 on {os.uname().nodename}\nheartbeat {{beat}}\n")
    assert steelyard(GATE).code == 1


def test_a_run_that_ends_while_it_is_looked_at_has_not_crashed(begun: Path, monkeypatch):
    def ended(path: Path, status: str) -> str:
        if path == begun and status == "running":
            say(begun, status="completed")
        return standing(path, status)

    monkeypatch.setattr(stored, "standing", ended)
    assert open_run(begun.parent, "begun").record.status == "completed"


def test_a_dead_run_that_another_process_has_ended_since_is_not_begun_again(begun: Path, monkeypatch):
    def ended(path: Path) -> bool:
        say(path, status="completed")
        return True

    with pytest.raises(UsageError, match="there is already a run"):
        RunDirectory.create(begun.parent, "begun", replaces=ended)
    assert (read_run(begun).status, (begun / "eval/items.parquet").is_file()) == ("completed", True)
    assert directories.run_standing(begun, read_run(begun)) == "completed"
