"""Printing: tables for people, JSON for machines. Foreign text is escaped for the one and exact in the other."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any

import click

from steelyard.errors import escape
from steelyard.secrets import hidden, redact, redacted

_SURROGATES = re.compile("[\\ud800-\\udfff]")


@contextmanager
def kept_for_machines() -> Iterator[None]:
    """Keep standard output for the one document that is printed there.

    Whatever else is printed while a model is asked, by its own code or by what that starts, goes to standard error.
    """
    if sys.stdout is None:
        yield
        return
    sys.stdout.flush()
    ours = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(ours, 1)
        os.close(ours)


def print_json(value: Any, *, data: bool = False) -> None:
    """Print one JSON document on standard output; `data` is printed as it is stored."""
    shown = hidden(value) if data else redacted(value)
    _print_dumped(json.dumps(shown, indent=2, ensure_ascii=not _can_print_unicode()))


def print_data_line(value: Any) -> None:
    """Print one JSON document on a line of standard output, as it is stored."""
    _print_dumped(json.dumps(hidden(value), ensure_ascii=not _can_print_unicode()))


def _print_dumped(text: str) -> None:
    # A lone surrogate has no bytes of its own; its escape is the same JSON.
    click.echo(_SURROGATES.sub(lambda match: f"\\u{ord(match.group()):04x}", text))


def _can_print_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


_PLAIN_SIGNS = str.maketrans({"█": "#", "░": ".", "…": "...", "·": "-"})


def print_results(text: str) -> None:
    """Print results for people: in colour on a terminal, in signs that any terminal has where it has no others."""
    if not _can_print_unicode():
        text = text.translate(_PLAIN_SIGNS).encode("ascii", "backslashreplace").decode("ascii")
    if plain():
        click.echo(text)
        return
    from steelyard.show.terminal import print_coloured  # noqa: PLC0415 - rich is for terminals only

    print_coloured(text)


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, data: bool = False) -> None:
    """Print aligned columns, the last of which wraps on a terminal; `data` is printed as it is stored."""
    known = hidden if data else redact
    from rich.console import Console  # noqa: PLC0415 - rich is for people's output only
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(escape(known(str(cell)))) for cell in row))
    console = Console(no_color=plain(), highlight=False, width=None if sys.stdout.isatty() else 160)
    console.print(table)


def plain() -> bool:
    """Return whether output is for a log: no colours, no progress bars."""
    return bool(os.environ.get("NO_COLOR") or os.environ.get("CI")) or not sys.stdout.isatty()
