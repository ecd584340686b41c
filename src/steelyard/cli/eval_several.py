"""`steelyard eval` of more than one run: a suite's tasks, or repeats of one task."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.output import print_json, print_results
from steelyard.cli.progress import asking_progress, item_progress
from steelyard.errors import Problem, UsageError, escape
from steelyard.kinds.task.order import evaluate
from steelyard.runs.places import Watching
from steelyard.runs.recording import FinishedRun
from steelyard.show.methods import method_lines
from steelyard.show.results import evaluation_text
from steelyard.show.unanswered import results_warnings
from steelyard.tasks.loading import is_suite_file
from steelyard.tasks.options import EvaluateOptions


def evaluate_several(options: EvaluateOptions, *, repeats: int | None, as_json: bool) -> None:
    """Evaluate a suite, or one task several times, and print what came of it."""

    def run(one: EvaluateOptions) -> FinishedRun:
        with asking_progress(shown=not as_json) as asking, item_progress(shown=not as_json) as progress:
            return evaluate(one, Watching(judged=progress, asked=asking))

    if not is_suite_file(options.task_file):
        assert repeats is not None
        _repeats(options, repeats, run, as_json=as_json)
    elif repeats is not None:
        raise UsageError(
            Problem("usage", "--repeats goes with one task", hint="repeat the tasks of a suite one by one")
        )
    else:
        _suite(options, run, as_json=as_json)


def _suite(options: EvaluateOptions, run: Any, *, as_json: bool) -> None:
    from steelyard.kinds.suite import evaluate_suite  # noqa: PLC0415 - for suites only

    found = evaluate_suite(options, run=run)
    if as_json:
        runs = [_content(entry) for entry in found.evaluations]
        tasks = [{"task": entry.task, "path": entry.path, "error": entry.error} for entry in found.record.tasks]
        print_json({"suite": found.record.suite, "path": str(found.path), "tasks": tasks, "runs": runs})
    else:
        for entry in found.evaluations:
            print_results(evaluation_text(entry.path, entry.run, entry.results, entry.unknown_ids))
            click.echo("")
        click.echo(f"{found.record.suite}: {len(found.evaluations)} of {len(found.record.tasks)} tasks in {found.path}")
    if found.error is not None:
        raise found.error


def _repeats(options: EvaluateOptions, repeats: int, run: Any, *, as_json: bool) -> None:
    from steelyard.kinds.repeats import evaluate_repeats  # noqa: PLC0415 - for repeats only

    found = evaluate_repeats(options, repeats, run=run)
    if as_json:
        print_json({**_content(found.first), "repeats": found.report})
        return
    first, report = found.first, found.report
    print_results(evaluation_text(first.path, first.run, first.results, first.unknown_ids))
    click.echo(
        f"\n{report['repeats']} repeats: two of them differ on {report['flip_rate']:.1%} of items; "
        f"{report['n_flaky']} of {report['n_items']} items are flaky"
    )
    for name, entry in report["metrics"].items():
        if entry["noise_floor"] is not None:
            values = ", ".join(f"{value:.4f}" for value in entry["values"])
            mean = sum(entry["values"]) / len(entry["values"])
            click.echo(f"  {escape(name)}: {values}; mean {mean:.4f}, noise floor {entry['noise_floor']:.4f}")
    if any(entry["noise_floor"] is not None for entry in report["metrics"].values()):
        click.echo("  noise floor: two runs of this model differ by more in one of twenty pairs")
    for name, entry in report["over_repeats"].items():
        ties = f"; tied on {entry['n_tied']} of {entry['n']} items" if entry.get("n_tied") else ""
        click.echo(f"  {escape(name)} {entry['value']:.4f}  [{entry['ci_low']:.4f}, {entry['ci_high']:.4f}]{ties}")
    for line in method_lines(report["over_repeats"]):
        click.echo(line)
    for item in report["flaky"][:5]:
        click.echo(f"  flaky {escape(item['item_id'])}: passes {item['pass_rate']:.0%} of the time")


def _content(evaluation: FinishedRun) -> dict[str, Any]:
    run = evaluation.run
    warned = results_warnings(run.name, evaluation.results, dry="mock" in run.flags)
    about = {"run_id": run.run_id, "name": run.name, "path": str(evaluation.path), "warnings": warned}
    return about | evaluation.results
