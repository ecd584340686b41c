"""What a run says about itself in `run.json`, and the names of its files.

Beside it: what repeats gave, what a baseline said before, and a suite's record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypedDict, get_args

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import Floats

RunStatus: TypeAlias = Literal["running", "completed", "decided", "over_budget", "failed", "interrupted"]
"""`decided` is kept for runs that stop asking once their verdict is certain."""
STATUSES: tuple[RunStatus, ...] = ("running", "completed", "decided", "over_budget", "failed", "interrupted")
FINISHED: tuple[RunStatus, ...] = ("completed", "decided", "over_budget")
"""Of a run of which every item that was asked has a state."""
RunKind: TypeAlias = Literal["task", "conversations", "research", "training", "imported"]
"""What a run is: by which recipe it is made, judged again and reproduced."""
StartedAs: TypeAlias = Literal["run", "member", "suite", "repeat", "shard", "imported", "mock"]
"""What a run was started as: `latest` is a run or a suite, and `latest@TASK` a run or a suite's member."""

RUN_FORMAT = 2
"""1 kept no hashes of its files and no number; such runs are still read."""

RUN_FILE = "run.json"
CONFIG_FILE = "config.yaml"
ENVIRONMENT_FILE = "environment.json"
HASHES_FILE = "hashes.json"
MANIFEST_FILE = "manifest.json"
JOURNAL_FILE = "predictions.jsonl"
REJECTED_FILE = "rejected.jsonl"
RESULTS_FILE = "eval/eval_results.json"
ITEMS_FILE = "eval/items.parquet"
HARD_EXAMPLES_FILE = "eval/hard_examples.jsonl"
CONFUSION_FILE = "eval/confusion_matrix.json"
TRAIN_LOG_FILE = "train_log.jsonl"
REPORT_FILE = "eval/report.html"
REPEATS_FILE = "eval/repeats.json"
"""Where a run was repeated: flip rates, the noise floor and flaky items."""
SUITE_FILE = "suite.json"
"""In the folder of a suite: its tasks and its policy."""
EVAL_HASHES_FILE = "eval/hashes.json"
"""What everything else under `eval/` hashes to: renewed by whatever derives `eval/` anew."""
OWNER_FILE = ".owner"
RESCORED_FILE = "eval/rescored.json"
"""Where a run was judged again under other scorers: what then takes the place of `run.json`'s own fields."""


class Reading(msgspec.Struct, frozen=True):
    """What reading the input of a run found: told once, when the run is made, and read by every verb after it."""

    unknown_ids: int = 0
    """Predictions for ids that are not in the dataset."""
    quarantined: int = 0
    """Rows of predictions that were set aside."""
    unaccounted: int = 0
    """Of those, rows that name no item, so that nobody knows whose answer is lacking."""
    by_columns: int = 0
    """Items whose rows were plain, and were judged by columns; the others were judged one by one."""

    @property
    def flags(self) -> list[str]:
        """What a reader must know before trusting the run."""
        found = {"quarantined_rows": self.unaccounted, "unknown_ids": self.unknown_ids}
        return [flag for flag, count in found.items() if count]


class RunCounts(TypedDict, total=False):
    """How many items a run has, and how many are in each state; nothing of a run that is under way."""

    n_items: int
    n_scored: int
    n_skipped: int
    states: dict[str, int]


class RunRecord(msgspec.Struct, frozen=True):
    """`run.json`: identity, status, versions, signatures, counts, primary metric and score."""

    run_id: str
    name: str
    status: RunStatus
    created_at: str
    task: str
    steelyard_version: str
    format_version: int = RUN_FORMAT
    completed_at: str | None = None
    host: str | None = None
    error: str | None = None
    task_version: str | None = None
    answer_type: str | None = None
    model: dict[str, Any] = msgspec.field(default_factory=dict)
    dataset: dict[str, Any] = msgspec.field(default_factory=dict)
    prompt_version: str | None = None
    schema_version: str = "v1"
    scorer_version: str | None = None
    """The primary scorer's versioned name, the grain of comparison (seed 003)."""
    signatures: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """`scorers`, `metrics` and `canonical`: everything that can change a number."""
    counts: RunCounts = msgspec.field(default_factory=RunCounts)
    primary_metric: str | None = None
    primary_score: float | None = None
    flags: list[str] = msgspec.field(default_factory=list)
    """What a reader must know before trusting the run: `mock`, `quarantined_rows`, `limited`."""
    kind: RunKind = "task"
    started_as: StartedAs = "run"
    reading: Reading | None = None
    """Null in runs that kept no such counts."""
    sequence: int | None = None
    """The number that the folder of runs gave it when it was started; null in runs of format 1."""
    fingerprint: str | None = None
    """The hash of what the run was made from and answered, which a baseline keeps; null until it is complete."""
    files: dict[str, str] = msgspec.field(default_factory=dict)
    """The hash of every other file outside `eval/`; empty until the run is complete."""
    seal: str | None = None
    """The hash of this file without this line."""

    def signed(self, *parts: str) -> tuple[str, ...]:
        """Return the signatures of its `scorers`, its `metrics` or both."""
        return tuple(str(signature) for part in parts for signature in self.signatures.get(part) or ())


def of_today(content: dict[str, Any]) -> dict[str, Any]:
    """Return what a `run.json` of any version says, in today's words: older runs said as what they were started only.

    >>> of_today({"kind": "member", "model": {"kind": "research agent"}})["kind"]
    'research'
    """
    if content.get("kind") in get_args(RunKind) and "started_as" in content:
        return content
    started_as = content.get("kind", "run")
    return content | {"kind": _told_kind(content, started_as), "started_as": started_as}


def _told_kind(content: Mapping[str, Any], started_as: str) -> RunKind:
    """Return what a run is that does not say so: each kind signs, or names its model, as no other does."""
    model, signatures = (_table(content.get(name)) for name in ("model", "signatures"))
    canonical = [str(found) for found in signatures.get("canonical") or ()]
    if started_as == "imported":
        return "imported"
    if any(found.startswith("conversation@") for found in canonical):
        return "conversations"
    if model.get("kind") == "research agent":
        return "research"
    is_trained = "base" in model or (model.get("kind") == "hf" and not content.get("scorer_version"))
    return "training" if is_trained else "task"


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


class Rescored(msgspec.Struct, frozen=True):
    """`eval/rescored.json`, laid over `run.json`: a completed run changes only inside `eval/`."""

    scorer_version: str
    signatures: dict[str, list[str]]
    counts: RunCounts
    primary_metric: str
    primary_score: float | None
    items: str | None = None
    """The hash of the items, where they were read in another way than when the run was made; else null."""
    config: dict[str, Any] | None = None
    """The configuration by which the run is judged today, without its data."""


# What the repeats of a run gave for each item, as metrics over repeats read it.


@dataclass(frozen=True, slots=True)
class RepeatOutcomes:
    """One row for each item, one column for each of its repeats."""

    passed: npt.NDArray[np.bool_]
    scores: Floats
    """The primary score."""
    answers: npt.NDArray[np.int64]
    """Equal numbers are equal answers; -1 where nothing could be read."""

    @property
    def repeats(self) -> int:
        """How many repeats there are."""
        return int(self.passed.shape[1])


# What a run said before it was judged again.


@dataclass(frozen=True, slots=True)
class BaselineFigures:
    """The figures of a run that others are held against, as they were before it was judged again."""

    names: tuple[str, ...]
    """The baselines that name the run, or the suite that it is part of."""
    metrics: Mapping[str, float | None]
    """Empty where the results could not be read."""

    def beside(self, results: Mapping[str, Any]) -> dict[str, tuple[float | None, float | None]]:
        """Return every metric that is one number with its old and its new value; None where there is none."""
        new = plain_metrics(results)
        return {name: (self.metrics.get(name), new.get(name)) for name in dict.fromkeys([*self.metrics, *new])}


def plain_metrics(results: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the metrics of a run that are one number, or would be if there were anything to count."""
    metrics: Mapping[str, Any] = results["metrics"]
    return {name: value for name, value in metrics.items() if value is None or isinstance(value, int | float)}


# What a suite says about itself in `suite.json`, beside the runs of its tasks.


SUITE_FORMAT = 2
"""1 kept no number and no hash; such suites are still read."""


class SuiteTask(msgspec.Struct, frozen=True):
    """One task of a suite and where its run is."""

    task: str
    file: str
    path: str | None = None
    """The run's directory inside the suite's; null where the task was not evaluated to its end."""
    error: str | None = None
    run_id: str | None = None
    fingerprint: str | None = None
    """What the task's run was made from and answered."""


class SuiteRecord(msgspec.Struct, frozen=True):
    """`suite.json`: the tasks that were evaluated and the policy over them."""

    suite_id: str
    name: str
    suite: str
    created_at: str
    steelyard_version: str
    tasks: list[SuiteTask]
    policy: dict[str, Any] = msgspec.field(default_factory=dict)
    """`gates`, `allow` and `required`, as the suite file has them."""
    format_version: int = 1
    sequence: int | None = None
    """The number that the folder of runs gave it when it was started; null in suites of format 1."""
    seal: str | None = None
    """The hash of this file without this line."""
