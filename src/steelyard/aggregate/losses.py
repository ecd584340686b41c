"""Loss and perplexity from token losses that a model gave, or that rows carry (page 20)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from steelyard.records.blocks import ScoredBlock
from steelyard.registry import metric

WITHOUT_LOSSES = "needs a model, or rows that carry `loss` and `n_tokens`; these are stored predictions without them"


class Losses:
    """Token-weighted cross-entropy over items that have a loss; merges exactly."""

    def __init__(self) -> None:
        self.weighted = Fraction(0)
        self.tokens = 0
        self.items = 0

    def update(self, block: ScoredBlock) -> None:
        """Add the losses of a block: each the mean over the tokens of its item."""
        for loss, tokens in zip(block.details.get("loss", ()), block.details.get("n_tokens", ()), strict=True):
            if loss is not None and tokens is not None and tokens > 0:
                self.weighted += Fraction(loss) * Fraction(tokens)
                self.tokens += int(tokens)
                self.items += 1

    def merge(self, other: Losses) -> None:
        """Add the losses of further items."""
        self.weighted += other.weighted
        self.tokens += other.tokens
        self.items += other.items

    def figures(self, wanted: bool) -> dict[str, Any]:  # noqa: FBT001 - one question, asked by position
        """Return `eval_loss` and `perplexity` where they were asked for and there are losses."""
        if not wanted or not self.tokens:
            return {}
        loss = eval_loss(self)
        return {"eval_loss": loss, "perplexity": perplexity(self)}

    def unavailable(self, wanted: bool) -> dict[str, str]:  # noqa: FBT001 - one question, asked by position
        """Return why a figure that was asked for is not there."""
        if not wanted:
            return {}
        if not self.tokens:
            return {"eval_loss": WITHOUT_LOSSES, "perplexity": WITHOUT_LOSSES}
        return {} if perplexity(self) is not None else {"perplexity": "exp(eval_loss) is too large for a number"}


@metric("eval_loss", kind="loss", direction="lower", bounded=False)
def eval_loss(losses: Losses) -> float:
    """Cross-entropy per token over the test set."""
    return float(losses.weighted / losses.tokens)


@metric("perplexity", kind="loss", direction="lower", bounded=False)
def perplexity(losses: Losses) -> float | None:
    """Exponential of eval_loss; null where that overflows."""
    try:
        return math.exp(eval_loss(losses))
    except OverflowError:
        return None
