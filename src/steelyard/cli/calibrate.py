"""`steelyard calibrate`: how often a gate is wrong on the items it will be used on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.output import print_json
from steelyard.cli.progress import calibration_progress
from steelyard.show.calibration import calibration_text
from steelyard.verdicts.calibrating import CalibrateOptions, calibrate


@click.command(
    "calibrate", epilog="Example: steelyard calibrate --baseline main --policy gates.yaml --flip-rate 0.05 --drop 0.03"
)
@click.option("--baseline", required=True, help="The baseline's name, or a run: its items and answers are drawn from.")
@click.option(
    "--policy", type=click.Path(path_type=Path), help="Gates (YAML); without it the task's own, or the default."
)
@click.option(
    "--flip-rate", type=float, help="Share of items whose score changes between equal runs; without it, from repeats."
)
@click.option("--drop", default=0.05, show_default=True, type=float, help="How much worse the worse runs are.")
@click.option("--simulations", default=1000, show_default=True, type=int, help="Imagined runs of each kind.")
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of the draws.")
@click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def calibrate_command(*, as_json: bool, **given: Any) -> None:
    """Say how often a policy fails runs that are as good as the baseline, and passes runs that are worse.

    Imagined runs are gated as real ones are. Equal runs differ from the baseline as its repeats differ from each
    other, or by a stated flip rate; worse runs have, besides, wrong answers that lower the primary metric by --drop.
    """
    options = CalibrateOptions(**given)
    with calibration_progress(shown=not as_json) as progress:
        found = calibrate(options, progress=progress)
    if as_json:
        print_json(found.as_dict())
    else:
        click.echo(calibration_text(found))
