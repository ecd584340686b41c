"""The training loss in an HTML report: one curve, or two over one another."""

from __future__ import annotations

import math
from collections.abc import Sequence

from steelyard.records.training import LossCurve
from steelyard.show import html_parts as parts
from steelyard.show.html_parts import number, text

WIDTH, HEIGHT = 960, 260
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 10, 34
MOST_POINTS = 400
"""Longer curves are drawn by means over as many stretches of steps."""


def losses(curves: Sequence[LossCurve]) -> str:
    """Return the curves of trained runs over one another; where a run has none, that is said."""
    drawn = [curve for curve in curves if curve.steps]
    if not drawn:
        return ""
    missing = [
        f"{text(curve.label)} has no log of losses: it was not trained here" for curve in curves if not curve.steps
    ]
    said = "".join(f'<p class="soft small">{line}</p>' for line in missing)
    return parts.section("Training loss", _legend(drawn), _plot(drawn), said, _figures(drawn), anchor="losses")


def _legend(curves: Sequence[LossCurve]) -> str:
    if len(curves) < 2:
        return ""
    entries = "".join(
        f'<span><i class="loss{place}"></i>{text(curve.label)}</span>' for place, curve in enumerate(curves)
    )
    return f'<div class="legend">{entries}</div>'


def _figures(curves: Sequence[LossCurve]) -> str:
    lines = []
    for curve in curves:
        lowest = min(curve.losses)
        at = curve.steps[curve.losses.index(lowest)]
        ends = [number(curve.losses[0]), number(curve.losses[-1]), f"{number(lowest)} (step {at:,})"]
        lines.append([text(curve.label or "this run"), f"{curve.steps[-1]:,}", *ends])
    return parts.table(["run", "steps", "first", "last", "lowest"], lines, frozenset(range(1, 5)))


def _plot(curves: Sequence[LossCurve]) -> str:
    thinned = [_thinned(curve) for curve in curves]
    values = [loss for _, line in thinned for loss in line]
    ticks = nice_ticks(min(values), max(values))
    last = max(curve.steps[-1] for curve in curves)
    first = min(curve.steps[0] for curve in curves)

    def across(step: float) -> float:
        share = (step - first) / (last - first) if last > first else 0.5
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def down(loss: float) -> float:
        return TOP + (ticks[-1] - loss) / (ticks[-1] - ticks[0]) * (HEIGHT - TOP - BOTTOM)

    grid = "".join(
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{down(tick):.1f}" y2="{down(tick):.1f}"/>'
        f'<text x="{LEFT - 8}" y="{down(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
        for tick in ticks
    )
    labels = f'<text x="{LEFT}" y="{HEIGHT - 8}">step {first:,}</text>' + (
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end">step {last:,}</text>' if last > first else ""
    )
    lines = "".join(
        _line(place, [(across(step), down(loss)) for step, loss in zip(*line, strict=True)])
        for place, line in enumerate(thinned)
    )
    said = "Training loss by step"
    return (
        f'<svg class="losses" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{said}">{grid}{labels}{lines}</svg>'
    )


def _line(place: int, points: Sequence[tuple[float, float]]) -> str:
    if len(points) == 1:
        return f'<circle class="loss{place}" cx="{points[0][0]:.1f}" cy="{points[0][1]:.1f}" r="3.5"/>'
    listed = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="loss{place}" points="{listed}"/>'


def _thinned(curve: LossCurve) -> tuple[list[float], list[float]]:
    """Return steps and losses, by means over equal stretches where there are too many to draw."""
    size = math.ceil(len(curve.steps) / MOST_POINTS)
    places = range(0, len(curve.steps), size)
    return (
        [_mean(curve.steps[place : place + size]) for place in places],
        [_mean(curve.losses[place : place + size]) for place in places],
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def nice_ticks(low: float, high: float) -> list[float]:
    """Return four to seven round numbers that begin below `low` and end above `high`.

    >>> nice_ticks(0.31, 3.2)
    [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]
    """
    span = high - low or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(span / 5))
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= span / 6)
    first, last = math.floor(low / step), math.ceil(high / step)
    last += last == first
    return [round(place * step, 12) for place in range(first, last + 1)]
