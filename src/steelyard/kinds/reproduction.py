"""Whether a run can be made again: configuration, data and environment held against today, or the run made anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem, excerpt
from steelyard.kinds.table import kind_of, recipe_of
from steelyard.reading.ids import sha256_file
from steelyard.records.runs import CONFIG_FILE, HASHES_FILE
from steelyard.runs.artifacts import digest, environment_facts, read_environment, reproducible
from steelyard.runs.parts import model_problems
from steelyard.runs.places import UNWATCHED, Place, Watching
from steelyard.store.checking import read_object, read_results
from steelyard.store.directories import find_run, read_run
from steelyard.store.files import json_bytes

_CODES = {"model": "hash-mismatch"}
"""The code of what is not as it was, where that is not the run itself."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a run depends on."""

    what: str
    matches: bool
    detail: str

    def as_dict(self) -> dict[str, Any]:
        """Return the check as JSON."""
        return {"what": self.what, "match": self.matches, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What was checked, and the run that was made anew where one was."""

    run: Path
    checks: list[Check]
    again: Path | None = None
    differences: list[str] | None = None
    """Metrics that came out otherwise; None where nothing was made anew."""

    @property
    def holds(self) -> bool:
        """Whether everything that was looked at is as it was."""
        return not self.differences if self.differences is not None else all(check.matches for check in self.checks)

    @property
    def verdict(self) -> str:
        """The verdict in one line."""
        if self.differences is not None:
            return "reproduced: every number is the same" if not self.differences else "not reproduced: numbers differ"
        differing = [check.what for check in self.checks if not check.matches]
        return "reproducible" if not differing else f"not reproducible as it is: {', '.join(differing)} differ"

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON."""
        return {
            "run": str(self.run),
            "checks": [check.as_dict() for check in self.checks],
            "reproduced_as": None if self.again is None else str(self.again),
            "differences": self.differences,
            "verdict": self.verdict,
            "reproducible": self.holds,
        }


def verify_run(run: str, runs_dir: Path) -> Reproduction:
    """Hold a run's configuration, data and environment against what is there today."""
    path = find_run(runs_dir, run)
    hashes = read_object(path / HASHES_FILE)
    checks = [_config(path, hashes), _data(path, hashes), *_model(path), _environment(read_environment(path))]
    return Reproduction(path, checks)


def reproduce_run(run: str, runs_dir: Path, watching: Watching = UNWATCHED) -> Reproduction:
    """Make a run again under another name, and say whether its numbers are the same."""
    checked = verify_run(run, runs_dir)
    blocking = [check for check in checked.checks if not check.matches and check.what != "environment"]
    if blocking:
        problems = [
            Problem(_CODES.get(check.what, "run-damaged"), f"{check.what}: {check.detail}", file=str(checked.run))
            for check in blocking
        ]
        raise InputError(problems)
    record = read_run(checked.run, as_made=True)
    place = Place(runs_dir=runs_dir, name=_free_name(runs_dir, checked.run.name))
    again = kind_of(record).anew(recipe_of(checked.run, record), checked.run, record, place, watching)
    differences = _differences(read_results(checked.run), read_results(again))
    return Reproduction(checked.run, checked.checks, again, differences)


def _config(path: Path, hashes: Mapping[str, Any]) -> Check:
    found = digest((path / CONFIG_FILE).read_bytes())
    same = found == hashes.get("config")
    return Check("config", same, "config.yaml is as it was written" if same else "config.yaml has been changed")


def _data(path: Path, hashes: Mapping[str, Any]) -> Check:
    dataset = recipe_of(path, read_run(path, as_made=True)).data()
    if dataset is None or not dataset.is_file():
        return Check("data", matches=False, detail=f"the dataset is not at {excerpt(str(dataset))}")
    same = sha256_file(dataset) == hashes.get("data")
    return Check("data", same, "the dataset has the same bytes" if same else "the dataset's bytes have changed")


def _model(path: Path) -> list[Check]:
    """Return whether the model is the one that was asked, or trained; one that is elsewhere cannot be looked at."""
    record = read_run(path, as_made=True)
    found = model_problems(path, record, kind_of(record).spec(recipe_of(path, record), path))
    if found is None:
        return []
    detail = "; ".join(f"{problem.file}: {problem.message}" for problem in found)
    return [Check("model", not found, detail or "the model's files have the same bytes")]


def _environment(before: Mapping[str, Any]) -> Check:
    one, other = reproducible(before), reproducible(environment_facts())
    if digest(json_bytes(one)) == digest(json_bytes(other)):
        return Check("environment", matches=True, detail="the same Python and packages")
    packages = {*one.pop("packages").items()} ^ {*other.pop("packages").items()}
    named = sorted({name for name, _ in packages} | {key for key in one if one[key] != other[key]})
    return Check("environment", matches=False, detail=f"these differ: {excerpt(', '.join(named))}")


def _free_name(runs_dir: Path, name: str) -> str:
    base = f"{name[:80]}-reproduced"
    number = 1
    while (runs_dir / (base if number == 1 else f"{base}-{number}")).exists():
        number += 1
    return base if number == 1 else f"{base}-{number}"


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    one = {**before["metrics"], before["primary_metric"]: before["scorecard"]["primary_score"]}
    other = {**after["metrics"], after["primary_metric"]: after["scorecard"]["primary_score"]}
    keys = sorted({*one, *other})
    return [f"{key}: {one.get(key)} was, {other.get(key)} is" for key in keys if one.get(key) != other.get(key)]
