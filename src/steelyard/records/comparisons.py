"""Runs paired item by item: what `steelyard compare` found, in the shape that machines read (page 30)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from steelyard.records.columns import html_table
from steelyard.records.plans import NOTICE
from steelyard.records.scores import Direction

if TYPE_CHECKING:
    import polars

NOT_AVAILABLE = "N/A"
"""What a table shows where a side is missing."""

DELTAS = "deltas"
"""The key that stands beside the values of a slice in JSON."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which two runs differ."""

    field: str
    baseline: Any
    candidate: Any
    blocking: bool = False
    """Whether the two runs' numbers do not mean the same because of it."""

    def as_dict(self) -> dict[str, Any]:
        """Return the difference as JSON has it."""
        return {"field": self.field, "baseline": self.baseline, "candidate": self.candidate}


@dataclass(frozen=True, slots=True)
class Contract:
    """Whether runs may be compared, and in what they differ."""

    comparable: bool
    differences: tuple[Difference, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the contract as JSON has it."""
        return {"comparable": self.comparable, "differences": [entry.as_dict() for entry in self.differences]}


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric over some items of one run; null where it is undefined for them."""

    n: int
    value: float | None


@dataclass(frozen=True, slots=True)
class Paired:
    """Candidate minus baseline over the items that both runs share. `improved` is better, whichever way that is."""

    delta: float | None
    ci_low: float | None
    ci_high: float | None
    p_value: float | None
    test: str
    n: int
    improved: int
    regressed: int
    unchanged: int
    minimum_detectable: float | None
    method: str = ""
    reason: str = ""
    baseline: float | None = None
    """The baseline's value over the shared items."""
    candidate: float | None = None
    """The candidate's value over the shared items."""
    p_holm: float | None = None
    """The p-value after Holm's correction over the tests of a comparison: of its slices, or of its candidates."""
    tests: int = 1
    """How many tests Holm's correction is over."""
    units: int = 0
    """How many independent units there are: items, or clusters of them."""
    standard_error: float | None = None
    """The standard error of the delta from the pairs seen, between units; None for fewer than two units."""
    level: float = 0.95
    """How sure the interval is, both sides together."""
    sides: str = "two-sided"
    """Which differences count as as large as the one seen: those for the better and for the worse."""
    p_mid: float | None = None
    """McNemar's mid-p, where the test is McNemar's; gates decide by `p_value`, the exact one."""
    p_score: float | None = None
    """The p of McNemar's score test, where the test is McNemar's."""
    p_bootstrap: float | None = None
    """The p of the paired bootstrap, where the test is approximate randomisation."""


@dataclass(frozen=True, slots=True)
class Delta:
    """The candidate's value minus the baseline's, each over its own items, and the same over shared items."""

    delta: float | None
    paired: Paired

    def as_dict(self) -> dict[str, Any]:
        """Return the delta as JSON has it."""
        return {"delta": self.delta, "paired": asdict(self.paired)}


@dataclass(frozen=True, slots=True)
class SliceRow:
    """One slice: its value in every run that has it, and the delta of every candidate."""

    value: str
    figures: dict[str, Figure]
    deltas: dict[str, Delta]


@dataclass(frozen=True, slots=True)
class ChangedItem:
    """One item that got worse or better, with both sides whole."""

    item_id: str
    baseline_score: float
    candidate_score: float
    baseline: dict[str, Any]
    candidate: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return the item as JSON has it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ItemChanges:
    """What became of the items between a baseline and one candidate."""

    edited: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    n_edited: int = 0
    n_added: int = 0
    n_removed: int = 0
    regressed: tuple[ChangedItem, ...] = ()
    fixed: tuple[ChangedItem, ...] = ()
    over_represented: tuple[dict[str, Any], ...] = ()
    """Tags that regressions have more often than shared items do, with both shares and the lift."""

    @property
    def differ(self) -> bool:
        """Whether the two runs do not have the same items."""
        return bool(self.n_edited or self.n_added or self.n_removed)

    def as_dict(self) -> dict[str, Any]:
        """Return the changes as JSON has them."""
        return {
            "edited": list(self.edited),
            "added": list(self.added),
            "removed": list(self.removed),
            "n_edited": self.n_edited,
            "n_added": self.n_added,
            "n_removed": self.n_removed,
            "regressed": [entry.as_dict() for entry in self.regressed],
            "fixed": [entry.as_dict() for entry in self.fixed],
            "over_represented": list(self.over_represented),
        }


@dataclass(frozen=True, slots=True)
class Attribution:
    """A delta split by cause; the parts add up to the total."""

    model: float
    """What the candidate's outputs change, under its own scorers and references."""
    scorer: float
    """What the candidate's scorers change on the baseline's outputs."""
    data: float
    """What edited references change on the baseline's outputs."""
    coverage: float
    """What items change that only one run has, or that only one run has an output for."""
    total: float
    unanswered: float = 0.0
    """The part of coverage that items without an output in one of the runs have."""
    n_shared: int = 0
    n_unanswered: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the parts as JSON has them."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A baseline and its candidates, paired."""

    baseline: str
    candidates: tuple[str, ...]
    metric: str
    direction: Direction | None
    contract: Contract
    overall: dict[str, Figure]
    deltas: dict[str, Delta]
    slices: dict[str, list[SliceRow]] = field(default_factory=dict)
    items: dict[str, ItemChanges] = field(default_factory=dict)
    attribution: dict[str, Attribution] = field(default_factory=dict)
    config_diff: dict[str, dict[str, Any]] = field(default_factory=dict)
    loss_curves: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    n_items: dict[str, int] = field(default_factory=dict)
    """How many items each run has."""
    unanswered: dict[str, dict[str, int]] = field(default_factory=dict)
    """How many items of each run have no answer that could be read, by state."""
    warnings: tuple[str, ...] = ()
    """What a reader must know before the figures."""
    repeats: dict[str, int] = field(default_factory=dict)
    """How many repeats of each item a run has; each item counts with their mean."""
    notice: str = NOTICE

    @property
    def runs(self) -> tuple[str, ...]:
        """The labels of all runs, the baseline first."""
        return (self.baseline, *self.candidates)

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as the JSON object of page 30."""
        parts = {name: entry.as_dict() for name, entry in self.attribution.items()}
        first = parts.get(self.candidates[0])
        found = {
            "baseline": self.baseline,
            "candidates": list(self.candidates),
            "metric": self.metric,
            "direction": self.direction,
            "contract": self.contract.as_dict(),
            "overall": {run: figure.value for run, figure in self.overall.items()},
            "n": {run: figure.n for run, figure in self.overall.items()},
            "unanswered": {run: sum(states.values()) for run, states in self.unanswered.items()},
            "warnings": list(self.warnings),
            "repeats": {run: self.repeats.get(run, 1) for run in self.runs},
            "deltas": {run: delta.as_dict() for run, delta in self.deltas.items()},
            "slices": {key: _slice_dict(rows) for key, rows in self.slices.items()},
            "items": _items_dict(self.items, self.candidates),
            "attribution": first if len(self.candidates) == 1 or first is None else first | {"by_run": parts},
            "config_diff": self.config_diff,
            "notice": self.notice,
        }
        return found | ({"loss_curves": self.loss_curves} if self.loss_curves else {})

    def __repr__(self) -> str:
        deltas = [f"{run} {delta.delta:+.4f}" for run, delta in self.deltas.items() if delta.delta is not None]
        return f"Comparison of {self.metric} with {self.baseline}: {', '.join(deltas) or 'no delta'}"

    def _repr_html_(self) -> str:
        """Return the comparison for a notebook; what came from data is escaped."""
        shown = ("run", "slice_by", "slice", "n", "value", "delta", "paired_p_value", "paired_regressed")
        return html_table(repr(self), shown, comparison_rows(self), self.notice)

    def to_polars(self) -> polars.DataFrame:
        """Return one row per run and slice."""
        import polars  # noqa: PLC0415 - 0.3 s, for callers who ask for a frame

        return polars.DataFrame(comparison_rows(self), infer_schema_length=None)

    def to_pandas(self) -> Any:
        """Return one row per run and slice as a pandas frame."""
        import pandas  # noqa: PLC0415 - an extra

        return pandas.DataFrame(comparison_rows(self))


def comparison_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Return one flat row per run and slice: its value, its delta and the paired figures."""
    rows = [
        _row(run, "", "", figure, comparison.deltas.get(run), comparison.metric)
        for run, figure in comparison.overall.items()
    ]
    for key, values in comparison.slices.items():
        for entry in values:
            for run in comparison.runs:
                figure = entry.figures.get(run, Figure(0, None))
                rows.append(_row(run, key, entry.value, figure, entry.deltas.get(run), comparison.metric))
    return rows


_PAIRED_COLUMNS = (
    "delta", "ci_low", "ci_high", "p_value", "p_holm", "test", "n", "improved", "regressed", "unchanged",
    "minimum_detectable", "level", "method", "sides", "tests",
)  # fmt: skip


def _row(run: str, key: str, value: str, figure: Figure, delta: Delta | None, metric: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "run": run, "metric": metric, "slice_by": key, "slice": value, "n": figure.n, "value": figure.value,
        "delta": delta.delta if delta else None,
    }  # fmt: skip
    paired = asdict(delta.paired) if delta else {}
    return found | {f"paired_{name}": paired.get(name) for name in _PAIRED_COLUMNS}


def _slice_dict(rows: list[SliceRow]) -> dict[str, Any]:
    # A tag's value can be any text, also the one key that is not a value.
    names = {row.value: f"{row.value}=" if row.value == DELTAS else row.value for row in rows}
    found: dict[str, Any] = {
        names[row.value]: {run: asdict(figure) for run, figure in row.figures.items()} for row in rows
    }
    found[DELTAS] = {names[row.value]: {run: delta.as_dict() for run, delta in row.deltas.items()} for row in rows}
    return found


def _items_dict(items: dict[str, ItemChanges], candidates: tuple[str, ...]) -> dict[str, Any]:
    """Return the changes of the one candidate; of several, the first's at the top and each by its run."""
    found = items.get(candidates[0], ItemChanges()).as_dict()
    return found if len(candidates) == 1 else found | {"by_run": {run: entry.as_dict() for run, entry in items.items()}}
