"""The run index in SQL: SQLite beside the runs, PostgreSQL where `STEELYARD_DATABASE_URL` names one.

It is an index: the run directories are the truth, and it can be thrown away at any time. Item rows stay in Parquet.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Engine, Table, create_engine, delete, event, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.pool import NullPool, StaticPool

from steelyard.store.baselines import DATABASE_VARIABLE
from steelyard.store.counting import FOLDER
from steelyard.store.files import machine_errors
from steelyard.store.index_tables import (
    NEWEST,
    baselines,
    current_revision,
    database_errors,
    metadata,
    migrate,
    runs,
    scores,
    verdicts,
)

INDEX_FILE = "index.sqlite"
_WAIT_MS = 60_000
"""How long a process waits for another one's write."""
_CONNECT_SECONDS = 10
"""How long a server may take to answer: one that is gone is not waited for."""
_ROWS_AT_ONCE = 500
"""Rows per statement: SQLite binds at most 32,766 values."""


class RunIndex:
    """The index of the runs below one folder."""

    def __init__(self, engine: Engine, root: str, lock: Path | None) -> None:
        self.engine = engine
        self.root = root
        self._lock = lock

    @classmethod
    def open(cls, runs_dir: Path, *, url: str | None = None) -> Self:
        """Open the index of a folder, and bring it to this version."""
        url = url or os.environ.get(DATABASE_VARIABLE) or None
        lock = None
        if url is None:
            folder = runs_dir / FOLDER
            with machine_errors(folder):
                folder.mkdir(parents=True, exist_ok=True)
                # SQLite would take a mode of its own, in which nobody who shares the folder could write.
                if not (folder / INDEX_FILE).exists():
                    (folder / INDEX_FILE).touch()
            lock, url = folder / ".index-lock", f"sqlite:///{folder / INDEX_FILE}"
        with database_errors(url):
            index = cls(_engine(url), str(runs_dir.resolve()), lock)
            with index._reading() as connection:
                current = current_revision(connection)
            if current != NEWEST:
                with index._migrating() as connection:
                    migrate(connection)
        return index

    @classmethod
    def in_memory(cls, runs_dir: Path) -> Self:
        """Return an empty index that is never written to disk, for a folder that has none which can be used."""
        engine = create_engine("sqlite://", poolclass=StaticPool)
        metadata.create_all(engine)
        return cls(engine, str(runs_dir.resolve()), None)

    @contextmanager
    def _migrating(self) -> Iterator[Connection]:
        """Yield a connection that is alone in changing tables."""
        if self._lock is None:
            with self.engine.begin() as connection:
                yield connection
            return
        with machine_errors(self._lock), self._lock.open("a") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            with self.engine.begin() as connection:
                yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with database_errors(str(self.engine.url)), self.engine.begin() as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with database_errors(str(self.engine.url)), self.engine.connect() as connection:
            yield connection.execution_options(write=False)

    def put_runs(self, rows: Sequence[Mapping[str, Any]], numbers: Mapping[str, Mapping[str, float | None]]) -> None:
        """Write runs and their scores, in place of what is known of them."""
        with self._writing() as connection:
            for start in range(0, len(rows), _ROWS_AT_ONCE):
                part = [{"root": self.root, **row} for row in rows[start : start + _ROWS_AT_ONCE]]
                self._upsert(connection, runs, part, ("root", "path"))
                paths = [row["path"] for row in part]
                connection.execute(delete(scores).where(scores.c.root == self.root, scores.c.path.in_(paths)))
                listed = [
                    {"root": self.root, "path": path, "metric": metric, "value": value}
                    for path in paths
                    for metric, value in numbers.get(path, {}).items()
                ]
                if listed:
                    self._upsert(connection, scores, listed, ("root", "path", "metric"))

    def _upsert(self, connection: Connection, table: Table, rows: list[dict[str, Any]], keys: Sequence[str]) -> None:
        insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        statement: Any = insert(table)
        changed = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in keys}
        connection.execute(statement.on_conflict_do_update(index_elements=list(keys), set_=changed), rows)

    def remove_runs(self, paths: Sequence[str]) -> None:
        """Forget runs whose directories are gone."""
        with self._writing() as connection:
            for start in range(0, len(paths), _ROWS_AT_ONCE):
                part = list(paths[start : start + _ROWS_AT_ONCE])
                for table in (scores, runs):
                    connection.execute(delete(table).where(table.c.root == self.root, table.c.path.in_(part)))

    def clear(self) -> None:
        """Forget everything about this folder."""
        with self._writing() as connection:
            for table in (scores, runs, baselines, verdicts):
                connection.execute(delete(table).where(table.c.root == self.root))

    def put_names(self, names: Sequence[Mapping[str, Any]], decided: Mapping[int, Mapping[str, Any]]) -> None:
        """Write baselines, and verdicts by their place, as the files beside the runs have them."""
        with self._writing() as connection:
            connection.execute(delete(baselines).where(baselines.c.root == self.root))
            if names:
                self._upsert(connection, baselines, [{"root": self.root, **row} for row in names], ("root", "name"))
            query = select(verdicts.c.place, verdicts.c.decided_at).where(verdicts.c.root == self.root)
            known = {row.place: row.decided_at for row in connection.execute(query)}
            same = {place for place, row in decided.items() if known.get(place) == row["decided_at"]}
            for place in known.keys() - same:
                connection.execute(delete(verdicts).where(verdicts.c.root == self.root, verdicts.c.place == place))
            rows = [{"root": self.root, "place": place, **decided[place]} for place in sorted(decided.keys() - same)]
            for start in range(0, len(rows), _ROWS_AT_ONCE):
                self._upsert(connection, verdicts, rows[start : start + _ROWS_AT_ONCE], ("root", "place"))

    def known(self) -> dict[str, str]:
        """Return the status of every run of this folder by its path."""
        query = select(runs.c.path, runs.c.status).where(runs.c.root == self.root)
        with self._reading() as connection:
            return {row.path: row.status for row in connection.execute(query)}

    def count(self, *, everywhere: bool = False, **wanted: str | None) -> int:
        """Return how many runs there are."""
        query = self._where(select(func.count()).select_from(runs), wanted, everywhere=everywhere)
        with self._reading() as connection:
            found: int = connection.execute(query).scalar_one()
        return found

    def page(
        self, *, limit: int, offset: int = 0, everywhere: bool = False, **wanted: str | None
    ) -> list[dict[str, Any]]:
        """Return some runs, newest first; `wanted` names columns and the values they must have."""
        query = self._where(select(runs), wanted, everywhere=everywhere)
        query = query.order_by(runs.c.created_at.desc(), runs.c.run_id.desc(), runs.c.path).limit(limit).offset(offset)
        with self._reading() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def _where(self, query: Any, wanted: Mapping[str, str | None], *, everywhere: bool) -> Any:
        if not everywhere:
            query = query.where(runs.c.root == self.root)
        for name, value in wanted.items():
            if value is not None:
                query = query.where(runs.c[name] == value)
        return query

    def scores_of(self, path: str) -> dict[str, float | None]:
        """Return the scores of one run."""
        query = select(scores.c.metric, scores.c.value).where(scores.c.root == self.root, scores.c.path == path)
        with self._reading() as connection:
            return {row.metric: row.value for row in connection.execute(query.order_by(scores.c.metric))}

    def names(self) -> list[dict[str, Any]]:
        """Return the baselines of this folder."""
        query = select(baselines).where(baselines.c.root == self.root).order_by(baselines.c.name)
        with self._reading() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def decided_at(self) -> dict[int, str]:
        """Return when each verdict of this folder was given, by its place."""
        query = select(verdicts.c.place, verdicts.c.decided_at).where(verdicts.c.root == self.root)
        with self._reading() as connection:
            return {row.place: row.decided_at for row in connection.execute(query)}

    def decided(self, *, run: str | None = None) -> list[dict[str, Any]]:
        """Return the verdicts of this folder, or of one run, in the order in which they were given."""
        query = select(verdicts).where(verdicts.c.root == self.root).order_by(verdicts.c.place)
        query = query if run is None else query.where(verdicts.c.run == run)
        with self._reading() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]


def _engine(url: str) -> Engine:
    """Return an engine without a pool: a command opens one connection and ends."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "postgresql" and parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    waits = parsed.get_backend_name() == "postgresql" and "connect_timeout" not in parsed.query
    # No part of the address, which messages show as it was given.
    arguments = {"connect_timeout": _CONNECT_SECONDS} if waits else {}
    engine = create_engine(parsed, poolclass=NullPool, connect_args=arguments)
    if parsed.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_immediate)
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # The driver would begin a transaction only before a write, and then fail instead of waiting for its turn.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={_WAIT_MS}")
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.close()


def _begin_immediate(connection: Connection) -> None:
    writes = connection.get_execution_options().get("write", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def discard_index(runs_dir: Path) -> None:
    """Throw the SQLite file of a folder away; a team's database is left alone."""
    if not os.environ.get(DATABASE_VARIABLE):
        with machine_errors(runs_dir / FOLDER):
            for file in (runs_dir / FOLDER).glob(f"{INDEX_FILE}*"):
                file.unlink()
