"""`steelyard gate`: whether a run may ship.

Beside it `steelyard calibrate`, which says how often a gate is wrong.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from steelyard.cli.failures import machine_failure
from steelyard.cli.output import print_json
from steelyard.cli.progress import calibration_progress
from steelyard.errors import UNDECIDED, SteelyardError
from steelyard.reading.references import names_of
from steelyard.records.verdicts import Verdict
from steelyard.show.calibration import calibration_text
from steelyard.show.junit import refusal_junit, verdict_junit
from steelyard.show.verdict import refusal_markdown, verdict_markdown, verdict_text
from steelyard.store.files import machine_errors, write_bytes
from steelyard.verdicts.calibrating import CalibrateOptions, calibrate
from steelyard.verdicts.gating import GateOptions, gate

SUMMARY = "GITHUB_STEP_SUMMARY"


@click.command("gate", epilog="Example: steelyard gate candidate --against main --policy gates.yaml --junit gates.xml")
@click.argument("run")
@click.option("--against", help="The baseline's name, or a run, that the run is held against.")
@click.option(
    "--policy", type=click.Path(path_type=Path), help="Gates (YAML); without it the task's own, or the default."
)
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit XML there, one case per gate.")
@click.option("--verify", is_flag=True, help="Judge stored outputs again first, to catch items that were changed.")
@click.option("--top", default=10, show_default=True, type=click.IntRange(min=0), help="Failing items to list.")
@click.option(
    "--allow", multiple=True, metavar="FIELD", help="Decide though this differs from the baseline: dataset, scorer, …"
)
@click.option("--format", "kind", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Same as --format json.")
@click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
def gate_command(*, junit: Path | None, kind: str, as_json: bool, allow: tuple[str, ...], **given: Any) -> None:
    """Turn a run and its comparison into a verdict. Exit 0 passed, 1 a gate failed, 3 undecided.

    RUN is a run or an evaluated suite. Without a policy: no drop in the primary metric beyond 0.02 that the paired test
    shows, and no new skipped items. The verdict is the last line on standard error.
    """
    allowed = tuple(part for entry in allow for part in names_of(entry))
    verdict = _held(GateOptions(allow=allowed, **given), junit)
    _write(verdict, junit)
    kind = "json" if as_json else kind
    if kind == "json":
        print_json(verdict.as_dict())
    else:
        click.echo(verdict_markdown(verdict) if kind == "markdown" else verdict_text(verdict))
    click.echo(f"steelyard: {verdict.line}", err=True)
    if verdict.exit_code:
        raise click.exceptions.Exit(verdict.exit_code)


def _write(verdict: Verdict, junit: Path | None) -> None:
    """Write the files of a verdict; where one cannot be, CI must not take what stands there for the verdict."""
    try:
        if junit is not None:
            write_bytes(junit, verdict_junit(verdict))
        summarise(verdict_markdown(verdict))
    except SteelyardError as error:
        error.verdict = f"NO VERDICT ({error.problems[0].code})"
        raise


def _held(options: GateOptions, junit: Path | None) -> Verdict:
    """Hold the gate; one that is refused leaves its error where CI looks for a verdict, never a file of last time."""
    try:
        return gate(options)
    except SteelyardError as error:
        raise _refused(error, options, junit) from None
    except (OSError, MemoryError) as error:
        raise _refused(machine_failure(error), options, junit) from error


def _refused(error: SteelyardError, options: GateOptions, junit: Path | None) -> SteelyardError:
    word = "UNDECIDED" if error.exit_code == UNDECIDED else "NO VERDICT"
    error.verdict = f"{word} ({error.problems[0].code})"
    if junit is not None:
        write_bytes(junit, refusal_junit(str(options.run), error.problems))
    summarise(refusal_markdown(error.verdict, error.problems))
    return error


def summarise(markdown: str) -> None:
    """Append the verdict to the summary of a GitHub job, where there is one."""
    target = os.environ.get(SUMMARY)
    if target:
        with (
            machine_errors(Path(target)),
            Path(target).open("a", encoding="utf-8", errors="backslashreplace") as stream,
        ):
            stream.write(markdown)


# `steelyard calibrate`: how often a gate is wrong on the items it will be used on.


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
