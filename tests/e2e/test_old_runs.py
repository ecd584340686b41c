"""What earlier versions wrote is opened, listed, compared, judged again, gated and named as a baseline by this one."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from steelyard.cli.main import main
from tests.old_runs import VERSIONS, kinds, unpack

VERBS = {
    "show": "runs show {first}",
    "items": "runs items {second}",
    "compare": "compare --runs {first},{second}",
    "report": "report {first} --output page.html",
    "rescore": "rescore {first}",
    "reproduce": "reproduce --run {first} --verify-only",
}
VERDICTS = {
    "gate": "gate {kind}-b --against {kind}-a",
    "verify": "gate {kind}-b --against {kind}-a --verify",
    "baseline": "gate {kind}-b --against {kind}-kept",
}
REFUSED = {("mock", "compare"): "mock-run"}
"""What is refused for what the run is, whichever version wrote it."""
UNFINISHED = {"failed": "failing", "crashed": "dying", "interrupted": "stopping"}
CASES = [(version, kind) for version in VERSIONS for kind in kinds(version)]


class Finished(NamedTuple):
    code: int
    out: str
    err: str


Command = Callable[..., Finished]


@pytest.fixture
def steelyard(tmp_path: Path, monkeypatch, capfd) -> Command:
    """Run the command in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)

    def run(line: str) -> Finished:
        with pytest.raises(SystemExit) as exited:
            main(line.split())
        captured = capfd.readouterr()
        assert isinstance(exited.value.code, int)
        return Finished(exited.value.code, captured.out, captured.err)

    return run


def runs_of(kind: str) -> dict[str, str]:
    """What a command's line names: a suite has runs in it."""
    runs = {"first": f"{kind}-a", "second": f"{kind}-b"}
    return {name: f"runs/{run}/one" if kind == "suite" else run for name, run in runs.items()} | {"kind": kind}


def assert_verdict(found: Finished) -> None:
    assert found.code in {0, 1, 3}, found
    if "[" in found.err and "hint:" in found.err:
        assert "`steelyard " in found.err.partition("hint:")[2], found
    else:
        assert re.fullmatch(r"steelyard: (PASS|FAIL|UNDECIDED)( \(.*\))?", found.err.splitlines()[-1]), found


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("version", "kind"), CASES)
def test_every_kind_of_old_run_is_taken_by_every_command(
    steelyard: Command, tmp_path: Path, version: str, kind: str, verb: str
):
    unpack(version, tmp_path)
    found = steelyard(VERBS[verb].format(**runs_of(kind)))
    if (kind, verb) in REFUSED:
        assert (found.code, REFUSED[kind, verb] in found.err) == (3, True), found
    elif verb == "reproduce":
        # Another machine has other packages.
        assert "data: match" in found.out
    else:
        assert found.code == 0, found


GATED = [(version, kind, verb) for version, kind in CASES for verb in VERDICTS if kind != "mock"]


@pytest.mark.parametrize(("version", "kind", "verb"), GATED)
def test_every_kind_of_old_run_is_gated_or_told_how_it_can_be(
    steelyard: Command, tmp_path: Path, version: str, kind: str, verb: str
):
    unpack(version, tmp_path)
    found = steelyard(VERDICTS[verb].format(kind=kind))
    if (kind, verb) in REFUSED:
        assert (found.code, REFUSED[kind, verb] in found.err) == (3, True), found
    else:
        assert_verdict(found)


@pytest.mark.parametrize(("version", "kind"), [case for case in CASES if case[1] != "mock"])
def test_every_kind_of_old_run_can_be_a_baseline_and_is_gated_against(
    steelyard: Command, tmp_path: Path, version: str, kind: str
):
    unpack(version, tmp_path)
    unanswered = kind == "solved"  # the model of this fixture fails on every turn
    made = steelyard(f"baseline set mended {kind}-a {'--allow-empty' if unanswered else ''}")
    assert made.code == 0, made
    shown = steelyard("baseline show mended")
    assert (shown.code, f"{kind}-a" in shown.out) == (0, True), shown
    assert_verdict(steelyard(f"gate {kind}-b --against mended"))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_rescored_old_run_has_the_scores_that_it_had(steelyard: Command, tmp_path: Path, version: str):
    unpack(version, tmp_path)
    for kind in kinds(version):
        path = tmp_path / "runs" / f"{kind}-a" / "run.json"
        # A run that was judged again by another task is brought back to its own; a mock run has no scores.
        if kind in {"mock", "rescored"} or not path.is_file():
            continue
        before = json.loads((path.parent / "eval" / "eval_results.json").read_bytes())
        again = steelyard(f"rescore {kind}-a")
        after = json.loads((path.parent / "eval" / "eval_results.json").read_bytes())
        assert again.code == 0, again
        for name in ("states", "primary_score"):
            assert before["scorecard"][name] == after["scorecard"][name], (kind, name)


@pytest.mark.parametrize("version", VERSIONS)
def test_an_old_run_keeps_its_scorers_until_others_are_asked_for(steelyard: Command, tmp_path: Path, version: str):
    unpack(version, tmp_path)
    results = tmp_path / "runs" / "stored-a" / "eval" / "eval_results.json"

    def signatures(line: str) -> dict[str, list[str]]:
        assert steelyard(line).code == 0
        found: dict[str, list[str]] = json.loads(results.read_bytes())["signatures"]
        return found

    before = json.loads(results.read_bytes())["signatures"]
    assert signatures("rescore stored-a")["scorers"] == before["scorers"] == ["text@v1|primary=rouge1"]
    newer = signatures("rescore stored-a --scorer text")
    assert newer["scorers"] == ["text@v2|primary=rouge1"]
    assert "rouge1@v2|stemmer=false" in newer["metrics"]


@pytest.mark.parametrize("version", VERSIONS)
def test_old_runs_baselines_and_verdicts_are_listed(steelyard: Command, tmp_path: Path, version: str):
    unpack(version, tmp_path)
    listed = steelyard("runs list --limit 200 --json")
    names = {path.parent.name for path in tmp_path.glob("runs/*/run.json")}
    assert listed.code == 0
    assert {row["name"] for row in json.loads(listed.out)["runs"]} >= names
    baselines = steelyard("baseline list")
    assert baselines.code == 0
    for kind in kinds(version):
        assert kind == "mock" or f"{kind}-kept" in baselines.out
    assert steelyard("reindex").code == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_an_index_written_by_an_old_version_is_used_as_it_is(tmp_path: Path, version: str):
    from steelyard.store.index import RunIndex

    unpack(version, tmp_path)
    index = RunIndex.open(tmp_path / "runs")
    assert index.known()["stored-a"] == "completed"
    assert "stored-kept" in {row["name"] for row in index.names()}
    assert [row["verdict"] for row in index.decided(run="stored-b")] == ["pass", "pass"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_dataset_kept_by_an_old_version_is_shown_and_evaluated(steelyard: Command, tmp_path: Path, version: str):
    unpack(version, tmp_path)
    assert "shelf@v1" in steelyard("dataset list").out
    assert steelyard("dataset show shelf@v1").code == 0
    again = steelyard("eval sums.yaml --dataset shelf@v1 --predictions first.jsonl --name again")
    assert again.code == 0, again
    assert "there already" in steelyard("dataset add items.jsonl --name shelf").out


@pytest.mark.parametrize("kind", UNFINISHED)
@pytest.mark.parametrize("version", VERSIONS)
def test_an_old_run_that_never_ended_is_no_pass_and_can_be_resumed(
    steelyard: Command, tmp_path: Path, version: str, kind: str
):
    unpack(version, tmp_path)
    assert steelyard(f"runs show {kind}-a").code == 0
    assert steelyard(f"gate {kind}-a --against stored-a").code in {1, 3, 4}
    (tmp_path / "mended").touch()
    line = f"eval sums.yaml --model python:models:{UNFINISHED[kind]} --concurrency 1 --name {kind}-a --resume"
    # A process of its own: the module with the models is another one in each test's folder.
    done = subprocess.run(
        [sys.executable, "-m", "steelyard", *line.split(), "--retry-failed"],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if not name.startswith("STEELYARD_")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "runs" / f"{kind}-a" / "run.json").read_bytes())["status"] == "completed"
