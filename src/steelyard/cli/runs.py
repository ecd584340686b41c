"""`steelyard runs list|show|items`: the runs there are, one of them, its items.

Beside it `steelyard reindex`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from steelyard.cli.output import print_data_line, print_json, print_table
from steelyard.errors import Problem, UsageError, escape, excerpt, quoted
from steelyard.records.items import UNAVAILABLE
from steelyard.records.runs import STATUSES
from steelyard.runs.indexing import reindex
from steelyard.show.results import results_lines
from steelyard.show.unanswered import results_warnings

HEADER = ("run", "task", "model", "status", "items", "metric", "score", "created")
_runs_dir = click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_limit = click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 10_000), help="Rows on a page.")
_offset = click.option("--offset", default=0, show_default=True, type=click.IntRange(min=0), help="Rows to skip.")


@click.group("runs", epilog="Example: steelyard runs items latest --state unparsed --limit 5")
def runs_command() -> None:
    """List runs, show one, or look at its items."""


@runs_command.command("list", epilog="Example: steelyard runs list --task qa --limit 10")
@click.option("--task", help="Runs of this task only.")
@click.option("--model", help="Runs of this model only.")
@click.option("--status", type=click.Choice(STATUSES))
@click.option("--everywhere", is_flag=True, help="All folders that share the database, not this one alone.")
@_limit
@_offset
@_runs_dir
@_json
def list_command(runs_dir: Path, *, as_json: bool, **given: Any) -> None:
    """List runs, newest first."""
    from steelyard.runs.listing import list_page  # noqa: PLC0415 - the database library, for this command only

    rows, total = list_page(runs_dir, **given)
    if as_json:
        print_json({"runs": rows, "total": total, "offset": given["offset"], "limit": given["limit"]})
        return
    if rows:
        print_table(
            ["run", "task", "model", "status", "items", "metric", "score", "created"], [_row(row) for row in rows]
        )
    shown = f"{given['offset'] + 1} to {given['offset'] + len(rows)} of " if rows and len(rows) < total else ""
    click.echo(f"{shown}{total} runs", err=True)


def _row(row: dict[str, Any]) -> list[str]:
    crashed = row["standing"] == "crashed"
    score = "-" if row["primary_score"] is None else f"{row['primary_score']:.4f}"
    name = row["path"] if not row["flags"] else f"{row['path']} [{', '.join(row['flags'])}]"
    items = "-" if row["n_items"] is None else str(row["n_items"])
    return [
        name, row["task"], row["model"] or "-", "crashed" if crashed else row["status"], items,
        row["primary_metric"] or "-", "0.0000" if crashed else score,
        row["created_at"],
    ]  # fmt: skip


@runs_command.command("show", epilog="Example: steelyard runs show latest")
@click.argument("run")
@_runs_dir
@_json
def show_command(run: str, runs_dir: Path, *, as_json: bool) -> None:
    """Show one run: what it says of itself and what it found."""
    from steelyard.runs.listing import shown_run  # noqa: PLC0415 - Parquet, for this command only
    from steelyard.store.checking import damage_told  # noqa: PLC0415

    found = shown_run(runs_dir, run)
    if as_json:
        content = {"path": str(found.path), "run": msgspec.to_builtins(found.record), "results": found.results}
        standing = {"standing": found.standing, "baselines": found.baselines}
        warned = results_warnings(found.record.name, found.results, dry="mock" in found.record.flags)
        print_json(content | standing | {"verdicts": found.verdicts, "warnings": warned})
        return
    record = found.record
    click.echo(f"{escape(record.name)}  {record.run_id}  {record.status}  {found.path}")
    click.echo(f"  task {record.task}, model {escape(str(record.model.get('name')))}, created {record.created_at}")
    for name in found.baselines:
        click.echo(f"  baseline {name}")
    for verdict in found.verdicts[-3:]:
        against = f" against {escape(str(verdict['baseline']))}" if verdict["baseline"] else ""
        click.echo(f"  gate{against}: {verdict['line']} ({verdict['decided_at']})")
    if found.standing == "crashed":
        click.echo("  crashed: its process ended before every item had a state; it counts as 0.0 until it is resumed")
    elif found.results:
        with damage_told(found.path):
            lines = results_lines(record, found.results)
        click.echo("\n".join(lines))


@runs_command.command("items", epilog="Example: steelyard runs items latest --where difficulty=hard --failing")
@click.argument("run")
@click.option("--state", help="Items in this state: scored, unparsed, missing, failed, timeout.")
@click.option("--where", multiple=True, metavar="TAG=VALUE", help="Items whose tag has this value.")
@click.option("--failing", is_flag=True, help="Items that do not pass.")
@click.option("--sort", help="A number to sort by; -NAME sorts descending.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["table", "json", "jsonl"]),
    default="table",
    show_default=True,
    help="jsonl: {item_id, expected, predicted, correctness, eval_time_ms} of every item, one on a line.",
)
@_limit
@_offset
@_runs_dir
@_json
def items_command(run: str, where: tuple[str, ...], kind: str, *, as_json: bool, **given: Any) -> None:
    """Look at a run's items, in the dataset's order."""
    from steelyard.runs.items import ItemQuery, item_records, run_items  # noqa: PLC0415 - Parquet, on demand

    query = ItemQuery(run=run, where=_tags(where), **given)
    if kind == "jsonl" and not as_json:
        told = click.get_current_context().get_parameter_source("limit") is not ParameterSource.DEFAULT
        for record in item_records(query if told else replace(query, limit=None)):
            print_data_line(record)
        return
    rows, total = run_items(query)
    as_json = as_json or kind == "json"
    if as_json:
        print_json({"items": rows, "total": total, "offset": given["offset"], "limit": given["limit"]}, data=True)
        return
    if rows:
        header = ["item", "state", "score", "expected", "predicted", "why"]
        print_table(header, [_item(row) for row in rows], data=True)
    click.echo(f"{len(rows)} of {total} items", err=True)


def _tags(where: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for entry in where:
        key, equals, value = entry.partition("=")
        if not equals or not key:
            message = f"--where {quoted(entry)} is no tag and value"
            raise UsageError(Problem("usage", message, hint="--where difficulty=hard"))
        found[key] = value
    return found


def _item(row: dict[str, Any]) -> list[str]:
    card = row["scorecard"]
    dry = card["explain"] == UNAVAILABLE
    score = "unavailable" if dry else "-" if card["primary_score"] is None else f"{card['primary_score']:.4g}"
    texts = [excerpt(str(value))[:40] if value is not None else "-" for value in (row["expected"], row["predicted"])]
    return [excerpt(row["item_id"]), row["state"], score, *texts, excerpt(card["explain"] or "")]


# `steelyard reindex`: the run index, rebuilt.


@click.command("reindex", epilog="Example: steelyard reindex --runs-dir runs")
@click.option("--discard", is_flag=True, help="Throw the SQLite file away first: it is damaged, or of a newer version.")
@click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def reindex_command(runs_dir: Path, *, discard: bool, as_json: bool) -> None:
    """Rebuild the run index from the run directories."""
    count = reindex(runs_dir, discard=discard)
    if as_json:
        print_json({"runs": count})
    else:
        click.echo(f"indexed {count} runs")
