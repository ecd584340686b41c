"""The search for weak slices: tags and pairs of tags ranked by how far below the rest they are (page 20)."""

from __future__ import annotations

from typing import Any

from steelyard import stats
from steelyard.aggregate.tallies import Moments, TagTallies
from steelyard.records.items import UNTAGGED
from steelyard.stats import Contrast, holm, two_sample

LISTED = 10
MIN_ITEMS = 5
"""A slice of fewer items says nothing; it is not tested, so it does not cost the others power either."""


def worst_slices(tallies: TagTallies) -> list[dict[str, Any]]:
    """Return the slices that are below the rest, worst first, each with n, interval and Holm-corrected p."""
    candidates = []
    for keys, groups in sorted(tallies.searched().items()):
        for name, moments in sorted(groups.items()):
            if moments.n >= MIN_ITEMS and tallies.total.n - moments.n >= MIN_ITEMS and UNTAGGED not in name:
                label = name if len(keys) > 1 else f"{keys[0]}={name}"
                candidates.append((label, list(keys), moments))
    tests = [_against_rest(tallies.total, moments) for _, _, moments in candidates]
    corrected = holm([test.p_value for test in tests])
    found = [
        {
            "slice": label,
            "keys": keys,
            "n": moments.n,
            "value": moments.mean,
            "rest_n": tallies.total.n - moments.n,
            "difference": test.difference,
            "ci_low": test.ci_low,
            "ci_high": test.ci_high,
            "p_value": p_value,
            "test": test.test,
        }
        for (label, keys, moments), test, p_value in zip(candidates, tests, corrected, strict=True)
        if test.difference is not None and test.difference < 0
    ]
    found.sort(key=lambda entry: (1.0 if entry["p_value"] is None else entry["p_value"], entry["difference"]))
    return found[:LISTED]


def _against_rest(total: Moments, part: Moments) -> Contrast:
    rest = Moments()
    rest.add(total)
    rest.subtract(part)
    return two_sample(_summary(part), _summary(rest), binary=total.zero_one)


def _summary(moments: Moments) -> stats.Moments:
    return stats.Moments(moments.n, moments.total, moments.squares)
