"""The command line: parse, call the room, print, exit.

Every command's body is imported when the command runs, so that `--help` starts at once.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from steelyard import __version__
from steelyard.cli.environment import asks_for_json, from_environment, load_environment_file, refuse_names_not_utf8
from steelyard.cli.failures import NobodyReadsError, reported, stoppable
from steelyard.cli.project import project_defaults

COMMANDS = {
    "eval": ("steelyard.cli.eval", "Evaluate a task: predictions to scorecards, metrics and a run."),
    "evaluate": (
        "steelyard.cli.evaluate",
        "Evaluate conversations over numbers: traces or a model to seed 004's files.",
    ),
    "program": ("steelyard.cli.program", "Run a turn program and print its steps."),
    "score": ("steelyard.cli.score", "Judge one pair of answers, or CanonicalAnswer lines from standard input."),
    "rescore": ("steelyard.cli.rescore", "Judge a run's stored predictions again."),
    "runs": ("steelyard.cli.runs", "List runs, show one, or look at its items."),
    "compare": ("steelyard.cli.compare", "Compare runs item by item; the first is the baseline."),
    "report": ("steelyard.cli.report", "Write a run as one HTML file, alone or held against another."),
    "baseline": ("steelyard.cli.baseline", "Name a run that others are held against."),
    "gate": ("steelyard.cli.gate", "Turn a run and its comparison into a verdict: may it ship?"),
    "calibrate": ("steelyard.cli.gate", "Say how often a gate is wrong on the items it will be used on."),
    "plan": ("steelyard.cli.plan", "Say how many items show a given difference."),
    "reindex": ("steelyard.cli.runs", "Rebuild the run index from the run directories."),
    "research": ("steelyard.cli.research", "Judge a research agent's claims, evidence and manifests by four gates."),
    "train": ("steelyard.cli.train", "Fine-tune a model and evaluate it."),
    "reproduce": ("steelyard.cli.rescore", "Check that a run can be made again, or make it again."),
    "dataset": ("steelyard.cli.dataset", "Add, list, show, compare and check versions of datasets."),
    "cache": ("steelyard.cli.cache", "Show or clear the cache of model answers, or compile loops ahead of time."),
    "validate": ("steelyard.cli.validate", "Check an eval set and print its composition."),
    "scorers": ("steelyard.cli.names", "List every scorer with version, parameters and meaning."),
    "metrics": ("steelyard.cli.names", "List every metric with version, direction and meaning."),
    "schema": ("steelyard.cli.schema", "Print the JSON Schema of a file format."),
    "init": ("steelyard.cli.init", "Write a commented task file to start from."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called; help is printed from one line each."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which a newcomer meets them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command by name; the project file has its defaults."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(COMMANDS[cmd_name][0])
        # What was imported stays for good: no later collection has to look through it.
        gc.freeze()
        gc.enable()
        command: click.Command = getattr(module, f"{cmd_name}_command")
        ctx.default_map = {cmd_name: project_defaults(command, cmd_name)}
        return from_environment(command)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and tell a reader who left from a failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise NobodyReadsError from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the commands without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
    },
    epilog="Example: steelyard eval --dataset data.jsonl --predictions out.jsonl --answer-type text --name first",
)
@click.version_option(__version__, prog_name="steelyard", message="%(prog)s %(version)s")
def cli() -> None:
    """Weigh model outputs: is this run better than the last one, where, and may it ship?"""  # noqa: D400 - a question


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Looking for cycles in what starting makes, again and again, is a tenth of a small run.
    gc.disable()
    gc.set_threshold(100_000, 20, 100)
    with reported(json_wanted=asks_for_json(given)), stoppable():
        refuse_names_not_utf8(given)
        load_environment_file()
        found = cli.main(args=given, prog_name="steelyard", standalone_mode=False)
        sys.stdout.flush()
    # Click returns the code of an `Exit`, and what a command returns otherwise, which is None.
    code = found if isinstance(found, int) else 0
    # Skips the teardown of numpy, pyarrow and polars, which costs more than a small evaluation.
    os._exit(code) if arguments is None else sys.exit(code)
