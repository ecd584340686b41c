"""`steelyard train`: fine-tune a model and evaluate it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.output import print_json
from steelyard.cli.progress import asking_progress, item_progress, training_progress
from steelyard.errors import Problem, UsageError
from steelyard.kinds.training.order import Trained, train
from steelyard.kinds.training.planning import TrainOptions, plan_training
from steelyard.records.training import summary_content
from steelyard.runs.places import Watching
from steelyard.show.results import evaluation_text

_OVERRIDES = ("dataset", "base_model", "task", "epochs", "batch_size", "lr", "lora_r", "device", "seed")


@click.command("train", epilog="Example: steelyard train --config train.yaml --dataset ds_abc@v2 --name human-only")
@click.option("--config", type=click.Path(path_type=Path), help="The training file (YAML).")
@click.option("--dataset", help="A folder with train and test files, or NAME@v2.")
@click.option("--name", help="The run's name; without one it is dated.")
@click.option("--base-model", help="A folder of safetensors, or a model of the hub.")
@click.option("--task", type=click.Choice(["sft", "classification"]), help="What is trained.")
@click.option("--epochs", type=click.FloatRange(min=0, min_open=True), help="How often every row is seen.")
@click.option("--batch-size", type=click.IntRange(min=1), help="Rows per step.")
@click.option("--lr", type=click.FloatRange(min=0, min_open=True), help="The learning rate.")
@click.option("--lora-r", type=click.IntRange(min=1), help="The adapter's rank.")
@click.option("--device", help="Where it runs, such as cpu or cuda:0.")
@click.option("--seed", type=click.IntRange(min=0), help="The seed of everything that is drawn.")
@click.option("--dry-run", is_flag=True, help="Check configuration and rows, show the plan, train nothing.")
@click.option("--resume", metavar="RUN", help="Go on with a training that was stopped.")
@click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def train_command(config: Path | None, *, dry_run: bool, as_json: bool, **given: Any) -> None:
    """Fine-tune a model with LoRA, and evaluate it where a test or validation split is there.

    The command line wins over the file, and the file over the defaults.
    """
    if config is None and given["resume"] is None and given["base_model"] is None:
        hint = "`steelyard train --config train.yaml`, or --base-model DIR --dataset DIR"
        raise UsageError(Problem("usage", "neither a training file nor a base model was given", hint=hint))
    overrides = {name: given.pop(name) for name in _OVERRIDES}
    options = TrainOptions(config=config, overrides=overrides, **given)
    if dry_run:
        _show_plan(options, as_json=as_json)
        return
    shown = not as_json
    with (
        training_progress(shown=shown) as training,
        asking_progress(shown=shown) as asking,
        item_progress(shown=shown) as progress,
    ):
        trained = train(options, Watching(trained=training, asked=asking, judged=progress))
    _print(trained, as_json=as_json)


def _show_plan(options: TrainOptions, *, as_json: bool) -> None:
    summary = plan_training(options).summary()
    if as_json:
        print_json({"dry_run": True, **summary})
        return
    click.echo(f"dry run: {summary['task']} of {summary['base_model']}")
    click.echo(f"  {summary['train_rows']:,} rows of {summary['dataset']}@{summary['dataset_version']}")
    click.echo(
        f"  {summary['steps']:,} steps; evaluated on {summary['evaluated_on'] or 'nothing: there is no test split'}"
    )


def _print(trained: Trained, *, as_json: bool) -> None:
    outcome, evaluation = trained.outcome, trained.evaluation
    if as_json:
        found = {"path": str(trained.path), "training": summary_content(outcome)}
        print_json(found | ({"results": evaluation.results} if evaluation else {"results": None}))
        return
    losses = f"loss {outcome.first_loss:.4f} -> {outcome.final_loss:.4f}" if outcome.first_loss is not None else ""
    click.echo(f"trained {outcome.steps:,} steps on {outcome.train_rows:,} rows; {losses}\n")
    if evaluation is None:
        click.echo(f"there is no test or validation split, so nothing was evaluated\n\nrun: {trained.path}")
    else:
        click.echo(evaluation_text(evaluation.path, evaluation.run, evaluation.results))
