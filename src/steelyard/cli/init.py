"""`steelyard init`: a commented task file and gate policy to start from."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.output import print_json
from steelyard.tasks.starting import write_starting_files


@click.command("init", epilog="Example: steelyard init my-task && steelyard eval my-task/task.yaml --name first")
@click.argument("folder", default=Path(), type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def init_command(folder: Path, *, as_json: bool) -> None:
    """Write a commented task file and gate policy, with four items that they run on."""
    written = write_starting_files(folder)
    if as_json:
        print_json({"written": [str(path) for path in written]})
        return
    for path in written:
        click.echo(f"wrote {path}")
    click.echo(f"\nnext: steelyard eval {folder / 'task.yaml'} --name first")
