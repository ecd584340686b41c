"""Verbs that hold runs against each other, and against what they were judged by."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from tests.ways.kinds import reseal_derived
from tests.ways.places import BASE, GOOD, Place

PARTS = ("model", "scorer", "data", "coverage")


def verify(place: Place) -> None:
    """`gate --verify` passes a clean run, and finds two exchanged scores that no hash and no mean tells of."""
    _write_policy(place)
    line = "gate GOOD --policy policy.yaml"
    clean = place.call(f"{line} --verify --json")
    assert json.loads(clean.out)["verdict"] == place.way.verdict, clean
    _exchange_scores(place.path(GOOD))
    assert json.loads(place.call(f"{line} --json").out)["verdict"] == place.way.verdict
    changed = place.call(f"{line} --verify")
    assert (changed.code, "[run-damaged]" in changed.err) == (3, True), changed


def _write_policy(place: Place) -> None:
    rule = {"metric": place.record(BASE)["primary_metric"], "min": 0}
    Path("policy.yaml").write_text(yaml.safe_dump({"gates": [rule]}))


def _exchange_scores(path: Path) -> None:
    """Give a right item the score of a wrong one, and the other way round: every mean stays what it was."""
    file = path / "eval/items.parquet"
    table = pq.read_table(file)
    scores = table.column("correctness").to_pylist()
    assert len({*scores}) > 1, "there is nothing to exchange"
    high, low = scores.index(max(scores)), scores.index(min(scores))
    scores[high], scores[low] = scores[low], scores[high]
    place = table.column_names.index("correctness")
    column = pa.array(scores, table.schema.field(place).type)
    pq.write_table(table.set_column(place, "correctness", column), file)
    reseal_derived(path)


def compare(place: Place) -> None:
    """The delta is the candidate's figure minus the baseline's."""
    found = place.call("compare --runs BASE,GOOD --json").json
    scores = [place.record(run)["primary_score"] for run in (BASE, GOOD)]
    (delta,) = found["deltas"].values()
    assert _close(delta["delta"], scores[1] - scores[0])
    assert found["contract"]["comparable"]


def attribute(place: Place) -> None:
    """The parts of a change add up to it; none is of the scorer or the data, which are the same."""
    found = place.call("compare --runs BASE,GOOD --attribute --json").json
    (delta,) = found["deltas"].values()
    parts = found["attribution"]
    assert _close(sum(parts[name] for name in PARTS), parts["total"])
    assert _close(parts["total"], delta["delta"])
    assert (parts["scorer"], parts["data"]) == (0, 0)


def _close(one: float, other: float) -> bool:
    return abs(one - other) < 1e-9


def baseline(place: Place) -> None:
    """A run becomes a baseline, and another is held against it."""
    assert place.call("baseline set main BASE").code == 0
    assert "main" in place.call("baseline list").out
    assert place.call("baseline show main --json").json["run_id"] == place.record(BASE)["run_id"]
    gated = place.call("gate GOOD --against main --json")
    assert json.loads(gated.out)["verdict"] == place.way.verdict, gated


def calibrate(place: Place) -> None:
    """`calibrate` says how often a policy over this run is wrong."""
    _write_policy(place)
    done = place.call("calibrate --baseline BASE --policy policy.yaml --flip-rate 0.1 --simulations 20 --json")
    assert done.code == 0, done


def plan(place: Place) -> None:
    """`plan` says how many items like this run's show a difference."""
    assert place.call("plan --effect 0.1 --baseline BASE --json").json["items"] > 0
