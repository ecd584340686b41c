"""Whether two runs' numbers mean the same, field by field (page 30).

Task, scorers, canonicalisation and schema decide what a number means: a difference there is blocking. Dataset, prompt
version and model are what people compare on purpose: a difference there is named and lets the comparison go on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from steelyard.errors import IncomparableError, Problem, excerpt
from steelyard.records.comparisons import Contract, Difference
from steelyard.records.runs import RunRecord

MEANING = ("task", "scorer", "canonical", "schema_version")
"""Fields that decide what a number means, as `--allow` takes them."""

PURPOSE = ("dataset", "prompt_version", "model")
"""Fields that people compare on purpose."""

SETTINGS = ("prompt", "generation")
"""What a task asks a model with: a gate names it where it differs, though nobody gave the prompt another version."""

FREE_IN_GATES = ("model", "prompt_version", *SETTINGS)
"""Fields in which a gate lets a run differ from its baseline: what a release changes on purpose."""

MOCK = "mock"


def contract(baseline: RunRecord, candidate: RunRecord, metric: str, *, allow: Collection[str] = ()) -> Contract:
    """Return in what two runs differ, and whether their numbers may be held against each other."""
    differences = [*_meaning(baseline, candidate, metric, allow), *_purpose(baseline, candidate)]
    return Contract(not any(entry.blocking for entry in differences), tuple(differences))


def with_settings(found: Contract, baseline: Mapping[str, Any], candidate: Mapping[str, Any]) -> Contract:
    """Return a contract that also names in what two configurations ask differently; it blocks nothing."""
    pairs = {name: (baseline.get(name), candidate.get(name)) for name in SETTINGS}
    further = [Difference(name, *pair) for name, pair in pairs.items() if None not in pair and pair[0] != pair[1]]
    return Contract(found.comparable, (*found.differences, *further))


def _meaning(baseline: RunRecord, candidate: RunRecord, metric: str, allow: Collection[str]) -> list[Difference]:
    pairs = {
        "task": (_task(baseline), _task(candidate)),
        "scorer": (_scorers(baseline, metric), _scorers(candidate, metric)),
        "canonical": (_listed(baseline, "canonical"), _listed(candidate, "canonical")),
        "schema_version": (baseline.schema_version, candidate.schema_version),
    }
    return [Difference(name, *pair, name not in allow) for name, pair in pairs.items() if pair[0] != pair[1]]


def _purpose(baseline: RunRecord, candidate: RunRecord) -> list[Difference]:
    pairs = {
        "dataset": (_dataset(baseline), _dataset(candidate)),
        "prompt_version": (baseline.prompt_version, candidate.prompt_version),
        "model": (_model(baseline), _model(candidate)),
    }
    return [Difference(name, *pair) for name, pair in pairs.items() if pair[0] != pair[1]]


def _task(run: RunRecord) -> str:
    return f"{run.task} (version {run.task_version})" if run.task_version is not None else run.task


def _scorers(run: RunRecord, metric: str) -> list[str]:
    """Return the signatures behind a metric: its own where it is a metric, else those of the scorers."""
    own = [entry for entry in _listed(run, "metrics") if entry.split("@", maxsplit=1)[0] == metric]
    return own or _listed(run, "scorers")


def _listed(run: RunRecord, name: str) -> list[str]:
    return run.signatures.get(name, [])


def _dataset(run: RunRecord) -> Any:
    """Return what the dataset is known by: its content, and its name where it has one."""
    name = run.dataset.get("name")
    content = run.dataset.get("sha256")
    return f"{name} {content}" if name and content else content or name


def _model(run: RunRecord) -> Any:
    return run.model.get("name") or run.model or None


def refuse_blocking(found: Contract, baseline: str, candidate: str) -> None:
    """Raise when the runs may not be compared, naming every field and both values."""
    blocking = [entry for entry in found.differences if entry.blocking]
    if not blocking:
        return
    raise IncomparableError(
        [
            Problem(
                code="incomparable-runs",
                message=f"{baseline} and {candidate} differ in {entry.field}: "
                f"{excerpt(_shown(entry.baseline))} and {excerpt(_shown(entry.candidate))}",
                hint=_hint(entry.field),
            )
            for entry in blocking
        ]
    )


def _hint(field: str) -> str:
    if field in ("scorer", "canonical"):
        return f"--attribute splits the change by cause; --allow {field} compares the numbers as they are"
    return f"--allow {field} compares the numbers as they are"


def gate_hint(field: str) -> str:
    """Return what to do where a field keeps a gate from deciding."""
    allow = f"--allow {field}, or `allow: [{field}]` in the policy, decides nevertheless"
    match field:
        case "scorer" | "canonical":
            return f"`steelyard rescore` judges the older run by the newer scorers; {allow}"
        case "dataset":
            return f"evaluate both runs on the same items; {allow}, over the items that both share"
        case _:
            return allow


def _shown(value: Any) -> str:
    return ", ".join(str(entry) for entry in value) if isinstance(value, list) else str(value)


def refuse_mock(runs: Iterable[tuple[str, RunRecord]]) -> None:
    """Raise for a run whose predictions came from no model: its numbers say nothing."""
    for label, run in runs:
        if MOCK in run.flags:
            raise IncomparableError(
                Problem(
                    code="mock-run",
                    message=f"{label} was made with a mock model: its scores are unavailable, each item's too",
                    hint="evaluate with a real model or with stored predictions",
                )
            )


# Two configurations held against each other by dotted key.


def flattened(values: Any, prefix: str = "") -> dict[str, Any]:
    """Return nested values by dotted key; lists are values, except lists of objects, which are numbered.

    >>> flattened({"a": {"b": 1}, "c": [{"d": 2}]})
    {'a.b': 1, 'c.0.d': 2}
    """
    if isinstance(values, Mapping) and values:
        pairs = [(str(key), value) for key, value in values.items()]
    elif isinstance(values, list) and any(isinstance(entry, Mapping) for entry in values):
        pairs = [(str(place), value) for place, value in enumerate(values)]
    else:
        return {prefix: values}
    found: dict[str, Any] = {}
    for key, value in pairs:
        found |= flattened(value, f"{prefix}.{key}" if prefix else key)
    return found


def settings_difference(configurations: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the keys whose values are not the same in all runs, with each run's value; null where it has none."""
    flat = {run: flattened(values) for run, values in configurations.items()}
    keys = sorted({key for values in flat.values() for key in values})
    found = {}
    for key in keys:
        values = {run: entry.get(key) for run, entry in flat.items()}
        listed = list(values.values())
        if any(value != listed[0] for value in listed[1:]):
            found[key] = values
    return found
