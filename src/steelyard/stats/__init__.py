"""Intervals and paired tests: pure functions of numbers, seeded, the same on every machine."""

from steelyard.stats.binning import ValueCounts, Values
from steelyard.stats.cluster_counts import ClusterCounts
from steelyard.stats.exact import ExactSum, exact_sum
from steelyard.stats.flips import sign_flip_p_value
from steelyard.stats.intervals import (
    Interval,
    bootstrap_clustered,
    bootstrap_mean,
    clustered_interval,
    design_effect,
    mean_interval,
    wilson,
)
from steelyard.stats.matrices import MatrixStatistic, bootstrap_cells, bootstrap_matrix
from steelyard.stats.multiple import holm
from steelyard.stats.paired import (
    PairedKind,
    PairedResult,
    compare_pairs,
    compare_ratios,
    compare_sums,
    detectable,
    minimum_detectable,
    required_items,
)
from steelyard.stats.paired_sums import PairedSums, drawn_ends, summed
from steelyard.stats.permutation import Population, lower_tails, smallest_gap
from steelyard.stats.slices import Contrast, Moments, two_sample

__all__ = [
    "ClusterCounts",
    "Contrast",
    "ExactSum",
    "Interval",
    "MatrixStatistic",
    "Moments",
    "PairedKind",
    "PairedResult",
    "PairedSums",
    "Population",
    "ValueCounts",
    "Values",
    "bootstrap_cells",
    "bootstrap_clustered",
    "bootstrap_matrix",
    "bootstrap_mean",
    "clustered_interval",
    "compare_pairs",
    "compare_ratios",
    "compare_sums",
    "design_effect",
    "detectable",
    "drawn_ends",
    "exact_sum",
    "holm",
    "lower_tails",
    "mean_interval",
    "minimum_detectable",
    "required_items",
    "sign_flip_p_value",
    "smallest_gap",
    "summed",
    "two_sample",
    "wilson",
]
