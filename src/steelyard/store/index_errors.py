"""Faults of the run index: the type, the message and the remedy of each."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from steelyard.errors import MachineError, Problem
from steelyard.store.baselines import DATABASE_VARIABLE

_DAMAGED = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""What SQLite says of a file that was cut, overwritten, or lacks a table."""


class IndexDamagedError(MachineError):
    """The SQLite file is no index any more: it is thrown away, and made anew from the run directories."""


@contextmanager
def database_errors(url: str) -> Iterator[None]:
    """Give faults of the database their type and exit code; the password in a URL is never shown."""
    try:
        yield
    except (SQLAlchemyError, ArgumentError, NoSuchModuleError, ModuleNotFoundError, *_ODD) as error:
        said = str(getattr(error, "orig", None) or error)
        first_line = (said.splitlines() or [type(error).__name__])[0]
        message, kind = f"the run index cannot be used: {first_line}", MachineError
        if os.environ.get(DATABASE_VARIABLE) or not url.startswith("sqlite"):
            hint = f"check {DATABASE_VARIABLE}, that the database answers, and that steelyard[postgres] is installed"
        elif isinstance(error, _ODD) or _code(error) in _DAMAGED:
            hint, kind = "`steelyard reindex` makes it anew from the run directories", IndexDamagedError
        else:
            hint = "wait for whoever holds it, or fix the permission; `steelyard reindex --discard` makes it anew"
        raise kind(Problem("index-unavailable", message, hint=hint, file=_shown(url))) from error


_ODD = (sqlite3.Error, UnicodeError, OverflowError)
"""What the driver raises by itself where a file holds what no database writes."""


def _code(error: BaseException) -> int | None:
    found: int | None = getattr(getattr(error, "orig", None), "sqlite_errorcode", None)
    return None if found is None else found & 0xFF


def _shown(url: str) -> str:
    try:
        parsed = make_url(url)
        return parsed.database or url if url.startswith("sqlite") else parsed.render_as_string(hide_password=True)
    except ArgumentError:
        return DATABASE_VARIABLE
