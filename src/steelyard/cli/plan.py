"""`steelyard plan`: how many items show a difference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.output import print_json
from steelyard.show.comparison import too_few
from steelyard.verdicts.planning import PlanOptions, plan


@click.command("plan", epilog="Example: steelyard plan --effect 0.02 --power 0.8 --baseline main")
@click.option("--effect", required=True, type=float, help="The difference that must not be missed, such as 0.02.")
@click.option("--power", default=0.8, show_default=True, type=float, help="How often it must be found.")
@click.option("--alpha", default=0.05, show_default=True, type=float, help="How often no difference may look like one.")
@click.option("--baseline", help="A baseline or a run whose variance, and repeats, say how items vary.")
@click.option("--metric", help="A per-item number; the baseline's primary one by default.")
@click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plan_command(*, as_json: bool, **given: Any) -> None:
    """Say how many items show a given difference in a paired comparison."""
    found = plan(PlanOptions(**given))
    if as_json:
        print_json(found.as_dict())
        return
    click.echo(
        f"{found.items} items show a difference of {found.effect:g} in {found.power:.0%} of cases, where there is one"
    )
    click.echo(
        f"  two-sided paired test at {found.alpha:g}; variance of a difference {found.variance_of_difference:.4f}"
    )
    click.echo(f"  from {found.basis}")
    if found.agreement is not None:
        click.echo(f"  agreement of repeats beyond chance: {found.agreement:.2f} (0 is none, 1 is complete)")
    if found.design_effect > 1:
        click.echo(
            f"  items of one conversation are not independent: {found.design_effect:.2f} times as many are needed"
        )
    if found.n_baseline is not None:
        detectable = found.detectable_with_baseline
        few = detectable is None or too_few(given["metric"] or "", detectable)
        shown = "are too few to show any difference" if few else f"can show a difference of {detectable:.4f} or more"
        click.echo(f"  the baseline's {found.n_baseline} items {shown}")
