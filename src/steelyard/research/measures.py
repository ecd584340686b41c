"""The metrics of research runs: each the ratio of two counts that add up over objectives.

A ratio of sums, not a mean of ratios: a run with one claim weighs one claim. Objectives are the units of resampling,
because the claims and steps of one objective are not independent of each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.records.scores import Direction
from steelyard.registry import metric
from steelyard.stats.intervals import Interval
from steelyard.stats.means import clustered_interval

NO_DENOMINATOR = "the denominator is zero"


@dataclass(frozen=True, slots=True)
class Ratio:
    """One metric: its name, and the two counts it is the ratio of."""

    name: str
    title: str
    numerator: str
    denominator: str
    direction: Direction
    meaning: str
    version: int = 1

    @property
    def key(self) -> str:
        """The versioned name."""
        return f"{self.name}@v{self.version}"


EVIDENCE_COVERAGE = Ratio(
    "evidence_coverage_rate",
    "Evidence Coverage Rate",
    "covered_claims",
    "verified_claims",
    "higher",
    "verified claims with evidence that counts, among verified claims",
)
GOLDEN_RECALL = Ratio(
    "golden_recall",
    "Golden Recall",
    "matched_ids",
    "required_ids",
    "higher",
    "required evidence ids that stand in the ledger, among required ones",
)
ABSTENTION_ACCURACY = Ratio(
    "abstention_accuracy",
    "Abstention Accuracy",
    "abstaining_runs",
    "runs_to_abstain",
    "higher",
    "runs that abstained, among runs for entries with insufficient evidence; such an entry without a run is one miss",
    version=2,
)
MANIFEST_INTEGRITY = Ratio(
    "manifest_integrity",
    "Manifest Integrity",
    "recorded_steps",
    "steps",
    "higher",
    "steps with a manifest, among steps",
)
OVER_ABSTENTION = Ratio(
    "over_abstention_rate",
    "Over-Abstention Rate",
    "over_abstained_runs",
    "sufficient_runs",
    "lower",
    "runs that abstained although evidence is sufficient, among runs for such entries",
)
FALSE_ASSERTION = Ratio(
    "false_assertion_rate",
    "False-Assertion Rate",
    "asserting_runs",
    "insufficient_runs",
    "lower",
    "runs that verified a claim although evidence is insufficient, among runs for such entries",
)
CITATION_PRECISION = Ratio(
    "citation_precision",
    "Citation Precision",
    "good_citations",
    "citations",
    "higher",
    "pieces of evidence cited by verified claims that count, among all that a run's verified claims cite, each once",
    version=2,
)
GATED = (EVIDENCE_COVERAGE, GOLDEN_RECALL, ABSTENTION_ACCURACY, MANIFEST_INTEGRITY)
"""Seed 002's four metrics, each with a gate."""
FURTHER = (OVER_ABSTENTION, FALSE_ASSERTION, CITATION_PRECISION)
RATIOS = (*GATED, *FURTHER)


def _register(ratio: Ratio) -> None:
    def share(numerator: int, denominator: int) -> float | None:
        return numerator / denominator if denominator else None

    share.__doc__ = f"{ratio.meaning[0].upper()}{ratio.meaning[1:]}."
    metric(ratio.name, version=ratio.version, kind="research", direction=ratio.direction, values="rate")(share)


for _ratio in RATIOS:
    _register(_ratio)

COUNTS = tuple(dict.fromkeys(name for ratio in RATIOS for name in (ratio.numerator, ratio.denominator)))


@dataclass(frozen=True, slots=True)
class Measurement:
    """One metric over all objectives."""

    ratio: Ratio
    numerator: int
    denominator: int
    interval: Interval

    @property
    def value(self) -> float | None:
        """The ratio, or None over nothing."""
        return self.numerator / self.denominator if self.denominator else None

    def facts(self) -> dict[str, Any]:
        """Return the metric as the report has it."""
        ratio, interval = self.ratio, self.interval
        found: dict[str, Any] = {
            "value": self.value,
            "n": self.denominator,
            "numerator": self.numerator,
            "denominator": self.denominator,
            "counts": f"{ratio.numerator}/{ratio.denominator}",
            "ci_low": interval.low,
            "ci_high": interval.high,
            "level": interval.level,
            "method": interval.method,
            "direction": ratio.direction,
        }
        return found | ({"reason": NO_DENOMINATOR} if self.value is None else {})


def measure(ratio: Ratio, units: Sequence[Mapping[str, int]]) -> Measurement:
    """Return a metric over units (objectives), each a mapping from the names of counts to counts."""
    pairs = np.array([(unit[ratio.numerator], unit[ratio.denominator]) for unit in units], np.int64).reshape(-1, 2)
    pairs = pairs[pairs[:, 1] > 0]
    total = pairs.sum(axis=0)
    return Measurement(ratio, int(total[0]), int(total[1]), ratio_interval(pairs[:, 0], pairs[:, 1]))


def ratio_interval(sums: np.typing.NDArray[np.int64], sizes: np.typing.NDArray[np.int64]) -> Interval:
    """Return the interval of a ratio of sums: a rate over what is counted, in clusters that are the units.

    >>> ratio_interval(np.array([1, 0, 1]), np.array([1, 1, 1])).method
    'wilson'
    """
    return clustered_interval(sums, sizes, kind="rate")
