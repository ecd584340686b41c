"""`steelyard validate FILE`: check an eval set."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.output import print_json
from steelyard.datasets.evalset import validate_evalset
from steelyard.datasets.shipped import opened_path, own_size
from steelyard.show.evalset import evalset_errors_text, evalset_text

INVALID = 3
LEAST = 50
"""How many items a set needs where nobody says otherwise."""


@click.command("validate", epilog="Example: steelyard validate evalsets/eval_v2.jsonl")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--min-items", type=click.IntRange(min=0), help="How many items it needs.  [default: 50]")
@click.option("--quiet", is_flag=True, help="Print only what is wrong.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def validate_command(file: Path, min_items: int | None, *, quiet: bool, as_json: bool) -> None:
    """Check an eval set and print its composition. Exit 0 valid, 3 invalid."""
    file = opened_path(file)
    least = min_items if min_items is not None else own_size(file) or LEAST
    report = validate_evalset(file, min_items=least)
    if as_json:
        print_json(report.as_dict())
    elif quiet:
        click.echo(evalset_errors_text(report), err=True, nl=False)
    else:
        click.echo(evalset_text(report), nl=False)
    if not report.valid:
        raise click.exceptions.Exit(INVALID)
