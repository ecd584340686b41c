"""Bring a run index to the version of this package, once, whoever comes first."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from steelyard.errors import MachineError, Problem

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
