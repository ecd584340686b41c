"""The content of `eval/eval_results.json`, as plain mappings: what every evaluation reports over its items."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, NotRequired, TypeAlias, TypedDict

from msgspec import Meta

from steelyard.records.items import State
from steelyard.records.scores import Direction

RESULTS_FORMAT: Final = 1
"""Raised whenever what a reader relies on changes."""

Count: TypeAlias = Annotated[int, Meta(ge=0)]
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Figure: TypeAlias = float | None
"""A number, or null where it is undefined."""

ClassFigures: TypeAlias = dict[str, Figure]
"""A number for each label."""


class Signatures(TypedDict):
    """All that can change a number: scorers, metrics, how answers were made canonical."""

    scorers: list[str]
    metrics: list[str]
    canonical: list[str]


class ScorecardSummary(TypedDict):
    """Seed 000's scorecard of a run. Every tag adds `<tag>_scores` and `<tag>_counts`, by the tag's values."""

    n_items: Count
    n_scored: Count
    n_skipped: Count
    skipped: dict[State, Count]
    states: dict[State, Count]
    primary_score: Share | None
    score_if_answered: Share | None
    stddev: Figure
    min_score: Share | None
    max_score: Share | None


class Ends(TypedDict):
    """The interval of a metric."""

    n: Count
    ci_low: Figure
    ci_high: Figure
    level: Share
    method: str
    ci_reason: NotRequired[str]
    """Why there is no interval."""


class MetricDetail(Ends):
    """A metric that is one number, with all that its value needs to be read."""

    value: Figure
    direction: Direction | None
    signature: NotRequired[str]
    reason: NotRequired[str]
    """Why there is no value."""
    numerator: NotRequired[Count]
    denominator: NotRequired[Count]
    counts: NotRequired[str]
    """What a ratio counts."""


class SliceFigures(TypedDict):
    """The items of one slice. Every metric stands here by its name; the ends are those of the primary score."""

    n: Count
    ci_low: Figure
    ci_high: Figure
    intervals: dict[str, Ends]


class WorstSlice(TypedDict):
    """A slice that is below the rest of the items."""

    slice: str
    keys: list[str]
    n: Count
    value: Figure
    rest_n: Count
    rest_value: Figure
    difference: float
    ci_low: Figure
    ci_high: Figure
    p_value: Share | None
    test: str
    method: NotRequired[str]
    """How the interval was found."""
    sides: NotRequired[Literal["less"]]
    correction: NotRequired[Literal["holm"]]


class CouldShow(TypedDict):
    """The gap below the rest that a slice of n items shows with the stated power; null where none is wide enough."""

    n: Count
    gap: Figure


class SliceSearch(TypedDict):
    """How many slices were searched for weak ones, and what could have been found."""

    n_slices: Count
    min_items: Count
    level: Share
    power: Share
    smallest: NotRequired[CouldShow]
    largest: NotRequired[CouldShow]


class OverRepresented(TypedDict):
    """A tag that hard examples have more often than all items do."""

    tag: str
    n_hard: Count
    hard_share: Share
    tied_share: Share
    item_share: Share
    lift: float


class HardSummary(TypedDict):
    """What `hard_examples.jsonl` lists, in short."""

    n: Count
    n_tied: Count
    primary_metric_name: str
    over_represented: list[OverRepresented]
    notice: str


class ListedExample(TypedDict):
    """A line of `hard_examples.jsonl` (seed 001), with the item's id, state and error tags."""

    rank: Count
    primary_metric: Figure
    primary_metric_name: str
    prediction: str | None
    reference: str
    input: str
    tags: dict[str, str]
    input_hash: str
    item_id: str
    state: State
    error_tags: list[str]


class PredictionCounts(TypedDict):
    """Predictions that did not count as others do."""

    unknown_ids: Count
    quarantined: Count
    truncated: NotRequired[Count]


class RunResults(TypedDict):
    """`eval/eval_results.json`. Nothing in it knows the time, the host or the run's name."""

    format_version: Literal[1]
    steelyard_version: str
    signatures: Signatures
    primary_metric: str
    scorecard: ScorecardSummary
    metrics: dict[str, Figure | ClassFigures | list[list[Count]]]
    """By name: one number, a number for each label, or the confusion matrix."""
    metric_details: dict[str, MetricDetail]
    unavailable: dict[str, str]
    """Metrics that were asked for and are null, with the reason."""
    error_tags: dict[str, Count]
    worst_slices: list[WorstSlice]
    slice_search: NotRequired[SliceSearch]
    tags_left_out: list[str]
    hard_examples: HardSummary
    notice: str
    predictions: NotRequired[PredictionCounts]
    labels: NotRequired[list[str]]
    confusion_columns: NotRequired[list[str]]
    format_rules: NotRequired[dict[str, MetricDetail]]
    slices: NotRequired[dict[str, dict[str, SliceFigures]]]
    """By key, then by value."""
    slices_left_out: NotRequired[dict[str, str]]
    design_effect: NotRequired[float]
    conversations: NotRequired[dict[str, Any]]
    """What `evaluate` adds: figures over conversations and turns."""
    research: NotRequired[dict[str, Any]]
    """What `research` adds: its report."""
