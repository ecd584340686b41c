"""`steelyard rescore RUN`: judge a run's stored predictions again.

Beside it `steelyard reproduce`.
"""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.eval import evaluation_content
from steelyard.cli.output import print_json, print_results
from steelyard.cli.progress import asking_progress, item_progress, training_progress
from steelyard.errors import escape
from steelyard.kinds.rejudging import RescoreOptions, rescore
from steelyard.kinds.reproduction import reproduce_run, verify_run
from steelyard.runs.places import Watching
from steelyard.show.rejudged import rejudged_lines
from steelyard.show.results import evaluation_text


@click.command("rescore", epilog="Example: steelyard rescore first --scorer text@v2")
@click.argument("run")
@click.option("--scorer", help="Judge by this scorer instead, as NAME@vN.")
@click.option("--task", "task_file", type=click.Path(path_type=Path), help="Judge by this task file instead.")
@click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def rescore_command(run: str, scorer: str | None, task_file: Path | None, runs_dir: Path, *, as_json: bool) -> None:
    """Judge a run's stored predictions again and derive its `eval/` anew; no model is asked.

    RUN is a directory, a name, an id, or `latest`. The dataset must be as it was. Of a baseline, the figures of before
    are printed beside those of now.
    """
    options = RescoreOptions(run=run, runs_dir=runs_dir, scorer=scorer, task_file=task_file)
    with item_progress(shown=not as_json) as progress:
        evaluation = rescore(options, Watching(judged=progress))
    if as_json:
        print_json(evaluation_content(evaluation))
    else:
        text = evaluation_text(evaluation.path, evaluation.run, evaluation.results)
        print_results("\n".join([text, *rejudged_lines(evaluation.before, evaluation.results)]))


# `steelyard reproduce`: whether a run can be made again.


DIFFERS = 3


@click.command("reproduce", epilog="Example: steelyard reproduce --run runs/first --verify-only")
@click.option("--run", required=True, help="The run: its directory, its name or its id.")
@click.option("--verify-only", is_flag=True, help="Compare configuration, data and environment; make nothing.")
@click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def reproduce_command(run: str, runs_dir: Path, *, verify_only: bool, as_json: bool) -> None:
    """Check that a run can be made again, or make it again. Exit 0 where everything matches, else 3."""
    if verify_only:
        found = verify_run(run, runs_dir)
    else:
        with training_progress(shown=not as_json) as training, asking_progress(shown=not as_json) as asking:
            found = reproduce_run(run, runs_dir, Watching(trained=training, asked=asking))
    if as_json:
        print_json(found.as_dict())
    else:
        for check in found.checks:
            click.echo(f"{check.what}: {'match' if check.matches else 'MISMATCH'} ({escape(check.detail)})")
        for difference in found.differences or ():
            click.echo(f"  {escape(difference)}")
        if found.again is not None:
            click.echo(f"made again as {found.again}")
        click.echo(f"verdict: {found.verdict}")
    if not found.holds:
        raise click.exceptions.Exit(DIFFERS)
