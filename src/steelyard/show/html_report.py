"""A run as one HTML file that needs nothing else: no script, no font, no image from elsewhere.

It stands under `eval/`, so it says nothing that two runs over the same items would say differently. A room that has
more to show adds a section to `SECTIONS`: a function from the results to HTML, or to nothing where it has nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from steelyard.records.datasets import OverlapCounts
from steelyard.show import html_parts as parts
from steelyard.show import html_sections as sections
from steelyard.show.html_hard import hard_examples as hard_section
from steelyard.show.html_parts import STYLE, ends, number, text

if TYPE_CHECKING:
    from steelyard.records.comparisons import Comparison
    from steelyard.records.datasets import OverlapCounts
    from steelyard.records.training import LossCurve


# What a report says of rows that were both trained and tested on.


def overlap_section(found: OverlapCounts | None) -> str:
    """Return the notice of an overlap between what was trained and what was tested on; nothing where there is none."""
    if not found:
        return ""
    pairs = "".join(f"<li>{text(test)} ~ {text(train)}</li>" for test, train in found.examples)
    said = f"{found.told}. A score over such rows says what was learnt by heart."
    return parts.section(
        "Trained and tested on", parts.notice(said), f'<ul class="small">{pairs}</ul>', anchor="overlap"
    )


# What the repeats of a run say together, in its HTML report.


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


POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

Section = Callable[[Mapping[str, Any]], str]


def _where_there_is(part: str, module: str, name: str) -> Section:
    """Return a section that is loaded and shown where the results have the part of its kind of run."""

    def section(results: Mapping[str, Any]) -> str:
        if not results.get(part):
            return ""
        found: str = getattr(import_module(f"steelyard.show.{module}"), name)(results)
        return found

    return section


SECTIONS: tuple[Section, ...] = (
    sections.overview,
    _where_there_is("research", "research_html", "gates"),
    _where_there_is("conversations", "conversation_html", "conversations"),
    sections.metrics,
    sections.format_rules,
    sections.slices,
    sections.worst_slices,
    sections.confusion,
    sections.classes,
    sections.error_tags,
    _where_there_is("research", "research_html", "objectives"),
)


def report_html(
    run: Mapping[str, Any],
    results: Mapping[str, Any],
    hard_examples: Sequence[Mapping[str, Any]],
    comparison: Comparison | None = None,
    curves: Sequence[LossCurve] = (),
    repeats: Mapping[str, Any] | None = None,
    overlap: OverlapCounts | None = None,
) -> str:
    """Return the report of a run, held against another where a comparison is given, with what its repeats say.

    `run` has the fields of `run.json`; of those only what the items decide is shown, and the model where it is named.
    `curves` are the losses of a trained run, and of the one that it is held against; `overlap` is how far the dataset's
    rows to test on stand among those to train on.
    """
    compared = [] if comparison is None else [_compared(comparison)]
    compared += [] if repeats is None else [repeats_section(repeats)]
    trained = [_losses(curves)] if curves else []
    trained = [overlap_section(overlap), *trained]
    first, *others = (section(results) for section in SECTIONS)
    body = [*compared, first, *trained, *others, hard_section(results, hard_examples)]
    return page(str(run.get("task", "")), _facts(run), body, _footer(results))


def _losses(curves: Sequence[LossCurve]) -> str:
    from steelyard.show.html_losses import losses  # noqa: PLC0415 - for trainings alone

    return losses(curves)


def _compared(comparison: Comparison) -> str:
    from steelyard.show.html_comparison import comparison_section  # noqa: PLC0415 - most reports hold none

    return comparison_section(comparison)


def page(title: str, facts: str, body: Sequence[str], footer: str = "") -> str:
    """Return a whole page; the parts are HTML already, the title is not."""
    content = "\n".join(part for part in body if part)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n<title>{text(title)} · Steelyard</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<header><h1>{text(title)}</h1>{facts}</header>\n"
        f"<main>\n{content}\n</main>\n<footer>{footer}</footer>\n</body>\n</html>\n"
    )


def _facts(run: Mapping[str, Any]) -> str:
    model, dataset = run.get("model") or {}, run.get("dataset") or {}
    known = {
        "model": model.get("name"),
        "dataset": str(dataset.get("path", "")).replace("\\", "/").rsplit("/", maxsplit=1)[-1],
        "content": str(dataset.get("sha256") or "").removeprefix("sha256:")[:12],
        "answers": run.get("answer_type"),
        "scorer": run.get("scorer_version"),
        "prompt": run.get("prompt_version"),
        "task version": run.get("task_version"),
    }
    listed = "".join(f"<span>{name} <b>{text(value)}</b></span>" for name, value in known.items() if value)
    return f'<div class="facts">{listed}</div>'


def _footer(results: Mapping[str, Any]) -> str:
    signatures = [entry for listed in (results.get("signatures") or {}).values() for entry in listed]
    lines = "".join(f"<br><code>{text(entry)}</code>" for entry in signatures)
    version = text(results.get("steelyard_version", ""))
    return f"<p>Steelyard {version}. What can change these numbers:{lines}</p>"
