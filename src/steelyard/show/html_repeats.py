"""What the repeats of a run say together, in its HTML report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.show import html_parts as parts
from steelyard.show.html_parts import ends, number, text


def repeats_section(report: Mapping[str, Any]) -> str:
    """Return the metrics over repeats, and how far repeats differ by chance."""
    said = f"{report['repeats']} repeats · two of them differ on {100 * report['flip_rate']:.1f} % of items"
    return parts.section(
        "Repeats",
        f'<p class="soft">{said} · {report["n_flaky"]:,} flaky items</p>',
        _over_repeats(report.get("over_repeats", {})),
        _noise(report.get("metrics", {})),
        anchor="repeats",
    )


def _over_repeats(metrics: Mapping[str, Any]) -> str:
    lines = [
        [text(name), number(entry["value"]), ends(entry), text(entry.get("n_tied", "")), text(entry["signature"])]
        for name, entry in metrics.items()
    ]
    header = ["metric", "value", "95 % interval", "tied items", "signature"]
    return parts.table(header, lines, frozenset({1, 2, 3})) + parts.methods(metrics)


def _noise(metrics: Mapping[str, Any]) -> str:
    lines = [
        [text(name), ", ".join(map(number, entry["values"])), number(entry["noise_floor"])]
        for name, entry in metrics.items()
        if entry.get("noise_floor") is not None
    ]
    return parts.table(["number", "each repeat", "noise floor"], lines, frozenset({1, 2}))
