"""Evidence gates in the HTML report of a run: the four gates, then objectives with claims and evidence side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.show import html_parts as parts
from steelyard.show.html_parts import number, text

LISTED_CLAIMS = 20
LISTED_NAMES = 20
_NUMERIC = frozenset({1, 2, 3})

Facts = Mapping[str, Any]


def gates(results: Facts) -> str:
    """Return the four gates with counts, threshold and status, and what stands outside them."""
    research = results.get("research")
    if not research:
        return ""
    lines = [
        [
            text(gate["title"]),
            number(gate["value"]),
            f"{gate['numerator']:,} / {gate['denominator']:,}",
            text(gate["condition"]),
            _status(gate["status"]),
        ]
        for gate in research["gates"]
    ]
    table = parts.table(("gate", "value", "counts", "threshold", "status"), lines, _NUMERIC)
    return parts.section(f"Evidence gates: {research['status']}", table, *_outside(research), anchor="gates")


def _status(status: str) -> str:
    kind = "chip bad" if status == "FAIL" else "chip"
    return f'<span class="{kind}">{text(status)}</span>'


def _outside(research: Facts) -> list[str]:
    """Return golden queries without a run, runs without one, and runs that cannot be read."""
    unreadable = [f"{entry['run']}: {entry['problems'][0]['message']}" for entry in research["unreadable_runs"]]
    extra = [f"{entry['run']}: {entry['objective']}" for entry in research["runs_without_entry"]]
    steps = research["steps_without_manifest"]
    unrecorded = [f"{entry['run']}: {entry['step_id']}" for entry in steps["listed"]]
    return [
        _names("Golden queries without a run", research["entries_without_run"]),
        _names("Runs without a golden query", extra),
        _names("Unreadable runs", unreadable),
        _names("Steps without a manifest", unrecorded, total=steps["total"]),
    ]


def _names(title: str, names: Sequence[str], *, total: int | None = None) -> str:
    count = len(names) if total is None else total
    if not count:
        return ""
    listed = "".join(f"<li>{text(name)}</li>" for name in names[:LISTED_NAMES])
    hidden = count - min(len(names), LISTED_NAMES)
    more = f"<li>and {hidden:,} more</li>" if hidden else ""
    return f'<h3>{text(title)}: {count:,}</h3><ul class="small">{listed}{more}</ul>'


def objectives(results: Facts) -> str:
    """Return the objectives with the lowest scores: what was asked, claimed and shown."""
    shown = results.get("research", {}).get("objectives", {})
    entries = [_objective(place, entry) for place, entry in enumerate(shown.get("listed", ()), start=1)]
    said = f"{len(entries):,} of {shown.get('total', 0):,} objectives, the lowest score first."
    intro = f'<p class="soft small">{said}</p>' if entries else ""
    return parts.section("Objectives, claims and evidence", intro, *entries, anchor="objectives")


def _objective(place: int, entry: Facts) -> str:
    name = entry["objective"] if entry["objective"] is not None else entry["item_id"]
    lead = f'<span class="lead">{text(name)} <b>{text(entry["explain"])}</b></span>'
    summary = f'<summary><span class="rank">{place}</span><span>{number(entry["score"])}</span>{lead}</summary>'
    missing = [f"missing {name}" for name in entry["missing_evidence_ids"]]
    facts = f'<div class="pair"><div class="wide">{parts.chips([*entry["error_tags"], *missing], "bad")}</div></div>'
    runs = "".join(_run(run) for run in entry["run_facts"])
    hidden = len(entry["runs"]) - len(entry["run_facts"])
    more = f'<p class="soft small">and {hidden} more runs</p>' if hidden else ""
    return f"<details{' open' if place == 1 else ''}>{summary}{facts}{runs}{more}</details>"


def _run(run: Facts) -> str:
    """Return one run: its claims to the left, the evidence of each to the right."""
    facts = [run["run"], run["stop_reason"] or "unreadable", f"{run['steps']} steps"]
    unrecorded = len(run["steps_without_manifest"])
    facts += [f"{unrecorded} without a manifest"] if unrecorded else []
    cites = any(claim["evidence"] for claim in run["claims"])
    facts += ["no chunks to check quotes against"] if cites and not run["quotes_checked"] else []
    head = f'<div class="wide"><p class="label">{text(" · ".join(facts))}</p></div>'
    wrong = [f"{problem['file']}: {problem['message']}" for problem in run["problems"][:3]]
    problems = f'<div class="wide">{parts.chips(wrong, "bad")}</div>' if wrong else ""
    claims = "".join(_claim(claim) for claim in run["claims"][:LISTED_CLAIMS])
    hidden = len(run["claims"]) - LISTED_CLAIMS
    more = f'<div class="wide soft small">and {hidden} more claims</div>' if hidden > 0 else ""
    return f'<div class="pair">{head}{problems}{claims}{more}</div>'


def _claim(claim: Facts) -> str:
    facts = [f"claim {claim['claim_id']}", claim["status"]]
    if claim["status"] == "verified":
        facts.append("covered" if claim["covered"] else "not covered")
    label = f'<p class="label">{text(" · ".join(facts))}</p>'
    evidence = "".join(_evidence(piece) for piece in claim["evidence"])
    shown = evidence or '<p class="label">evidence</p><p class="text soft">it cites none</p>'
    return f"<div>{label}{parts.block(claim['claim_text'])}</div><div>{shown}</div>"


def _evidence(piece: Facts) -> str:
    place = [str(piece[key]) for key in ("source_id", "chunk_id") if piece.get(key) is not None]
    facts = [str(piece["evidence_id"] or "inline"), *place, *_locator(piece)]
    label = f'<p class="label">{text(" · ".join(facts))}</p>'
    quote = piece.get("quote")
    words = parts.block(quote) if isinstance(quote, str) and quote.strip() else '<p class="text soft">no quote</p>'
    wrong = "" if piece["counts"] else parts.chips([piece["detail"]], "bad")
    return f'{label}{words}<div style="margin:5px 0 8px">{wrong}</div>'


def _locator(piece: Facts) -> list[str]:
    span = piece.get("span")
    if isinstance(span, dict):
        return [f"characters {span.get('start')} to {span.get('end')}"]
    return [f"page {piece['page']}"] if piece.get("page") is not None else []
