"""Verbs that do again what made a run: judge it, make it anew, go on with it where it was killed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from tests.faults.killing import in_child
from tests.ways.places import BASE, Place, Way, contents, read_json, steelyard
from tests.ways.views import assert_no_invented_score

RESULTS = "eval_results.json"
ITEMS = "items.parquet"


def rescore(place: Place) -> None:
    """Every file of the run stays what it was, byte for byte."""
    before = contents(place.path(BASE))
    done = place.call("rescore BASE --json")
    assert done.code == 0, done
    after = contents(place.path(BASE))
    assert place.results(BASE) == json.loads(before[f"eval/{RESULTS}"])
    _assert_same_files(before, after)
    assert_no_invented_score(place, place.call("runs items BASE --format json --limit 10000").json["items"])


def rescore_by_name(place: Place) -> None:
    """A run judged again by its own scorer under its name counts the same items, and invents no score."""
    before = place.record(BASE)
    done = place.call(f"rescore BASE --scorer {before['scorer_version']} --json")
    assert done.code == 0, done
    assert place.record(BASE) == before
    card = place.results(BASE)["scorecard"]
    assert (card["n_items"], card["n_skipped"]) == (before["counts"]["n_items"], before["counts"]["n_skipped"])
    assert_no_invented_score(place, place.call("runs items BASE --format json --limit 10000").json["items"])


def evaluate_trained(place: Place) -> None:
    """`eval --run` evaluates the model that the run trained."""
    before = contents(place.path(BASE))
    done = place.call("eval --run BASE")
    assert done.code == 0, done
    _assert_same_files(before, contents(place.path(BASE)))


def _assert_same_files(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> None:
    assert {*after} == {*before}
    assert [name for name in before if after[name] != before[name]] == []


def reproduce(place: Place) -> None:
    """The run is made again with the same figures, counts, flags and items."""
    done = place.call("reproduce --run BASE --json")
    assert done.code == 0, done
    found = done.json
    assert (found["reproducible"], found["differences"]) == (True, [])
    again = Path(found["reproduced_as"])
    record, before = read_json(again / "run.json"), place.record(BASE)
    for name in ("status", "counts", "flags", "primary_metric", "primary_score", "signatures"):
        assert record[name] == before[name], name
    assert read_json(again / "eval" / RESULTS) == place.results(BASE)
    assert _derived(again, place.way)[ITEMS] == _derived(place.path(BASE), place.way)[ITEMS]


def reproduce_verify_only(place: Place) -> None:
    """Configuration, data and environment are what they were."""
    done = place.call("reproduce --run BASE --verify-only --json")
    assert done.json["reproducible"], done
    assert {check["what"] for check in done.json["checks"]} >= {"config", "data", "environment"}
    assert done.json["reproduced_as"] is None


def resume(place: Place) -> None:
    """A run that was killed is gone on with, and ends with the same bytes."""
    way = place.way
    assert way.remake is None, "what was made by hand is gone on with by no command"
    killed = Place(way, place.folder, "runs-killed")
    line = way.line(BASE, killed.runs_dir)
    assert _killed(way, line) == -signal.SIGKILL
    assert _status(killed) != "completed"
    done = steelyard(way.again.format(line=line, run=killed.named(BASE), runs_dir=killed.runs_dir))
    assert done.code in way.codes, done
    assert _status(killed) == "completed"
    _assert_same_files(_derived(place.path(BASE), way), _derived(killed.path(BASE), way))


def _derived(path: Path, way: Way) -> dict[str, bytes]:
    """Return what was derived; without the times of items where they are measured."""
    found = contents(path / "eval")
    if way.timed:
        del found["hashes.json"]
        found[ITEMS] = repr(pq.read_table(path / "eval" / ITEMS).drop_columns("eval_time_ms").to_pylist()).encode()
    return found


def _killed(way: Way, line: str) -> int:
    """Begin a run in a process that is killed; return how it ended."""
    deadly = Path("deadly")
    deadly.touch()
    try:
        return in_child(lambda: _dying(line, before="" if way.asks else RESULTS))
    finally:
        deadly.unlink()


def _dying(line: str, *, before: str) -> int:
    """Run a command in this process, which is killed before a file of that name is put in its place."""
    real = os.replace

    def replace(source: Any, target: Any, **more: Any) -> None:
        if before and str(target).endswith(before):
            os.kill(os.getpid(), signal.SIGKILL)
        real(source, target, **more)

    os.replace = replace
    return steelyard(line).code


def _status(place: Place) -> str:
    return str(place.record(BASE)["status"]) if (place.path(BASE) / "run.json").is_file() else "begun"
