"""Errors at the edge: one shape, the right exit code, no traceback. No path leads from an error to 0."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

import click

from steelyard.errors import MachineError, Problem, SteelyardError, escape
from steelyard.secrets import redact, redacted

USAGE = 2
OUR_BUG = 70
NO_READER = 141
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(KeyboardInterrupt):
    """SIGINT, SIGTERM or SIGHUP. It is a KeyboardInterrupt, so that whatever cleans up after one does so after both."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


class NobodyReadsError(Exception):
    """The reader of our output left (`| head`). Click would exit 1, which means a failed gate here."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Turn the first signal that stops us into `Stopped`; a second one ends the process at once.

    A signal that whoever started us ignores, as `nohup` does with SIGHUP, stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = [number for number in STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, _stop) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    for each in STOPPING:
        if signal.getsignal(each) is _stop:
            signal.signal(each, signal.SIG_DFL)
    raise Stopped(number)


@contextmanager
def reported(*, json_wanted: bool) -> Iterator[None]:
    """Run a command; turn whatever it raises into a message and an exit code."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = _show_warning
            yield
    except SteelyardError as error:
        verdict = f"\nsteelyard: {error.verdict}" if error.verdict else ""
        _fail(error.as_dict(), f"{error}{verdict}", json_wanted=json_wanted)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(USAGE)
    except click.ClickException as error:
        _usage(error, json_wanted=json_wanted)
    except (KeyboardInterrupt, click.Abort) as error:
        _interrupted(error, json_wanted=json_wanted)
    except (NobodyReadsError, BrokenPipeError):
        # Nothing more can be said to a reader who left.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(NO_READER)
    except (OSError, MemoryError) as error:
        _machine(error, json_wanted=json_wanted)
    except Exception:  # noqa: BLE001 - the last line of defence: whatever gets here is our bug
        _crashed(json_wanted=json_wanted)


def _show_warning(message: Warning | str, *_details: Any, **_more: Any) -> None:
    click.echo(f"warning: {escape(redact(str(message)))}", err=True)


def _usage(error: click.ClickException, *, json_wanted: bool) -> NoReturn:
    context = getattr(error, "ctx", None)
    hint = f"`{context.command_path} --help` shows how" if context else "`steelyard --help` shows how"
    problem = Problem("usage", error.format_message(), hint=hint)
    _fail(_content("UsageError", USAGE, problem), str(problem), json_wanted=json_wanted)


def _interrupted(error: BaseException, *, json_wanted: bool) -> NoReturn:
    # Click wraps an interrupt in an Abort.
    stopped = error if isinstance(error, Stopped) else error.__cause__
    code = stopped.exit_code if isinstance(stopped, Stopped) else 128 + signal.SIGINT
    problem = Problem("interrupted", "stopped by a signal", hint="run the same command again")
    _fail(_content("Interrupted", code, problem), str(problem), json_wanted=json_wanted)


def machine_failure(error: OSError | MemoryError) -> MachineError:
    """Return what the machine refused: disk, permission, memory."""
    if isinstance(error, MemoryError):
        problem = Problem("machine", "there is not enough memory", hint="use fewer workers, or a larger machine")
    else:
        hint = "free the disk or fix the permission, then run the same command again"
        file = str(error.filename) if error.filename else None
        problem = Problem("machine", error.strerror or str(error), hint=hint, file=file)
    return MachineError(problem)


def _machine(error: OSError | MemoryError, *, json_wanted: bool) -> NoReturn:
    failure = machine_failure(error)
    _fail(failure.as_dict(), str(failure), json_wanted=json_wanted)


def _crashed(*, json_wanted: bool) -> NoReturn:
    path = _crash_report()
    hint = "please report it with the crash report, which holds no data of yours beyond the command line"
    problem = Problem("internal", f"this is a bug of ours, sorry; the crash report is in {path}", hint=hint)
    _fail(_content("InternalError", OUR_BUG, problem), str(problem), json_wanted=json_wanted)


def _content(kind: str, exit_code: int, problem: Problem) -> dict[str, Any]:
    return {"error": kind, "exit_code": exit_code, "problems": [problem.as_dict()], "total": 1}


def _fail(content: dict[str, Any], text: str, *, json_wanted: bool) -> NoReturn:
    """Print an error for people on standard error, for machines on standard output when they asked, and exit."""
    click.echo(f"steelyard: {redact(text)}", err=True)
    if json_wanted:
        click.echo(json.dumps(redacted(content), ensure_ascii=True))
    sys.exit(content["exit_code"])


def _crash_report() -> str:
    handle, name = tempfile.mkstemp(prefix="steelyard-crash-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
        stream.write(redact(" ".join([*map(repr, sys.argv), "\n\n"])))
        stream.write(redact(traceback.format_exc()))
    return name
