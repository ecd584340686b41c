"""The search for weak slices: tags and pairs of tags ranked by how far below the rest they are (page 20)."""

from __future__ import annotations

from typing import Any

from steelyard import stats
from steelyard.aggregate.groups import full_name
from steelyard.aggregate.tallies import Moments, TagTallies
from steelyard.records.items import UNTAGGED
from steelyard.stats import Contrast, holm, two_sample

LISTED = 10
MIN_ITEMS = 5
"""A slice of fewer items says nothing; it is not tested, so it does not cost the others power either."""


def worst_slices(tallies: TagTallies, *, design_effect: float = 1.0) -> list[dict[str, Any]]:
    """Return the slices that are below the rest, worst first, each with n, interval and Holm-corrected p.

    Every slice of at least five items is tested, better ones too, and the correction counts all of them.
    """
    total = tallies.total
    candidates = [
        (keys, values, moments)
        for keys, groups in tallies.searched().items()
        for values, moments in groups.items()
        if UNTAGGED not in values and MIN_ITEMS <= moments.n <= total.n - MIN_ITEMS
    ]
    tests = [_against_rest(total, moments, design_effect) for _, _, moments in candidates]
    corrected = holm([test.p_value for test in tests])
    found = [
        {
            "slice": full_name(keys, values),
            "keys": list(keys),
            "n": moments.n,
            "value": moments.mean,
            "rest_n": test.n_rest,
            "rest_value": (total - moments).mean,
            "difference": test.difference,
            "ci_low": test.ci_low,
            "ci_high": test.ci_high,
            "p_value": p_value,
            "test": test.test,
        }
        for (keys, values, moments), test, p_value in zip(candidates, tests, corrected, strict=True)
        if test.difference is not None and test.difference < 0
    ]
    found.sort(key=lambda entry: (1.0 if entry["p_value"] is None else entry["p_value"], entry["difference"]))
    return found[:LISTED]


def _against_rest(total: Moments, part: Moments, design_effect: float) -> Contrast:
    return two_sample(_summary(part), _summary(total - part), binary=total.zero_one, design_effect=design_effect)


def _summary(moments: Moments) -> stats.Moments:
    return stats.Moments(moments.n, float(moments.total), moments.squares)
