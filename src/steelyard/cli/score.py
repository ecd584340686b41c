"""`steelyard score`: judge one pair of answers, or CanonicalAnswer objects from standard input."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Iterable
from typing import Any

import click
import msgspec

from steelyard.cli.output import print_json
from steelyard.errors import Problem, Problems, UsageError
from steelyard.records.answers import ANSWER_TYPES
from steelyard.records.scores import Scorecard
from steelyard.tasks.scoring import ScoreOptions, score_lines, score_pair

_HELD_IN_MEMORY = 1 << 24
"""Bytes of cards that wait in memory for the last line; more wait on disk."""


@click.command("score", epilog='Example: steelyard score --answer-type number --expected "12.5%" --predicted "0.125"')
@click.option("--answer-type", type=click.Choice(ANSWER_TYPES), help="What the answers are.")
@click.option("--expected", help="The reference: text, or a typed object as JSON.")
@click.option("--predicted", help="The model's output: text, or a typed object as JSON.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read CanonicalAnswer objects, one a line.")
@click.option("--scorer", help="The scorer, as NAME@vN; by default the one of the answer type.")
@click.option("--parameter", "parameters", multiple=True, metavar="NAME=VALUE", help="A parameter of --scorer.")
@click.option("--profile", type=click.Path(), help="A scoring profile (YAML).")
@click.option("--extract", help="How the answer is found in --predicted, such as answer_line or last_number.")
@click.option("--choices", help="The options of a choice, separated by commas.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; a ScoreCard is JSON always.")
def score_command(*, from_stdin: bool, as_json: bool, **given: Any) -> None:
    """Judge one pair of answers and print its ScoreCard, or one ScoreCard for each line of standard input."""
    del as_json
    pair = given.pop("expected"), given.pop("predicted")
    options = _options(given)
    if from_stdin:
        if pair != (None, None) or options.extract or options.choices:
            raise _usage("--stdin brings its own answers", "leave --expected, --predicted, --extract and --choices out")
        _print_lines(options)
        return
    expected, predicted = pair
    if expected is None or predicted is None:
        raise _usage("there is no pair to score", "give --expected and --predicted, or --stdin")
    print_json(msgspec.to_builtins(score_pair(expected, predicted, options)))


def _options(given: dict[str, Any]) -> ScoreOptions:
    written = given.pop("parameters")
    choices = tuple(part.strip() for part in (given.pop("choices") or "").split(",") if part.strip())
    if written and not given["scorer"]:
        raise _usage("--parameter needs the scorer it is for", "add --scorer NAME@vN")
    return ScoreOptions(parameters=dict(map(_parameter, written)), choices=choices, **given)


def _parameter(written: str) -> tuple[str, Any]:
    """Read NAME=VALUE; a value that is JSON is what it says there, and any other value is text."""
    name, sign, value = written.partition("=")
    if not (sign and name.strip()):
        raise _usage(f"--parameter is {written!r}, expected NAME=VALUE", "write --parameter tolerance_rel=0.02")
    try:
        return name.strip(), json.loads(value)
    except (ValueError, RecursionError):
        return name.strip(), value


def _print_lines(options: ScoreOptions) -> None:
    """Print all cards, or, where any line is bad, none of them."""
    problems = Problems()
    with tempfile.SpooledTemporaryFile(_HELD_IN_MEMORY, "w+", encoding="utf-8") as waiting:
        waiting.writelines(_written(score_lines(sys.stdin.buffer, options, problems)))
        problems.raise_if_any()
        waiting.seek(0)
        shutil.copyfileobj(waiting, sys.stdout)


def _written(cards: Iterable[Scorecard]) -> Iterable[str]:
    return (json.dumps(msgspec.to_builtins(card)) + "\n" for card in cards)


def _usage(message: str, hint: str) -> UsageError:
    return UsageError(Problem(code="usage", message=message, hint=hint))
