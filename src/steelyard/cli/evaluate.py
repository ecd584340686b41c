"""`steelyard evaluate`: conversations over numbers (page 40)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.eval import evaluation_content
from steelyard.cli.output import print_json
from steelyard.cli.progress import asking_progress, item_progress
from steelyard.cli.project import give_way
from steelyard.kinds.conversations.options import ConversationOptions
from steelyard.kinds.conversations.order import evaluate_conversations
from steelyard.runs.places import Watching
from steelyard.show.conversation_text import conversation_text

SHIPPED_DATASET = (
    "No dataset was named: these are the conversations that ship with Steelyard, evalsets:conversations_v1."
)
SHIPPED = f"""{SHIPPED_DATASET}
No model was named either: their stored traces are judged, which no model wrote.
To ask a model: steelyard evaluate --sample-size 100 --model SPEC, with --dataset FILE for your own conversations;
or name `dataset` and `model` in steelyard.yaml."""


@click.command(
    "evaluate",
    epilog="Example: steelyard evaluate --dataset convfinqa.json --sample-size 100 --seed 42 --model embedded",
)
@click.option(
    "--dataset",
    type=click.Path(path_type=Path),
    help="Conversations in ConvFinQA's shape.  [default: those that ship, evalsets:conversations_v1]",
)
@click.option("--sample-size", type=click.IntRange(min=1), help="Evaluate a stratified sample of N conversations.")
@click.option("--seed", type=int, default=42, show_default=True, help="Seed of the sample.")
@click.option("--model", help="The model that solves the turns: embedded, openai:NAME, python:module:function, …")
@click.option(
    "--traces", type=click.Path(path_type=Path), help="Stored traces: a folder, or a file of traces or turns."
)
@click.option("--max-retries", type=click.IntRange(min=0), default=2, show_default=True, help="Returns of a bad plan.")
@click.option("--no-validation", is_flag=True, help="Run plans without a look at them.")
@click.option(
    "--history",
    type=click.Choice(["own", "gold"]),
    default="own",
    show_default=True,
    help="Whose earlier answers a turn is given: the solver's own, or the references.",
)
@click.option("--concurrency", type=click.IntRange(min=1), help="Requests to an endpoint at a time.")
@click.option(
    "--deadline", type=click.FloatRange(min=0, min_open=True), help="Seconds for one request, retries included."
)
@click.option("--threads", type=click.IntRange(min=1), help="CPU threads of a local model.")
@click.option("--model-name", help="What to call the model behind stored traces.")
@click.option("--name", help="The run's name; without one it is dated.")
@click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
@click.option("--resume", is_flag=True, help="Go on with the run of that name where it stopped.")
@click.option("--no-plots", is_flag=True, help="Leave out the plots.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def evaluate_command(*, as_json: bool, no_validation: bool, no_plots: bool, **given: Any) -> None:
    """Evaluate multi-turn numeric question answering.

    Turns come from stored traces (--traces) or are solved by a model (--model): a Python callable answers them itself,
    any other model writes a plan that is checked and computed. Without either, the traces that ship are judged.
    """
    give_way(given, "model", "traces")
    if given["dataset"] is None and given["traces"] is None:
        click.echo(SHIPPED if given["model"] is None else SHIPPED_DATASET, err=True)
    options = ConversationOptions(validation=not no_validation, plots=not no_plots, **given)
    with asking_progress(shown=not as_json) as asking, item_progress(shown=not as_json) as progress:
        evaluation = evaluate_conversations(options, Watching(judged=progress, asked=asking))
    if as_json:
        print_json(evaluation_content(evaluation))
    else:
        click.echo(conversation_text(evaluation.path, evaluation.run, evaluation.results, evaluation.unknown_ids))
