"""`steelyard report`: a run as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.output import print_json
from steelyard.verdicts.reports import ReportOptions, write_run_report


@click.command("report", epilog="Example: steelyard report second --compare first --output second.html")
@click.argument("run")
@click.option("--compare", help="The baseline to hold the run against.")
@click.option("--output", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The file to write.")
@click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def report_command(*, output: Path, as_json: bool, **given: Any) -> None:
    """Write a run as one HTML file that needs nothing else, alone or held against another run."""
    write_run_report(ReportOptions(output=output, **given))
    if as_json:
        print_json({"output": str(output)})
    else:
        click.echo(f"wrote {output}", err=True)
