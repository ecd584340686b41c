"""`steelyard validate FILE`: check an eval set."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.output import print_json
from steelyard.reading.evalset import validate_evalset
from steelyard.show.evalset import evalset_errors_text, evalset_text

INVALID = 3


@click.command("validate", epilog="Example: steelyard validate evalsets/eval_v2.jsonl")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--min-items", default=50, show_default=True, type=click.IntRange(min=0), help="How many items it needs.")
@click.option("--quiet", is_flag=True, help="Print only what is wrong.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def validate_command(file: Path, min_items: int, *, quiet: bool, as_json: bool) -> None:
    """Check an eval set and print its composition. Exit 0 valid, 3 invalid."""
    report = validate_evalset(file, min_items=min_items)
    if as_json:
        print_json(report.as_dict())
    elif quiet:
        click.echo(evalset_errors_text(report), err=True, nl=False)
    else:
        click.echo(evalset_text(report), nl=False)
    if not report.valid:
        raise click.exceptions.Exit(INVALID)
