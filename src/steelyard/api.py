"""What Python code calls: `steelyard.evaluate` and the rest; the command line is a thin layer over the same."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from steelyard.errors import InputError, Problem
from steelyard.kinds.task.order import evaluate as _evaluate
from steelyard.reading.references import names_of, slice_keys
from steelyard.records.comparisons import Comparison
from steelyard.records.runs import HARD_EXAMPLES_FILE, ITEMS_FILE, RESULTS_FILE, RunRecord
from steelyard.records.verdicts import Verdict
from steelyard.show.results import metric_lines, results_lines
from steelyard.store.directories import find_run, read_run
from steelyard.tasks.loading import EvaluateOptions

if TYPE_CHECKING:
    import pandas
    import polars

FilePath: TypeAlias = str | PathLike[str]


@dataclass(frozen=True)
class Run:
    """A run on disk: its record, its results, and its items as a table."""

    path: Path
    record: RunRecord

    @cached_property
    def results(self) -> dict[str, Any]:
        """The content of `eval/eval_results.json`."""
        return dict(_json(self.path / RESULTS_FILE))

    @cached_property
    def hard_examples(self) -> list[dict[str, Any]]:
        """The lines of `eval/hard_examples.jsonl`."""
        text = (self.path / HARD_EXAMPLES_FILE).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    @property
    def primary_score(self) -> float | None:
        """The mean of the primary metric over all items."""
        score: float | None = self.results["scorecard"]["primary_score"]
        return score

    @property
    def metrics(self) -> dict[str, Any]:
        """Every metric by its key."""
        return dict(self.results["metrics"])

    def to_polars(self) -> polars.DataFrame:
        """Return the items, one row each."""
        import polars  # noqa: PLC0415 - heavy, and only for those who ask

        return polars.read_parquet(self.path / ITEMS_FILE)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the items, one row each; needs pandas."""
        try:
            import pandas  # noqa: PLC0415 - an optional dependency
        except ImportError:
            hint = "pip install 'steelyard[pandas]', or use .to_polars()"
            raise InputError(Problem("missing-extra", "pandas is not installed", hint=hint)) from None
        return pandas.read_parquet(self.path / ITEMS_FILE)

    def __repr__(self) -> str:
        return "\n".join([f"Run {self.record.name!r}", *results_lines(self.record, self.results)])

    def _repr_html_(self) -> str:
        """Return the run for a notebook; what came from data is escaped."""
        lines = "\n".join(metric_lines(self.results))
        return f"<b>{html.escape(self.record.name)}</b><pre>{html.escape(lines)}</pre>"


def evaluate(task: FilePath | Mapping[str, Any] | None = None, *, runs_dir: FilePath = "runs", **options: Any) -> Run:
    """Evaluate stored predictions and return the run.

    `task` is a task file, or its content as a mapping. Options are those of `steelyard eval` in Python's spelling:
    `dataset`, `predictions`, `answer_type`, `metrics`, `scorer`, `slice_by`, `name`, … Where a list is meant, text is
    one name, or names separated by commas: `slice_by="lang,source"`.

    >>> run = evaluate({"task": "demo"}, dataset="items.jsonl", name="first")  # doctest: +SKIP
    """
    given = {name: str(value) if isinstance(value, PathLike) else value for name, value in options.items()}
    for name, read in (("metrics", names_of), ("slice_by", slice_keys)):
        if given.get(name) is not None:
            given[name] = read(given[name])
    source = {"task": task} if isinstance(task, Mapping) else {"task_file": None if task is None else Path(task)}
    finished = _evaluate(EvaluateOptions(runs_dir=Path(runs_dir), **source, **given))  # type: ignore[arg-type]
    return Run(finished.path, finished.run)


def compare(*runs: FilePath | Run, runs_dir: FilePath = "runs", **options: Any) -> Comparison:
    """Return runs paired item by item; the first is the baseline, and delta is candidate minus baseline.

    Options are those of `steelyard compare` in Python's spelling: `metric`, `slice_by`, `attribute`, `allow`, `top`.

    >>> found = compare("main", "candidate", metric="f1", slice_by=["source"])  # doctest: +SKIP
    >>> found.deltas["candidate"].paired.p_value  # doctest: +SKIP
    """
    from steelyard.records.plans import SEPARATOR  # noqa: PLC0415
    from steelyard.verdicts.comparison import CompareOptions  # noqa: PLC0415 - Parquet and statistics, on demand
    from steelyard.verdicts.comparison import compare as _compare  # noqa: PLC0415

    keys = slice_keys(options.get("slice_by") or ())
    options["slice_by"] = tuple(key if isinstance(key, str) else SEPARATOR.join(key) for key in keys)
    options["allow"] = names_of(options.get("allow") or ())
    named = tuple(map(_named, runs))
    return _compare(CompareOptions(runs=named, runs_dir=Path(runs_dir), **options))


def gate(
    run: FilePath | Run,
    *,
    against: FilePath | Run | None = None,
    policy: FilePath | None = None,
    runs_dir: FilePath = "runs",
    top: int = 10,
    allow: str | Sequence[str] = (),
    verify: bool = False,
) -> Verdict:
    """Return whether a run, or an evaluated suite, may ship: a pass alone is true.

    `.outcome` is pass, fail or undecided. `against` is a baseline's name or a run; `policy` is a YAML file; without one
    the task's own gates hold, or the
    default policy. `allow` names fields that may differ from the baseline, `verify` judges stored outputs again first.

    >>> gate("candidate", against="main").outcome  # doctest: +SKIP
    """
    from steelyard.verdicts.gating import GateOptions  # noqa: PLC0415 - Parquet and statistics, on demand
    from steelyard.verdicts.gating import gate as _gate  # noqa: PLC0415

    return _gate(
        GateOptions(
            run=_named(run),
            against=None if against is None else _named(against),
            policy=None if policy is None else Path(policy),
            runs_dir=Path(runs_dir),
            top=top,
            allow=names_of(allow),
            verify=verify,
        )
    )


def load_run(run: FilePath, *, runs_dir: FilePath = "runs") -> Run:
    """Return a run by its directory, its name or its id; `latest` was started last."""
    path = find_run(Path(runs_dir), _named(run))
    return Run(path, read_run(path))


def _named(run: FilePath | Run) -> str | Path:
    """Return a run as it is looked for: a name or a path as text, anything else as the directory that it is."""
    if isinstance(run, Run):
        return run.path
    return run if isinstance(run, str) else Path(run)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        message = f"{path.name} cannot be read: {error}"
        raise InputError(Problem("run-damaged", message, hint="`steelyard rescore RUN` derives it anew")) from None
