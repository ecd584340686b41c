"""`steelyard eval`: evaluate a task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.output import print_json, print_results
from steelyard.cli.progress import asking_progress, item_progress
from steelyard.cli.project import give_way, under_the_task
from steelyard.errors import Problem, UsageError, escape
from steelyard.kinds.task.order import evaluate
from steelyard.reading.references import Key, names_of, slice_keys
from steelyard.runs.places import Watching
from steelyard.runs.recording import FinishedRun, OverBudgetError
from steelyard.show.methods import method_lines
from steelyard.show.rejudged import rejudged_content, rejudged_lines
from steelyard.show.results import evaluation_text
from steelyard.show.unanswered import results_warnings
from steelyard.tasks.loading import EvaluateOptions, is_suite_file

# `steelyard eval` of more than one run: a suite's tasks, or repeats of one task.


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


ANSWER_TYPES = ("text", "choice", "number", "list", "reasoning", "label", "mixed")


def _names(value: str | None) -> tuple[str, ...] | None:
    return None if value is None else names_of(value)


def _slices(value: str | None) -> tuple[Key, ...] | None:
    return None if value is None else slice_keys(value)


@click.command(
    "eval",
    epilog="Example: steelyard eval --dataset evalsets/eval_v2.jsonl --predictions out.jsonl "
    "--scorer answer_correctness@v1 --name first",
)
@click.argument("task_file", metavar="[TASK.yaml]", required=False, type=click.Path(path_type=Path))
@click.option("--dataset", help="Items: a JSONL, JSON, CSV or Parquet file (.gz, .zst).")
@click.option("--predictions", help="Predictions by id, in the same formats.")
@click.option("--prediction-field", help="The field with the prediction, where a file has several systems' answers.")
@click.option("--run", help="Evaluate the model that this run trained.")
@click.option("--test-data", help="With --run: other items than the run's own.")
@click.option("--model", help="Ask a model: embedded, gguf:PATH, hf:PATH, openai:MODEL, replay:FILE, python:m:f, mock.")
@click.option("--resume", is_flag=True, help="Go on with the unfinished run of this name or configuration.")
@click.option("--retry-failed", is_flag=True, help="With --resume: ask failed items again.")
@click.option("--error-budget", type=click.FloatRange(min=0), default=0, show_default=True, help="Items that may fail.")
@click.option("--cache/--no-cache", default=True, help="Whether complete answers are kept and used again.")
@click.option("--concurrency", type=click.IntRange(min=1), help="Requests at a time.  [default: 16]")
@click.option("--deadline", type=click.FloatRange(min=0.01), help="Seconds for one item, retries included.")
@click.option("--batch-size", type=click.IntRange(min=1), help="Items at a time of a Hugging Face model.")
@click.option("--threads", type=click.IntRange(min=1), help="CPU threads of a local model.")
@click.option("--device", help="Where a Hugging Face model runs, such as cpu or cuda:0.")
@click.option("--answer-type", type=click.Choice(ANSWER_TYPES), help="What an answer is.")
@click.option("--limit", type=click.IntRange(min=1), help="Evaluate the first N items only.")
@click.option("--sample-size", type=click.IntRange(min=1), help="Evaluate a random sample of N items.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the sample.")
@click.option("--metrics", help="Metrics, separated by commas.")
@click.option("--scorer", help="The scorer, as NAME@vN.")
@click.option("--extract", help="How an answer is found in raw output, such as answer_line or last_number.")
@click.option("--slice-by", help="Tags to slice by, separated by commas; a+b crosses two.")
@click.option("--hard-examples", type=click.IntRange(min=0), help="How many hard examples to keep.")
@click.option("--cluster-by", help="The tag or field whose items are not independent; `none`: all of them are.")
@click.option("--profile", type=click.Path(), help="A scoring profile (YAML).")
@click.option("--model-name", help="What to call the model behind stored predictions.")
@click.option("--name", help="The run's name; without one it is dated.")
@click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
@click.option("--bad-rows", type=click.Choice(["refuse", "quarantine"]), default="refuse", show_default=True)
@click.option("--strict-ids", is_flag=True, help="Refuse predictions for ids that are not in the dataset.")
@click.option("--max-line-bytes", type=click.IntRange(min=1), help="Longest line that is read.")
@click.option("--max-depth", type=click.IntRange(min=1), help="Deepest nesting that is read.")
@click.option("--max-unpacked-bytes", type=click.IntRange(min=1), help="Most that one file may unpack to.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Cores that judge items.")
@click.option("--repeats", type=click.IntRange(min=2), help="Evaluate N times, and say how far repeats differ.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def eval_command(
    task_file: Path | None,
    *,
    run: str | None,
    test_data: str | None,
    repeats: int | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Evaluate a task: predictions to scorecards, metrics and a run.

    Give a task file, or --dataset with --answer-type or --scorer. Predictions come from --predictions, from the task,
    or from the rows of the dataset themselves.
    """
    if run is not None:
        _evaluate_trained(run, test_data, given, as_json=as_json)
        return
    options = _options(task_file, given)
    if repeats is not None or is_suite_file(task_file):
        evaluate_several(options, repeats=repeats, as_json=as_json)
        return
    try:
        with asking_progress(shown=not as_json) as asking, item_progress(shown=not as_json) as progress:
            evaluation = evaluate(options, Watching(judged=progress, asked=asking))
    except OverBudgetError as error:
        _print_over_budget(error, as_json=as_json)
        raise click.exceptions.Exit(error.exit_code) from None
    _print(evaluation, as_json=as_json)


def _print_over_budget(error: OverBudgetError, *, as_json: bool) -> None:
    """Print the figures of a run over its error budget, and what it is over."""
    if as_json:
        print_json(evaluation_content(error.finished) | {"error": error.as_dict()})
    else:
        _print(error.finished, as_json=False)
    click.echo(f"steelyard: {error}", err=True)


def _evaluate_trained(run: str, test_data: str | None, given: dict[str, Any], *, as_json: bool) -> None:
    from steelyard.kinds.training.trained import (  # noqa: PLC0415 - most evaluations have no training behind them
        TrainedOptions,
        evaluate_trained,
    )

    options = TrainedOptions(
        run=run,
        test_data=test_data,
        metrics=_names(given["metrics"]),
        slice_by=_slices(given["slice_by"]),
        hard_examples=given["hard_examples"],
        name=given["name"],
        runs_dir=given["runs_dir"],
        resume=given["resume"],
        retry_failed=given["retry_failed"],
    )
    with asking_progress(shown=not as_json) as asking, item_progress(shown=not as_json) as progress:
        evaluation = evaluate_trained(options, Watching(judged=progress, asked=asking))
    _print(evaluation, as_json=as_json)


def _print(evaluation: FinishedRun, *, as_json: bool) -> None:
    if as_json:
        print_json(evaluation_content(evaluation))
    else:
        text = evaluation_text(evaluation.path, evaluation.run, evaluation.results, evaluation.unknown_ids)
        print_results("\n".join([text, *rejudged_lines(evaluation.before, evaluation.results)]))


def _options(task_file: Path | None, given: dict[str, Any]) -> EvaluateOptions:
    give_way(given, "model", "predictions")
    under_the_task(task_file, given)
    if task_file is None and given["dataset"] is None:
        hint = "`steelyard eval TASK.yaml`, or --dataset FILE --predictions FILE --answer-type text"
        raise UsageError(Problem("usage", "neither a task file nor --dataset was given", hint=hint))
    given["metrics"] = _names(given["metrics"])
    given["slice_by"] = _slices(given["slice_by"])
    return EvaluateOptions(task_file=task_file, **given)


def evaluation_content(evaluation: FinishedRun) -> dict[str, Any]:
    """Return a finished evaluation as the JSON object that `--json` prints."""
    run = evaluation.run
    about = {"run_id": run.run_id, "name": run.name, "path": str(evaluation.path), "flags": run.flags}
    about |= {"warnings": results_warnings(run.name, evaluation.results, dry="mock" in run.flags)}
    return about | {**evaluation.results} | rejudged_content(evaluation.before, evaluation.results)
