"""The tables of the run index, as the newest migration leaves them. A test holds the two equal."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    inspect,
    text,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from steelyard.errors import MachineError, Problem
from steelyard.store.baselines import DATABASE_VARIABLE

metadata = MetaData()

runs = Table(
    "runs",
    metadata,
    Column("root", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("model", Text),
    Column("dataset", Text),
    Column("prompt_version", Text),
    Column("scorer_version", Text),
    Column("primary_metric", Text),
    Column("primary_score", Float),
    Column("n_items", Integer),
    Column("n_skipped", Integer),
    Column("flags", Text, nullable=False),
    Column("host", Text),
    Column("created_at", Text, nullable=False),
    Column("completed_at", Text),
    Column("stamp", Text, nullable=False),
    PrimaryKeyConstraint("root", "path", name="runs_key"),
    Index("runs_by_time", "root", "created_at", "run_id"),
    Index("runs_by_grain", "task", "model", "prompt_version", "scorer_version"),
)

scores = Table(
    "scores",
    metadata,
    Column("root", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("metric", Text, nullable=False),
    Column("value", Float),
    PrimaryKeyConstraint("root", "path", "metric", name="scores_key"),
)

baselines = Table(
    "baselines",
    metadata,
    Column("root", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("set_at", Text, nullable=False),
    PrimaryKeyConstraint("root", "name", name="baselines_key"),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("root", Text, nullable=False),
    Column("place", Integer, nullable=False),
    Column("run", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("baseline", Text),
    Column("policy", Text, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("line", Text, nullable=False),
    Column("decided_at", Text, nullable=False),
    PrimaryKeyConstraint("root", "place", name="verdicts_key"),
)


# Faults of the run index: the type, the message and the remedy of each.


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


# Bring a run index to the version of this package, once, whoever comes first.


NEWEST = "0002"
"""The revision that `index_tables` describes; alembic itself is imported only where it is not reached yet."""
_FOLDER = Path(__file__).parent / "migrations"
_LOCK = 7_305_804_402
"""The number of the advisory lock under which PostgreSQL is migrated."""


def migrate(connection: Connection) -> None:
    """Apply what is missing; an index of a newer version is refused."""
    if current_revision(connection) == NEWEST:
        return
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
    _upgrade(connection)


def current_revision(connection: Connection) -> str | None:
    """Return the revision that an index is at; None where it is empty."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def _upgrade(connection: Connection) -> None:
    from alembic.migration import MigrationContext  # noqa: PLC0415 - 0.1 s, and needed once in an index's life
    from alembic.operations import Operations  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    scripts = ScriptDirectory(str(_FOLDER))
    steps = list(reversed(list(scripts.walk_revisions())))
    current = current_revision(connection)
    known = [step.revision for step in steps]
    if current is not None and current not in known:
        raise newer(current)
    context = MigrationContext.configure(connection)
    pending = steps[known.index(current) + 1 :] if current is not None else steps
    with Operations.context(context):
        for step in pending:
            step.module.upgrade()
    context.stamp(scripts, NEWEST)


def newer(current: str) -> MachineError:
    """Return the error of an index that a newer version has written."""
    return MachineError(
        Problem(
            code="index-newer",
            message=f"the run index is at version {current}, and this version of steelyard knows {NEWEST} at most",
            hint="upgrade steelyard, or rebuild the index with `steelyard reindex --discard` from this version",
        )
    )
