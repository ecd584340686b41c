"""`steelyard baseline set|list|show`: names that point to runs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from steelyard.cli.output import print_json, print_table
from steelyard.errors import escape
from steelyard.runs.baselines import described_baseline, described_baselines, name_baseline

_runs_dir = click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group("baseline", epilog="Example: steelyard baseline set main nightly-2024-01-31")
def baseline_command() -> None:
    """Name a run that others are held against. A baseline moves only when it is set again."""


@baseline_command.command("set", epilog="Example: steelyard baseline set main nightly-2024-01-31")
@click.argument("name")
@click.argument("run")
@click.option("--allow-empty", is_flag=True, help="Take a run of which nothing was answered.")
@_runs_dir
@_json
def set_command(name: str, run: str, runs_dir: Path, *, allow_empty: bool, as_json: bool) -> None:
    """Point the baseline NAME at RUN, a completed run or an evaluated suite."""
    found = name_baseline(runs_dir, name, run, allow_empty=allow_empty)
    if as_json:
        print_json(asdict(found))
    else:
        click.echo(f"{found.name} points to {escape(found.path)}")


@baseline_command.command("list", epilog="Example: steelyard baseline list --json")
@_runs_dir
@_json
def list_command(runs_dir: Path, *, as_json: bool) -> None:
    """List every baseline with its run's score."""
    found = described_baselines(runs_dir)
    if as_json:
        print_json(found)
    elif found:
        print_table(["baseline", "run", "task", "metric", "score", "set"], [_row(entry) for entry in found])
    else:
        click.echo("no baseline is set: `steelyard baseline set NAME RUN`", err=True)


@baseline_command.command("show", epilog="Example: steelyard baseline show main")
@click.argument("name")
@_runs_dir
@_json
def show_command(name: str, runs_dir: Path, *, as_json: bool) -> None:
    """Show where one baseline points, and who moved it there, when and from where."""
    found = described_baseline(runs_dir, name)
    if as_json:
        print_json(found)
        return
    history = found.pop("history")
    for key, value in found.items():
        click.echo(f"{key}: {escape(str(value))}")
    for move in history:
        origin = "first set" if move["from"] is None else f"from {escape(move['from'])}"
        click.echo(f"  {move['set_at']} by {escape(str(move['set_by']))}: {origin} to {escape(move['to'])}")


def _row(entry: dict[str, Any]) -> list[str]:
    score = "-" if entry["score"] is None else f"{entry['score']:.4f}"
    where = f"{entry['path']} ({entry['problem']})" if "problem" in entry else entry["path"]
    return [entry["name"], where, str(entry["task"] or "-"), str(entry["metric"] or "-"), score, entry["set_at"]]
