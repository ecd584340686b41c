"""`steelyard reindex`: the run index, rebuilt."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.output import print_json
from steelyard.runs.indexing import reindex


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
