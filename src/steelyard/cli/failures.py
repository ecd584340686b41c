"""Errors at the edge: one shape, the right exit code, no traceback. No path leads from an error to 0."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from steelyard.errors import Problem, SteelyardError, escape

OUR_BUG = 70
INTERRUPTED = 130


@contextmanager
def reported(*, json_wanted: bool) -> Iterator[None]:
    """Run a command; turn whatever it raises into a message and an exit code."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = _show_warning
            yield
    except SteelyardError as error:
        _print(error.as_dict(), str(error), json_wanted=json_wanted)
        sys.exit(error.exit_code)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.ClickException as error:
        _usage(error, json_wanted=json_wanted)
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        click.echo("steelyard: interrupted", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output left (`| head`); nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except Exception:  # noqa: BLE001 - the last line of defence: whatever gets here is our bug
        path = _crash_report()
        click.echo(f"steelyard: this is a bug of ours, sorry. The crash report is in {path}", err=True)
        sys.exit(OUR_BUG)


def _show_warning(message: Warning | str, *_details: Any, **_more: Any) -> None:
    click.echo(f"warning: {escape(str(message))}", err=True)


def _usage(error: click.ClickException, *, json_wanted: bool) -> None:
    context = getattr(error, "ctx", None)
    hint = f"`{context.command_path} --help` shows how" if context else "`steelyard --help` shows how"
    problem = Problem(code="usage", message=error.format_message(), hint=hint)
    content = {"error": "UsageError", "exit_code": 2, "problems": [problem.as_dict()], "total": 1}
    _print(content, str(problem), json_wanted=json_wanted)


def _print(content: dict[str, Any], text: str, *, json_wanted: bool) -> None:
    """Print an error for people on standard error, and for machines on standard output when they asked."""
    click.echo(f"steelyard: {text}", err=True)
    if json_wanted:
        click.echo(json.dumps(content, ensure_ascii=True))


def _crash_report() -> str:
    handle, name = tempfile.mkstemp(prefix="steelyard-crash-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(" ".join([*map(repr, sys.argv), "\n\n"]))
        stream.write(traceback.format_exc())
    return name
