"""An index database that is gone: a run is whole without it and says so once; `reindex` mends the index."""

import json
from pathlib import Path

import psycopg
import pytest

from tests.faults.conftest import ITEMS, OUTPUTS, Command

NEEDED = ("runs list", "runs list --everywhere", "reindex")
"""What cannot do without the team's database."""


@pytest.fixture
def team(monkeypatch, postgres_database):
    """A team's database, and a way to take it away and to bring it back."""
    monkeypatch.setenv("STEELYARD_DATABASE_URL", postgres_database)
    server, _, name = postgres_database.rpartition("/")

    def allow(allowed: str) -> None:
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS {allowed}")

    return allow


DEAD = {
    "nobody listens": "postgresql://team:hunter2hunter2@127.0.0.1:9/runs",
    "no such file": "sqlite:////nowhere/at/all.sqlite",
    "no such kind": "nosuch://team/runs",
    "no address": "this is no address",
}


@pytest.fixture(params=DEAD)
def dead(request, monkeypatch) -> str:
    monkeypatch.setenv("STEELYARD_DATABASE_URL", DEAD[request.param])
    return DEAD[request.param]


def warnings_of(err: str) -> list[str]:
    return [line for line in err.splitlines() if line.startswith("warning: ")]


def test_an_evaluation_ends_well_and_warns_once(dead, evaluate: Command):
    found = evaluate()
    (warning,) = warnings_of(found.err)
    assert found.code == 0
    assert "[index-unavailable] the run is whole" in warning
    assert "`steelyard reindex` mends it" in warning
    assert "hunter2" not in found.err
    assert json.loads(Path("runs/run/run.json").read_bytes())["status"] == "completed"


def test_a_suite_warns_once_too(dead, steelyard: Command):
    tasks = {
        name: f"task: {name}\ndataset: items.jsonl\npredictions: outputs.jsonl\n".encode() for name in ("one", "two")
    }
    files = {
        "items__jsonl": ITEMS,
        "outputs__jsonl": OUTPUTS,
        "suite__yaml": b"suite: s\ntasks: [one.yaml, two.yaml]\n",
    }
    found = steelyard("eval", "suite.yaml", **files, **{f"{name}__yaml": task for name, task in tasks.items()})
    assert (found.code, len(warnings_of(found.err))) == (0, 1), found


@pytest.mark.parametrize("line", NEEDED)
def test_what_needs_the_database_is_exit_5(dead, steelyard: Command, line):
    found = steelyard(*line.split())
    assert (found.code, "[index-unavailable]" in found.err, "STEELYARD_DATABASE_URL" in found.err) == (5, True, True)


@pytest.mark.parametrize(
    "line", ["runs show run", "runs items run", "gate run --against other", "baseline set main run"]
)
def test_what_does_without_the_database_goes_on(dead, evaluate: Command, steelyard: Command, line):
    assert evaluate().code == 0
    given = ["--dataset", "items.jsonl", "--predictions", "outputs.jsonl", "--scorer", "answer_correctness@v1"]
    assert steelyard("eval", *given, "--name", "other").code == 0
    assert steelyard(*line.split()).code == 0


def test_a_server_that_goes_away_is_brought_up_to_date_by_reindex(team, evaluate: Command, steelyard: Command):
    given = ["--dataset", "items.jsonl", "--predictions", "outputs.jsonl", "--scorer", "answer_correctness@v1"]
    first = evaluate()
    assert (first.code, warnings_of(first.err)) == (0, [])
    team("false")
    second = steelyard("eval", *given, "--name", "second")
    assert (second.code, len(warnings_of(second.err))) == (0, 1)
    assert steelyard("runs", "list").code == 5
    team("true")
    assert steelyard("reindex").out == "indexed 2 runs\n"
    assert json.loads(steelyard("runs", "list", "--json").out)["total"] == 2
