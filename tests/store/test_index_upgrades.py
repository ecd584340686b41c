"""An index that an earlier version wrote, on SQLite or PostgreSQL, is brought up with everything that stands in it."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from steelyard.store import index_tables as index_migrations
from steelyard.store.index import RunIndex, _engine
from steelyard.store.index_tables import NEWEST, metadata
from tests.old_runs import VERSIONS, WRITTEN_AT, unpack
from tests.tamper.worlds import inside, steelyard

DUMP = "index.postgresql.sql"
BACK_TO = {
    "0001": ("DROP TABLE verdicts", "UPDATE alembic_version SET version_num = '0001'"),
    "0002": (),
}
"""How what a version wrote is brought back to each revision that an index can be at."""


@pytest.fixture(params=BACK_TO)
def revision(request) -> str:
    """One of the revisions that an index can be at."""
    return request.param


@pytest.fixture(params=["sqlite", "postgresql"])
def old(request, revision, tmp_path, monkeypatch) -> Path:
    """A folder of old runs with the index that was written beside them, at one of its revisions."""
    unpack(VERSIONS[0], tmp_path)
    url = f"sqlite:///{tmp_path}/runs/.steelyard/index.sqlite"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_database")
        with psycopg.connect(url) as connection:
            connection.execute((tmp_path / DUMP).read_text().replace(WRITTEN_AT, str(tmp_path)))
        monkeypatch.setenv("STEELYARD_DATABASE_URL", url)
    engine = _engine(url)
    with engine.begin() as connection:
        for statement in BACK_TO[revision]:
            connection.execute(text(statement))
    return tmp_path / "runs"


@contextmanager
def at_work(old: Path):
    """Stand in the folder, with the team's database where there is one."""
    url = os.environ.get("STEELYARD_DATABASE_URL")
    with inside(old.parent), pytest.MonkeyPatch.context() as patch:
        if url:
            patch.setenv("STEELYARD_DATABASE_URL", url)
        yield


def test_every_revision_that_there_is_is_tried():
    scripts = ScriptDirectory(str(Path(index_migrations.__file__).parent / "migrations"))
    assert {step.revision for step in scripts.walk_revisions()} == {*BACK_TO}
    assert max(BACK_TO) == NEWEST


def test_it_is_brought_up_and_keeps_what_stands_in_it(old):
    index = RunIndex.open(old)
    assert index.known()["stored-a"] == "completed"
    assert "stored-kept" in {row["name"] for row in index.names()}
    assert index.scores_of("stored-a")
    found = inspect(index.engine)
    for name, table in metadata.tables.items():
        stored = {column["name"]: column["nullable"] for column in found.get_columns(name)}
        assert stored == {column.name: column.nullable for column in table.columns}


def test_the_command_lists_every_run_and_verdict_by_it(old):
    with at_work(old):
        listed = steelyard("runs list --limit 200 --json")
        assert (listed.code, listed.err) == (0, "")
        names = {path.parent.name for path in old.glob("*/run.json")}
        assert {row["name"] for row in json.loads(listed.out)["runs"]} >= names
        assert steelyard("runs show stored-b").out.count("gate against") == 2
    assert len(RunIndex.open(old).decided(run="stored-b")) == 2


def test_an_upgrade_that_breaks_off_leaves_the_index_as_it_was(old, revision, monkeypatch):
    if revision == NEWEST:
        return

    def failing(*_):
        raise RuntimeError("the power went")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MigrationContext, "stamp", failing)
        with pytest.raises(RuntimeError):
            RunIndex.open(old)
    index = RunIndex.open(old)
    assert index.known()["stored-a"] == "completed"
    assert inspect(index.engine).has_table("verdicts")


def test_of_many_who_come_at_once_one_brings_it_up(old):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: RunIndex.open(old).known(), range(8)))
    assert all(known == found[0] and known for known in found)
    with RunIndex.open(old).engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all() == [NEWEST]
