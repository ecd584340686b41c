"""Plots of an evaluation of conversations, as PNG for people and SVG for documents.

Matplotlib draws both, from one figure: its fonts come with it and the Agg renderer is its own, so the same numbers give
the same bytes. Dates and versions are left out of the files.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

INK, MUTED, LINE, BAR = "#1b1f24", "#57606a", "#0b5cad", "#9ec9f0"
_SETTINGS: Any = {
    "svg.hashsalt": "steelyard",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
_METADATA: dict[str, dict[str, None]] = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


@dataclass(frozen=True, slots=True)
class _Series:
    """Values by a whole number, each with n and interval."""

    keys: Sequence[str]
    values: Sequence[float]
    below: Sequence[float]
    """How far down the interval reaches."""
    above: Sequence[float]
    counts: Sequence[int]

    @classmethod
    def of(cls, means: Mapping[str, float | None], details: Mapping[str, Mapping[str, Any]]) -> _Series:
        keys = [key for key, value in means.items() if value is not None]
        values = [float(means[key] or 0.0) for key in keys]
        lows = [_end(details[key]["ci_low"], value) for key, value in zip(keys, values, strict=True)]
        highs = [_end(details[key]["ci_high"], value) for key, value in zip(keys, values, strict=True)]
        below = [max(0.0, value - low) for value, low in zip(values, lows, strict=True)]
        above = [max(0.0, high - value) for value, high in zip(values, highs, strict=True)]
        return cls(keys, values, below, above, [details[key]["n"] for key in keys])


def _end(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else float(value)


def conversation_plots(statistics: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield the file name and content of each plot; a plot of no values is left out."""
    for name, title, label, source in (
        ("accuracy_by_turn", "Numerical accuracy by turn", "turn (from 0)", "accuracy_by_turn_number"),
        (
            "accuracy_by_operations",
            "Numerical accuracy by operations of the plan",
            "operations",
            "accuracy_by_operations",
        ),
        (
            "accuracy_by_program_operations",
            "Numerical accuracy by operations of the gold program",
            "operations",
            "accuracy_by_program_operations",
        ),
    ):
        series = _Series.of(statistics[source], statistics[f"{source}_details"])
        beside = statistics["avg_operations_by_turn"] if source == "accuracy_by_turn_number" else {}
        if series.keys:
            for kind, content in _drawn(series, title, label, beside):
                yield f"{name}.{kind}", content


def _drawn(
    series: _Series, title: str, label: str, operations: Mapping[str, float | None]
) -> Iterator[tuple[str, bytes]]:
    from matplotlib import rc_context  # noqa: PLC0415 - takes a second to import
    from matplotlib.figure import Figure  # noqa: PLC0415

    with rc_context(_SETTINGS):
        figure = Figure(figsize=(7.5, 4.2), dpi=120, layout="constrained")
        axes = figure.add_subplot()
        _accuracy(axes, series)
        _frame(axes, title, label)
        if any(operations.get(key) is not None for key in series.keys):
            _operations(axes, series, operations)
        for kind, metadata in _METADATA.items():
            stream = io.BytesIO()
            figure.savefig(stream, format=kind, metadata=metadata)
            yield kind, stream.getvalue()


def _accuracy(axes: Any, series: _Series) -> None:
    places = range(len(series.keys))
    axes.errorbar(
        places,
        series.values,
        yerr=[series.below, series.above],
        color=LINE,
        marker="o",
        linewidth=2,
        capsize=4,
        elinewidth=1.2,
        zorder=3,
        label="numerical accuracy, 95 % interval",
    )
    labels = [f"{key}\nn={count}" for key, count in zip(series.keys, series.counts, strict=True)]
    axes.set_xticks(list(places), labels)
    axes.set_xlim(-0.5, len(series.keys) - 0.35)
    for place, value in zip(places, series.values, strict=True):
        axes.annotate(
            f"{value:.2f}",
            (place, value),
            xytext=(7, 6),
            textcoords="offset points",
            fontsize=9.5,
            color=LINE,
            zorder=4,
            bbox={"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 0.8},
        )


def _frame(axes: Any, title: str, label: str) -> None:
    axes.set_title(title, loc="left", fontweight="bold", pad=28)
    axes.set_xlabel(label)
    axes.set_ylabel("numerical accuracy")
    axes.set_ylim(-0.04, 1.08)
    axes.grid(axis="y", color="#d0d7de", linewidth=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False, fontsize=9.5, borderaxespad=0.2)


def _operations(axes: Any, series: _Series, operations: Mapping[str, float | None]) -> None:
    """Draw the average number of operations behind the accuracy, on a scale of its own."""
    second = axes.twinx()
    second.set_zorder(axes.get_zorder() - 1)
    axes.patch.set_visible(False)
    heights = [operations.get(key) or 0.0 for key in series.keys]
    second.bar(range(len(heights)), heights, width=0.5, color=BAR, alpha=0.55, label="average operations")
    second.set_ylim(0, max(1.0, max(heights) * 1.6))
    second.set_ylabel("average operations", color=MUTED)
    second.spines[["top"]].set_visible(False)
    second.legend(loc="lower right", bbox_to_anchor=(1, 1.0), frameon=False, fontsize=9.5, borderaxespad=0.2)
