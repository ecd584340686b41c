"""The metrics of research runs per slice of golden queries: the same ratios of counts, over fewer objectives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.aggregate.groups import slice_name
from steelyard.records.items import UNTAGGED
from steelyard.research.items import objective_tag
from steelyard.research.measures import RATIOS, Ratio, measure
from steelyard.research.objectives import Objective

_INTERVAL = ("n", "ci_low", "ci_high", "level", "method")


def ratio_slices(
    objectives: Sequence[Objective], slice_by: Sequence[tuple[str, ...]]
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return every metric for each value of each key, as the report has it."""
    return {
        " & ".join(keys): {
            slice_name(keys, values): {ratio.name: _facts(ratio, units) for ratio in RATIOS}
            for values, units in sorted(_units(objectives, keys).items())
        }
        for keys in slice_by
    }


def _facts(ratio: Ratio, units: Sequence[Mapping[str, int]]) -> dict[str, Any]:
    """Return a metric of one slice; a slice of one objective has no interval."""
    facts = measure(ratio, units).facts()
    return facts if len(units) > 1 else facts | {"ci_low": None, "ci_high": None}


def _units(objectives: Sequence[Objective], keys: tuple[str, ...]) -> dict[tuple[str, ...], list[Mapping[str, int]]]:
    found: dict[tuple[str, ...], list[Mapping[str, int]]] = {}
    for objective in objectives:
        values = tuple(objective_tag(objective, key) or UNTAGGED for key in keys)
        found.setdefault(values, []).append(objective.counts)
    return found


def with_ratios(
    own: Mapping[str, Mapping[str, Mapping[str, Any]]], ratios: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return a run's slices with the ratios beside the primary score."""
    return {
        key: {name: _joined(entry, ratios[key][name]) for name, entry in slices.items()} for key, slices in own.items()
    }


def _joined(entry: Mapping[str, Any], facts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    values = {name: found["value"] for name, found in facts.items()}
    intervals = {name: {part: found[part] for part in _INTERVAL} for name, found in facts.items()}
    return {**entry, **values, "intervals": {**entry["intervals"], **intervals}}
