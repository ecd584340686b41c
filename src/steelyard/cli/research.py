"""`steelyard research`: evidence gates for a research agent's stored artifacts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import click

from steelyard.cli.progress import item_progress
from steelyard.kinds.research.order import ResearchEvaluation, ResearchOptions, evaluate_research
from steelyard.runs.places import Watching
from steelyard.show.research import research_json, research_text
from steelyard.store.files import replacing

EXIT_CODES = {"PASS": 0, "FAIL": 1, "UNDECIDED": 3, "SYSTEM_ERROR": 3}
"""The exit code of each status of a report."""

_GATES = ("evidence_coverage_rate", "golden_recall", "abstention_accuracy", "manifest_integrity")
_SHARE = click.FloatRange(0, 1)


@click.command(
    "research",
    epilog="Example: steelyard research --golden examples/research/golden_queries.json "
    "--outputs examples/research/outputs --name agent-1",
)
@click.option("--golden", required=True, type=click.Path(path_type=Path), help="Golden queries (JSON).")
@click.option("--outputs", required=True, type=click.Path(path_type=Path), help="The folder with the run folders.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--report", type=click.Path(path_type=Path), help="Write the report here too; JSON if named .json.")
@click.option("--gates", "gates_file", type=click.Path(path_type=Path), help="Thresholds (YAML or JSON).")
@click.option("--min-evidence-coverage-rate", type=_SHARE, help="Threshold of that gate; 0.95 by default.")
@click.option("--min-golden-recall", type=_SHARE, help="Threshold of that gate; 0.80 by default.")
@click.option("--min-abstention-accuracy", type=_SHARE, help="Threshold of that gate; 0.90 by default.")
@click.option("--min-manifest-integrity", type=_SHARE, help="Threshold of that gate; 1.00 by default.")
@click.option("--agent", help="What to call the agent behind the runs.")
@click.option("--slice-by", help="Tags of golden queries to slice by, separated by commas; a+b crosses two.")
@click.option("--name", help="The name of the evaluation as a run; without one it is dated.")
@click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
@click.option("--no-store", is_flag=True, help="Report only: leave no run behind.")
def research_command(*, form: Literal["text", "json"], as_json: bool, report: Path | None, **given: Any) -> None:
    """Judge a research agent's stored artifacts against golden queries.

    Exit 0 when every gate passes, 1 when one fails, 3 on SYSTEM_ERROR or when no gate applies.
    """
    form = "json" if as_json else form
    with ExitStack() as stack:
        with item_progress(shown=form == "text") as progress:
            evaluation = stack.enter_context(evaluate_research(_options(given), Watching(judged=progress)))
        if report is not None:
            _write(report, evaluation, "json" if report.suffix == ".json" else form)
        for piece in _pieces(evaluation, form):
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
    _conclude(evaluation)


def _options(given: dict[str, Any]) -> ResearchOptions:
    thresholds = {name: given[f"min_{name}"] for name in _GATES if given[f"min_{name}"] is not None}
    keys = (given["slice_by"] or "").split(",")
    return ResearchOptions(
        golden=given["golden"],
        outputs=given["outputs"],
        gates_file=given["gates_file"],
        thresholds=thresholds,
        agent=given["agent"],
        slice_by=tuple(tuple(part.strip() for part in key.split("+")) for key in keys if key.strip()),
        name=given["name"],
        runs_dir=given["runs_dir"],
        store=not given["no_store"],
    )


def _write(path: Path, evaluation: ResearchEvaluation, form: str) -> None:
    with replacing(path) as stream:
        for piece in _pieces(evaluation, form):
            stream.write(piece)


def _pieces(evaluation: ResearchEvaluation, form: str) -> Iterator[bytes]:
    report, objectives = evaluation.report, evaluation.objective_facts()
    if form == "text":
        yield research_text(report, objectives).encode("utf-8", "backslashreplace")
        return
    for piece in research_json(report, objectives, evaluation.run_facts()):
        yield piece.encode()


def _conclude(evaluation: ResearchEvaluation) -> None:
    """Say the verdict last on standard error, and leave with its exit code."""
    status = evaluation.report["status"]
    failed = sum(gate["status"] == "FAIL" for gate in evaluation.report["gates"])
    if evaluation.run is not None:
        click.echo(f"run: {evaluation.run.path}", err=True)
    match status:
        case "FAIL":
            verdict = f"FAIL ({failed} of {len(_GATES)} gates)"
        case "SYSTEM_ERROR":
            verdict = f"SYSTEM_ERROR ({evaluation.report['missing_requirements'][0]['requirement']})"
        case "UNDECIDED":
            verdict = "UNDECIDED (no gate applies)"
        case _:
            verdict = status
    click.echo(f"steelyard: {verdict}", err=True)
    if EXIT_CODES[status]:
        raise click.exceptions.Exit(EXIT_CODES[status])
