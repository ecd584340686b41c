"""A run that was made several times, read as one: the run, its further repeats, and what they say together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

from steelyard.comparison.repeated import RepeatedColumns
from steelyard.errors import IncomparableError, InputError, Problem, excerpt
from steelyard.records.comparisons import Figure
from steelyard.records.runs import REPEATS_FILE, RUN_FILE, RepeatOutcomes
from steelyard.registry import bind_metric, metric_definition
from steelyard.runs.stored import StoredRun, fewest_repeats, open_run
from steelyard.store.checking import check_files, damaged


@dataclass(frozen=True)
class RepeatedRun(StoredRun):
    """A run whose items are what its repeats gave on average."""

    others: tuple[StoredRun, ...] = ()

    @property
    def members(self) -> tuple[StoredRun, ...]:
        """The first repeat and all others."""
        return (StoredRun(self.label, self.path, self.record), *self.others)

    @cached_property
    def columns(self) -> Any:
        """The items over all repeats."""
        return RepeatedColumns([member.columns for member in self.members])

    @cached_property
    def outcomes(self) -> RepeatOutcomes | None:
        """What the repeats of each item gave."""
        found: RepeatOutcomes = self.columns.outcomes()
        return found

    def figure(self, metric: str) -> Figure | None:
        """Return a metric over all items and repeats; where items do not decide it, the mean of the repeats' own."""
        own = self.own_measure(metric)
        if own is not None:
            return own.figure(0)
        found = [figure for member in self.members if (figure := member.figure(metric)) is not None]
        values = [figure.value for figure in found if figure.value is not None]
        return Figure(found[0].n, fmean(values)) if len(values) == len(self.members) else None

    def verify(self, names: Iterable[str]) -> None:
        """Raise where a stored score of any repeat is not what its items say."""
        listed = list(names)
        for member in self.members:
            member.verify(listed)


def with_repeats(run: StoredRun) -> StoredRun:
    """Return a run with its further repeats, each of them the one that was evaluated with it."""
    said = run.repeats
    if said is None or not isinstance(said.get("repeats"), int):
        return run
    named = said.get("runs") or [{} for _ in range(said["repeats"])]
    others = tuple(_repeat(run, number, entry) for number, entry in enumerate(named[1:], start=2))
    return RepeatedRun(run.label, run.path, run.record, others)


def _repeat(run: StoredRun, number: int, entry: dict[str, Any]) -> StoredRun:
    path = run.path.with_name(f"{run.path.name}.r{number}")
    if not (path / RUN_FILE).is_file():
        message = f"{REPEATS_FILE} names {number} repeats or more, and {path.name} is not there"
        raise InputError(
            Problem("run-damaged", message, hint=f"bring {path.name} back beside {run.path.name}", file=str(run.path))
        )
    found = open_run(path.parent, path)
    expected = entry.get("run_id"), entry.get("fingerprint")
    if entry and (found.record.run_id, found.record.fingerprint) != expected:
        raise damaged(
            path / RUN_FILE, f"{REPEATS_FILE} of {run.path.name} names {expected[0]}, and another run is here"
        )
    _check_scorers(run, found)
    return found


def _check_scorers(run: StoredRun, repeat: StoredRun) -> None:
    """Raise where two repeats were not judged alike."""
    mine, theirs = (one.record.signatures.get("scorers") for one in (run, repeat))
    if mine != theirs:
        message = f"{run.path.name} and its repeat {repeat.path.name} differ in scorer: "
        message += f"{excerpt(str(mine))} and {excerpt(str(theirs))}"
        hint = f"`steelyard rescore {repeat.path.name}` judges the repeat again"
        raise IncomparableError(Problem("incomparable-runs", message, hint=hint))


def without_repeats(metric: str, runs: Iterable[StoredRun]) -> str:
    """Return why runs have not a metric that is one over repeats; nothing where they have, or where it is none."""
    definition = metric_definition(metric)
    if definition is None or definition.kind != "repeats":
        return ""
    fewest = fewest_repeats(bind_metric(metric))
    lacking = [f"{run.label} has {len(run.members)}" for run in runs if len(run.members) < fewest]
    return f"{metric} takes {fewest} repeats of each item, and {' and '.join(lacking)}" if lacking else ""


def check_members(run: StoredRun) -> str:
    """Return the fingerprint of a run after the files of it and of its repeats were held against their hashes."""
    for member in run.members[1:]:
        check_files(member.path)
    return check_files(run.path)
