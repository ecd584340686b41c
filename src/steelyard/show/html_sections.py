"""The sections of a run's report, each from the results to HTML, or nothing where there is nothing to show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.registry import is_bounded
from steelyard.show import html_parts as parts
from steelyard.show.html_parts import number, text
from steelyard.show.unanswered import results_warnings
from steelyard.show.weak_slices import searched_lines, tested, weak_slices

LARGEST_MATRIX = 40
LISTED_SLICES = 40

Results = Mapping[str, Any]


def overview(results: Results) -> str:
    """Return the primary score with its interval, and the state of every item."""
    card, primary = results["scorecard"], results["primary_metric"]
    detail = results["metric_details"].get(primary, {})
    sure = f"95 % interval {parts.ends(detail)}, {text(detail['method'])}" if detail.get("ci_low") is not None else ""
    answered = f"{number(card['score_if_answered'])} over the {card['n_scored']:,} that were answered"
    lines = [text(primary), sure, answered if card["n_skipped"] else ""]
    score = f'<div class="score">{number(card["primary_score"])}<small>{"<br>".join(filter(None, lines))}</small></div>'
    warned = [parts.notice(line) for line in results_warnings("this run", results)]
    return parts.section("Score", *warned, f'<div class="hero">{score}<div>{_states(card)}</div></div>')


def _states(card: Results) -> str:
    states = {name: count for name, count in card["states"].items() if count}
    total = card["n_items"] or 1
    bars = "".join(
        f'<i class="{name}" style="width:{parts.percent(count / total)}"></i>' for name, count in states.items()
    )
    legend = "".join(f'<span><i class="{name}"></i>{name} {count:,}</span>' for name, count in states.items())
    return f'<div class="states">{bars}</div><div class="legend"><span>{total:,} items</span>{legend}</div>'


def metrics(results: Results) -> str:
    """Return every metric that is one number, then why others are not there."""
    lines = []
    for name, entry in results["metric_details"].items():
        if entry["n"]:
            lines.append(_metric(name, entry, results["primary_metric"]))
    missing = [f"{text(name)}: {text(reason)}" for name, reason in results["unavailable"].items()]
    empty = [text(name) for name, entry in results["metric_details"].items() if not entry["n"]]
    missing += [f"no item has a value for {', '.join(empty)}"] if empty else []
    unavailable = "".join(f'<p class="soft small">{reason}</p>' for reason in missing)
    shown = f"<h3>Not available</h3>{unavailable}" if unavailable else ""
    return parts.section("Metrics", parts.rows(lines), parts.methods(results["metric_details"]), shown)


def _metric(name: str, entry: Results, primary: str) -> str:
    lower = "lower is better" if entry.get("direction") == "lower" else ""
    facts = [parts.ends(entry), f"n={entry['n']:,}", text(entry["method"]) if parts.ends(entry) else "", lower]
    kind = "primary" if name == primary else ""
    # A line from 0 to 1 is for what cannot leave it: an error of 0.4 is no share.
    plot = "" if is_bounded(name) is False else parts.dot_plot(entry)
    return parts.row(name, plot, number(entry["value"]), " · ".join(filter(None, facts)), kind)


def format_rules(results: Results) -> str:
    """Return the pass rate of each format rule."""
    lines = [
        parts.row(name, parts.bar(entry["value"], entry["ci_low"], entry["ci_high"]), number(entry["value"]), _n(entry))
        for name, entry in results.get("format_rules", {}).items()
    ]
    return parts.section("Format rules", parts.rows(lines), parts.methods(results.get("format_rules", {})))


def _n(entry: Results) -> str:
    return " · ".join(filter(None, (parts.ends(entry), f"n={entry['n']:,}")))


def slices(results: Results) -> str:
    """Return each slice as a bar with its interval and its size."""
    primary, content = results["primary_metric"], []
    for key, values in results.get("slices", {}).items():
        listed = list(values.items())
        lines = [parts.row(name, _bar(primary, entry), number(entry[primary]), _n(entry)) for name, entry in listed]
        lines = lines[:LISTED_SLICES]
        hidden = len(listed) - len(lines)
        more = f'<p class="soft small">and {hidden} more in eval_results.json</p>' if hidden else ""
        content.append(f"<h3>{text(primary)} by {text(key)}</h3>{parts.rows(lines)}{more}")
    left_out = [f"{key} {reason}" for key, reason in results.get("slices_left_out", {}).items()]
    content += [f'<p class="soft small">{text(entry)}</p>' for entry in left_out]
    return parts.section("Slices", *content, parts.notice(results["notice"]) if content else "", anchor="slices")


def _bar(primary: str, entry: Results) -> str:
    """Return a slice's value as a bar, where it cannot leave the line from 0 to 1."""
    return "" if is_bounded(primary) is False else parts.bar(entry[primary], entry["ci_low"], entry["ci_high"])


def worst_slices(results: Results) -> str:
    """Return the slices that are below the rest beyond chance."""
    found = weak_slices(results)
    lines = [
        parts.row(
            entry["slice"],
            parts.bar(entry["value"], None, None),
            number(entry["value"]),
            f"{entry['difference']:+.4f} against the rest {_n(entry)} · p={entry['p_value']:.2g}",
            "weak",
        )
        for entry in found
    ]
    searched = " ".join(searched_lines(results)[1:])
    said = f"Tags and pairs of tags below the rest, p by {tested(found[0])}. {searched}" if found else searched
    intro = f'<p class="soft small">{text(said)}</p>' if said else ""
    return parts.section("Weak slices", intro, parts.rows(lines), parts.notice(results["notice"]) if lines else "")


def classes(results: Results) -> str:
    """Return precision, recall, F1 and support of each class, as far as they were asked for."""
    columns = {"precision_per_class": "precision", "recall_per_class": "recall", "f1_per_class": "F1", "support": "n"}
    known = {name: results["metrics"][name] for name in columns if name in results["metrics"]}
    labels = results.get("labels", []) if known else []
    lines = [[text(label), *(_cell(values[label]) for values in known.values())] for label in labels]
    header = ["class", *(columns[name] for name in known)]
    return parts.section("Classes", parts.table(header, lines, frozenset(range(1, len(header)))))


def _cell(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else number(value)


def confusion(results: Results) -> str:
    """Return the confusion matrix as a heat map: each row is a true label, shaded by its share of that label."""
    matrix = results["metrics"].get("confusion_matrix")
    if not matrix:
        return ""
    if len(matrix) > LARGEST_MATRIX:
        said = f"{len(matrix)} labels: the matrix is in confusion_matrix.json"
        return parts.section("Confusion matrix", f'<p class="soft">{said}</p>')
    head = "".join(f'<th scope="col"><span>{text(name)}</span></th>' for name in results["confusion_columns"])
    body = "".join(
        f'<tr><th scope="row">{text(label)}</th>{_heat(line, place)}</tr>'
        for place, (label, line) in enumerate(zip(results["labels"], matrix, strict=True))
    )
    said = '<p class="soft small">Rows are true labels, columns are predictions.</p>'
    return parts.section(
        "Confusion matrix",
        said,
        f'<div class="scroll"><table class="heat"><tr><th></th>{head}</tr>{body}</table></div>',
    )


def _heat(line: list[int], place: int) -> str:
    total = sum(line) or 1
    cells = []
    for column, count in enumerate(line):
        share = count / total
        kind = f"{'' if column == place else 'off '}{'hot' if share > 0.55 else ''}".strip()
        cells.append(f'<td class="{kind}" style="--heat:{share:.3f}">{count or ""}</td>')
    return "".join(cells)


def error_tags(results: Results) -> str:
    """Return how often each error tag was given."""
    tags, total = results["error_tags"], results["scorecard"]["n_items"] or 1
    lines = [
        parts.row(tag, parts.bar(count / total, None, None), f"{count:,}", f"{100 * count / total:.1f} % of items")
        for tag, count in list(tags.items())[:LISTED_SLICES]
    ]
    return parts.section("Error tags", parts.rows(lines))
