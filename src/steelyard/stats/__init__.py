"""Intervals and paired tests: pure functions of numbers, seeded, the same on every machine."""

from steelyard.stats.binning import ValueCounts, Values
from steelyard.stats.cluster_counts import ClusterCounts
from steelyard.stats.detectable import TOO_FEW, Spread, minimum_detectable
from steelyard.stats.exact import ExactSum, exact_sum
from steelyard.stats.figures import figure_interval
from steelyard.stats.flips import sign_flip_p_value
from steelyard.stats.intervals import (
    Interval,
    design_effect,
    method_signature,
    wilson,
)
from steelyard.stats.matrices import LabelCounts, f1_figures, f1_interval
from steelyard.stats.means import clustered_interval, mean_interval, units_interval
from steelyard.stats.multiple import holm
from steelyard.stats.paired import (
    PairedKind,
    PairedResult,
    compare_pairs,
    compare_ratios,
    compare_sums,
    fewest_units,
    planned_difference,
    required_items,
)
from steelyard.stats.paired_sums import PairedSums, drawn_ends, summed
from steelyard.stats.permutation import Population, lower_tails, smallest_gap
from steelyard.stats.rates import effective_rate, steady_effect
from steelyard.stats.resampling import Units
from steelyard.stats.slices import Contrast, Moments, two_sample

__all__ = [
    "TOO_FEW",
    "ClusterCounts",
    "Contrast",
    "ExactSum",
    "Interval",
    "LabelCounts",
    "Moments",
    "PairedKind",
    "PairedResult",
    "PairedSums",
    "Population",
    "Spread",
    "Units",
    "ValueCounts",
    "Values",
    "clustered_interval",
    "compare_pairs",
    "compare_ratios",
    "compare_sums",
    "design_effect",
    "drawn_ends",
    "effective_rate",
    "exact_sum",
    "f1_figures",
    "f1_interval",
    "fewest_units",
    "figure_interval",
    "holm",
    "lower_tails",
    "mean_interval",
    "method_signature",
    "minimum_detectable",
    "planned_difference",
    "required_items",
    "sign_flip_p_value",
    "smallest_gap",
    "steady_effect",
    "summed",
    "two_sample",
    "units_interval",
    "wilson",
]
