"""Folders that may not be written to: what only reads goes on as ever, what writes says so and ends with 5."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.stores import make_store

READING = (
    "runs list",
    "runs list --json",
    "runs show cand",
    "runs items cand --failing",
    "compare --runs base,cand",
    "compare --runs last,cand",
    "baseline list",
    "baseline show main",
    "gate cand --against main",
    "gate latest --against base",
    "report cand --output {elsewhere}/page.html",
    "report cand --compare base --output {elsewhere}/both.html",
    "reproduce --run cand --verify-only",
    "plan --effect 0.1 --baseline base",
    "runs items cand --json",
    "dataset list",
)
WRITING = (
    "eval --dataset items.jsonl --scorer answer_correctness@v1 --predictions good.jsonl --name more",
    "baseline set main cand",
    "rescore cand",
    "reindex",
    "dataset add items.jsonl --name shelf",
    "init more",
    "report cand --output page.html",
)
RUNNER = """
import contextlib, io, json, sys
from steelyard.cli.main import main
found = []
for line in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(line.split())
        except SystemExit as exited:
            found.append([exited.code, out.getvalue(), err.getvalue()])
print(json.dumps(found))
"""


def without_privileges() -> list[str]:
    """Return what a command is begun with so that permissions hold: root, too, is then bound by them."""
    if os.getuid():
        return []
    if shutil.which("setpriv") is None:
        reason = "root ignores permissions, and setpriv (of util-linux), which takes that away, is not installed"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]


def permit(folder: Path, *, writing: bool) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod((0o755 if writing else 0o555) if path.is_dir() else (0o644 if writing else 0o444))


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    """A store in which nothing may be written, and a way to run commands in it; each gives its code and its texts."""
    folder, elsewhere = make_store(tmp_path_factory.mktemp("closed")), tmp_path_factory.mktemp("elsewhere")
    command = [*without_privileges(), sys.executable, "-c", RUNNER]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("STEELYARD_", "GITHUB_"))}

    def run(*lines: str):
        asked = json.dumps([line.format(elsewhere=elsewhere) for line in lines])
        done = subprocess.run(
            command, cwd=folder, env=environment, input=asked, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return dict(zip(lines, json.loads(done.stdout), strict=True))

    permit(folder, writing=False)
    before = contents(folder)
    yield run
    assert contents(folder) == before
    permit(folder, writing=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_only_reads_works(closed):
    for line, (code, _, err) in closed(*READING).items():
        assert (code, "Traceback" in err) == (0, False), (line, err)


def test_a_verdict_that_cannot_be_kept_is_given_all_the_same(closed):
    (code, _, err) = closed("gate cand --against main")["gate cand --against main"]
    *warned, last = err.splitlines()
    assert (code, last.startswith("steelyard: PASS")) == (0, True)
    assert any("verdicts.jsonl" in line and "is not kept" in line for line in warned)


def test_what_writes_is_exit_5_and_names_the_place(closed):
    for line, (code, _, err) in closed(*WRITING).items():
        assert (code, "Traceback" in err, "hint: " in err) == (5, False, True), (line, code, err)
