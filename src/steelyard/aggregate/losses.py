"""Loss and perplexity from token losses that a model gave, or that rows carry (page 20)."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.aggregate.means import ResampledSums, ends
from steelyard.records.blocks import Counts, Floats
from steelyard.registry import metric
from steelyard.stats.bins import ExactSum
from steelyard.stats.intervals import Interval
from steelyard.stats.means import units_interval

WITHOUT_LOSSES = "no item has a loss: it takes a model that gives them (hf:, gguf:), or rows with `loss` and `n_tokens`"
"""True wherever the answers came from: the same answers give the same bytes."""
TOO_LARGE = "exp(eval_loss) is too large for a number"

_ABSURD = 1e200
_STEP = float(1 << 20)
_LARGEST = float(1 << 36)
"""Weighted losses are drawn again in steps of 2^-20, up to this size; the figures themselves are exact."""


class Losses:
    """Token-weighted cross-entropy over items that have a loss; merges exactly."""

    def __init__(self, *, clustered: bool = False) -> None:
        self.clustered = clustered
        self.weighted = ExactSum()
        self.units = ResampledSums(2, clustered=clustered)
        self.tokens = 0

    def update(self, hashes: Counts, losses: Floats, tokens: Floats) -> None:
        """Add items: each loss is the mean over the tokens of its item; NaN is none."""
        known = ~np.isnan(losses) & (tokens > 0)
        losses, tokens = losses[known], tokens[known]
        # The product of a loss and a token count rounds once per item; what is added up after that is exact.
        weighted = np.clip(losses, -_ABSURD, _ABSURD) * tokens
        self.weighted.add(weighted)
        steps = np.rint(np.clip(weighted, -_LARGEST, _LARGEST) * _STEP).astype(np.int64)
        self.units.update(hashes[known], np.stack((steps, tokens.astype(np.int64)), axis=1))
        self.tokens += int(tokens.sum())

    def merge(self, other: Losses) -> None:
        """Add the losses of further items."""
        self.weighted.merge(other.weighted)
        self.units.merge(other.units)
        self.tokens += other.tokens

    @property
    def mean(self) -> Fraction | None:
        """The loss per token."""
        return self.weighted.fraction / self.tokens if self.tokens else None

    def details(self, *, rounds: int, seed: int) -> dict[str, dict[str, Any]]:
        """Return both figures with their intervals; none where no item has a loss."""
        if not self.tokens:
            return {}
        units = self.units.ratio_units(_STEP)
        interval = units_interval(units, "amount", clustered=self.clustered, rounds=rounds, seed=seed)
        shared, value = {"n": self.units.n, "direction": "lower"}, perplexity(self)
        return {
            "eval_loss": {"value": eval_loss(self), **ends(interval), **shared},
            "perplexity": {"value": value, **ends(_carried(interval)), **shared}
            | ({"reason": TOO_LARGE} if value is None else {}),
        }

    def unavailable(self) -> dict[str, str]:
        """Return why a figure is not there."""
        if not self.tokens:
            return {"eval_loss": WITHOUT_LOSSES, "perplexity": WITHOUT_LOSSES}
        return {} if perplexity(self) is not None else {"perplexity": TOO_LARGE}


@metric("eval_loss", kind="loss", direction="lower", values="amount")
def eval_loss(losses: Losses) -> float | None:
    """Cross-entropy per token over the test set."""
    mean = losses.mean
    return None if mean is None else float(mean)


@metric("perplexity", kind="loss", direction="lower", values="amount")
def perplexity(losses: Losses) -> float | None:
    """Exponential of eval_loss; null where that overflows."""
    return _exp(eval_loss(losses))


def _carried(interval: Interval) -> Interval:
    """Return the interval of the exponential of a figure; none where an end is too large for a number."""
    low, high = _exp(interval.low), _exp(interval.high)
    reason = interval.reason if interval.low is None else "" if high is not None else TOO_LARGE
    return replace(interval, low=low if high is not None else None, high=high, reason=reason)


def _exp(value: float | None) -> float | None:
    if value is None:
        return None
    try:
        return math.exp(value)
    except OverflowError:
        return None


def loss_columns(details: dict[str, Any], length: int) -> tuple[Floats, Floats] | None:
    """Return the losses and token counts of a block; None where it has neither."""
    losses, tokens = (_numbers(details.get(name), length) for name in ("loss", "n_tokens"))
    return None if np.isnan(losses).all() else (losses, np.where(np.isnan(tokens), 0.0, tokens))


def _numbers(values: Any, length: int) -> npt.NDArray[np.float64]:
    if values is None:
        return np.full(length, np.nan)
    return np.array([math.nan if value is None else float(value) for value in values], np.float64)
