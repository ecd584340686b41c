"""The answer cache: complete answers by the hash of everything that can change an answer.

One SQLite file for all runs of a user. A cache that cannot be used costs time, never a run: whatever goes wrong with it
is a miss.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Self

from steelyard.errors import MachineError, Problem

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, reply BLOB NOT NULL, created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITHOUT ROWID
"""


def cache_file() -> Path:
    """Return where the cache is: `STEELYARD_CACHE_DIR`, else the user's cache folder."""
    given = os.environ.get("STEELYARD_CACHE_DIR")
    base = Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "steelyard"
    return base / "answers.sqlite"


def _keep_private(path: Path) -> None:
    """Let nobody else read what prompts and answers are kept in; SQLite gives its other files the same mode."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.fchmod(handle, 0o600)
    finally:
        os.close(handle)


class AnswerCache:
    """Replies as bytes by key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database: sqlite3.Connection | None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _keep_private(path)
            self._database = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = OFF")
            self._database.execute(_SCHEMA)
        except (OSError, sqlite3.Error):
            self._database = None

    def get(self, key: str) -> bytes | None:
        """Return the stored reply, or None."""
        if self._database is None:
            return None
        try:
            found = self._database.execute("SELECT reply FROM answers WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            return None
        return bytes(found[0]) if found else None

    def put(self, key: str, model: str, reply: bytes) -> None:
        """Keep a complete reply."""
        if self._database is None:
            return
        try:
            query = "INSERT OR REPLACE INTO answers (key, model, reply) VALUES (?, ?, ?)"
            self._database.execute(query, (key, model, reply))
        except sqlite3.Error:
            self._database = None

    def counts(self) -> dict[str, int]:
        """Return how many answers there are by model."""
        query = "SELECT model, count(*) FROM answers GROUP BY model ORDER BY model"
        return {str(model): int(count) for model, count in self._certain().execute(query)}

    def clear(self) -> int:
        """Forget everything; return how many answers that were."""
        database = self._certain()
        removed = database.execute("DELETE FROM answers").rowcount
        database.execute("VACUUM")
        return removed

    def close(self) -> None:
        """Let go of the file."""
        if self._database is not None:
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _certain(self) -> sqlite3.Connection:
        if self._database is None:
            hint = "remove the file, or set STEELYARD_CACHE_DIR"
            raise MachineError(Problem("machine", "the answer cache cannot be used", hint=hint, file=str(self.path)))
        return self._database
