"""How many items show a difference: from a baseline's own variance, and from the agreement of its repeats."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.errors import Problem, UsageError
from steelyard.records.blocks import Floats
from steelyard.stats.paired import fewest_units, planned_difference, required_items


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How many items are needed, and what that rests on."""

    effect: float
    power: float
    alpha: float
    items: int
    variance_of_difference: float
    basis: str
    agreement: float | None = None
    """How far repeats of the baseline agree: 1 is wholly, 0 is by chance."""
    design_effect: float = 1.0
    """How many times more items are needed because those of a conversation are not independent."""
    n_baseline: int | None = None
    detectable_with_baseline: float | None = None
    """The smallest delta that as many items as the baseline has would show; None where they show none."""

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON has it."""
        return asdict(self)


def check_question(effect: float, power: float, alpha: float) -> None:
    """Raise for a question that no number of items answers."""
    for name, value in (("--effect", effect), ("--power", power), ("--alpha", alpha)):
        if not 0 < value < 1:
            raise UsageError(Problem("usage", f"{name} is {value:g}, expected a number between 0 and 1"))


def plan_without_baseline(effect: float, *, power: float, alpha: float) -> Plan:
    """Return the plan for 0/1 scores of which nothing is known: right half of the time, independent runs."""
    variance = 0.5
    return Plan(
        effect=effect,
        power=power,
        alpha=alpha,
        items=required_items(effect, variance_of_difference=variance, power=power, alpha=alpha),
        variance_of_difference=variance,
        basis="no baseline: 0/1 scores at the worst rate, 0.5, and runs that agree by chance only",
    )


def plan_from_baseline(
    effect: float,
    scores: Floats,
    *,
    power: float,
    alpha: float,
    within: float | None,
    clusters: npt.NDArray[Any] | None,
) -> Plan:
    """Return the plan from a baseline's scores and, where it was repeated, from the variance within its items.

    Two runs of which one is better by `effect` differ by chance as repeats do (twice the variance within items), and
    by the items that make up the effect. Without repeats, runs are taken to agree by chance only.
    """
    known = scores[~np.isnan(scores)]
    total = float(known.var())
    if within is None:
        variance, agreement = 2 * total, None
        basis = "the baseline's variance; without repeats, runs are taken to agree by chance only"
    else:
        variance = 2 * within + effect - effect * effect
        agreement = max(0.0, 1 - within / total) if total > 0 else None
        basis = "the variance within items between the baseline's repeats, and the items that make up the effect"
    factor = 1.0 if clusters is None else design_effect(known, clusters[~np.isnan(scores)])
    variance = max(variance, effect - effect * effect) * factor
    n = len(known)
    return Plan(
        effect=effect,
        power=power,
        alpha=alpha,
        items=required_items(effect, variance_of_difference=variance, power=power, alpha=alpha),
        variance_of_difference=variance,
        basis=basis,
        agreement=agreement,
        design_effect=factor,
        n_baseline=n,
        detectable_with_baseline=planned_difference(n, variance_of_difference=variance, power=power, alpha=alpha)
        if n >= fewest_units(alpha)
        else None,
    )


def design_effect(scores: Floats, clusters: npt.NDArray[Any]) -> float:
    """Return by how much clusters widen the variance of a mean; at least 1."""
    residuals = scores - scores.mean()
    alone = float((residuals**2).sum())
    if alone == 0:
        return 1.0
    _, codes = np.unique(clusters, return_inverse=True)
    together = float((np.bincount(codes, weights=residuals) ** 2).sum())
    return max(1.0, together / alone)
