"""What the aggregate room is asked to report; made from the task by the room `tasks`.

Beside it format rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.records.scores import Direction, ValueKind

NOTICE = (
    "Slice metrics show correlation between data segments and model performance. They do not prove causation. "
    "For rigorous causal attribution, retrain with and without the segment (data Shapley, leave-one-out)."
)
"""Seed 001's notice, carried by every attribution output in every format."""

CLASSIFICATION_METRICS = (
    "accuracy",
    "macro_f1",
    "weighted_f1",
    "precision_per_class",
    "recall_per_class",
    "f1_per_class",
    "support",
    "confusion_matrix",
)
MATRIX_METRICS = ("accuracy", "macro_f1", "weighted_f1")
"""Those of them that a comparison computes from a matrix."""
LOSS_METRICS = ("eval_loss", "perplexity")
SEPARATOR = " & "
"""Between the tags of a crossed slice."""
DERIVED_TAGS = ("length_bucket", "turn", "operations", "answer_type")
"""Tags that are computed when a slice asks for them and the data does not have them."""

NO_CLUSTERS = "none"
"""Said of `cluster_by`: items are independent, whatever conversation they are of."""

RULE_PREFIX = "rule."
"""Before a format rule's name in per-item numbers."""
FORMAT_COMPLIANCE = "format_compliance"


@dataclass(frozen=True, slots=True)
class CorpusFigure:
    """A corpus metric ready to be computed from the sums of its whole numbers."""

    width: int
    """How many numbers each item has."""
    figure: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]
    """From rows of sums to one value each."""
    kind: ValueKind = "unbounded"
    """What values the figure can have; of a `rate`, the two numbers are what is right, and of how many."""


@dataclass(frozen=True, slots=True)
class ReportPlan:
    """Which numbers to report over the judged items."""

    primary: str
    """The name of the primary scorer's mean."""
    metrics: tuple[str, ...]
    """Names of further per-item numbers whose means are reported, in order."""
    directions: dict[str, Direction | None]
    values: dict[str, ValueKind] = field(default_factory=dict)
    """What values a number can have, where its name alone does not say: the scores of judgements."""
    classification: tuple[str, ...] = ()
    """Classification metrics asked for; empty where the task is not a classification."""
    choices: tuple[str, ...] = ()
    """Declared labels; empty where the labels are those that occur."""
    slice_by: tuple[tuple[str, ...], ...] = ()
    hard_examples: int = 50
    hard_by: str = ""
    """The per-item number that ranks hard examples; empty for the primary score."""
    corpus: dict[str, CorpusFigure] = field(default_factory=dict)
    """Corpus metrics asked for."""
    rules: tuple[str, ...] = ()
    """Names of format rules; each has a per-item number `rule.<name>`, and all together `format_compliance`."""
    losses: bool = False
    clustered: bool = False
    whole_clusters: bool = False
    """Whether every block has its clusters whole, as conversations come: then no total of a cluster is kept."""
    unavailable: dict[str, str] = field(default_factory=dict)
    """Metrics that were asked for and cannot be computed, with the reason."""
    rounds: int = 1000
    seed: int = 0


# A format rule on raw output, as the scoring room takes it (page 20).


@dataclass(frozen=True, slots=True)
class Rule:
    """A name and exactly one condition."""

    name: str
    pattern: str | None = None
    invert: bool = False
    """Passes when the pattern does not match."""
    max_tokens: int | None = None
    min_tokens: int | None = None
    json_schema: dict[str, Any] | bool | None = None
    one_of: tuple[str, ...] | None = None
