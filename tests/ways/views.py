"""Verbs that look at runs: what a run is, what it found, its items, reports, lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.ways.places import BASE, GOOD, Place


def kind(place: Place) -> None:
    """The run says what it is."""
    assert [place.record(run)["kind"] for run in (BASE, GOOD)] == [place.way.kind] * 2


def show(place: Place) -> None:
    """`runs show` tells what is on disk, to people and to machines."""
    shown = place.call("runs show BASE --json").json
    assert shown["standing"] == "completed"
    assert (shown["run"], shown["results"]) == (place.record(BASE), place.results(BASE))
    assert place.record(BASE)["run_id"] in place.call("runs show BASE").out


def items(place: Place) -> None:
    """`runs items` lists every item, once."""
    page = place.call("runs items BASE --format json --limit 10000").json
    lines = place.call("runs items BASE --format jsonl")
    assert len({row["item_id"] for row in page["items"]}) == len(page["items"]) == len(lines.out.splitlines())
    assert page["total"] == place.record(BASE)["counts"]["n_items"] == len(page["items"]) > 0
    assert_no_invented_score(place, page["items"])


def assert_no_invented_score(place: Place, rows: list[dict[str, Any]]) -> None:
    if "mock" in place.record(BASE)["flags"]:
        assert {row["scorecard"]["primary_score"] for row in rows} == {None}
        assert place.record(BASE)["primary_score"] is None


def report(place: Place) -> None:
    """`report` writes one file with the run's figures."""
    _assert_report(place, "report GOOD --output report.html")


def report_compared(place: Place) -> None:
    """`report --compare` writes one file that holds a run against another."""
    _assert_report(place, "report GOOD --output report.html --compare BASE")


def _assert_report(place: Place, line: str) -> None:
    done = place.call(line)
    assert done.code == 0, done
    page = Path("report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert str(place.record(GOOD)["primary_metric"]) in page


def listed(place: Place) -> None:
    """`runs list` tells of a run what the run tells of itself."""
    _assert_listed(place, _rows(place))


def reindexed(place: Place) -> None:
    """An index that is made anew lists the same."""
    before = _rows(place)
    assert place.call("reindex").code == 0
    assert _rows(place) == before
    _assert_listed(place, before)


def _rows(place: Place) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = place.call("runs list --limit 100 --json").json["runs"]
    return rows


def _assert_listed(place: Place, rows: list[dict[str, Any]]) -> None:
    record = place.record(BASE)
    (row,) = [one for one in rows if one["run_id"] == record["run_id"]]
    for name in ("name", "status", "task", "primary_metric", "primary_score", "flags", "scorer_version"):
        assert row[name] == record[name], name
    assert row["n_items"] == record["counts"]["n_items"]
