"""The run index on SQLite and on PostgreSQL: real databases, many writers, versions."""

import multiprocessing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, text

from steelyard.errors import MachineError
from steelyard.store.index import RunIndex
from steelyard.store.index_tables import NEWEST, metadata
from tests.index_writing import write_runs

WRITERS = 100
ROW = {
    "run_id": "run_1", "name": "one", "status": "completed", "task": "t", "model": None, "dataset": None,
    "prompt_version": None, "scorer_version": None, "primary_metric": "f1", "primary_score": 0.5, "n_items": 2,
    "n_skipped": 0, "flags": "[]", "host": None, "created_at": "2024-01-01T00:00:00+00:00", "completed_at": None,
    "stamp": "1:1",
}  # fmt: skip


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path: Path) -> str | None:
    """A database of its own: SQLite beside the runs, or one in a PostgreSQL server that the tests start."""
    return None if request.param == "sqlite" else request.getfixturevalue("postgres_database")


@pytest.fixture
def index(tmp_path: Path, url: str | None) -> RunIndex:
    return RunIndex.open(tmp_path / "runs", url=url)


def test_what_is_written_is_read(index: RunIndex):
    index.put_runs([{**ROW, "path": "one"}], {"one": {"f1": 0.5, "rouge1": None}})
    (row,) = index.page(limit=10)
    assert {name: row[name] for name in ROW} == ROW
    assert index.scores_of("one") == {"f1": 0.5, "rouge1": None}
    assert index.known() == {"one": "completed"}


def test_a_run_written_again_takes_the_place_of_the_old(index: RunIndex):
    index.put_runs([{**ROW, "path": "one", "status": "running"}], {"one": {"f1": 0.5, "old": 1.0}})
    index.put_runs([{**ROW, "path": "one"}], {"one": {"f1": 0.7}})
    assert index.count() == 1
    assert index.scores_of("one") == {"f1": 0.7}


def test_pages_are_newest_first_and_filtered(index: RunIndex):
    rows = [
        {**ROW, "path": f"r{day:02}", "created_at": f"2024-01-{day:02}T00:00:00+00:00", "task": "ab"[day % 2]}
        for day in range(1, 21)
    ]
    index.put_runs(rows, {})
    assert [row["path"] for row in index.page(limit=3)] == ["r20", "r19", "r18"]
    assert [row["path"] for row in index.page(limit=2, offset=2, task="a")] == ["r16", "r14"]
    assert index.count(task="a") == 10


def test_folders_that_share_a_database_do_not_mix(tmp_path: Path, url: str | None):
    shared = url or f"sqlite:///{tmp_path / 'shared.sqlite'}"
    first, second = (RunIndex.open(tmp_path / name, url=shared) for name in ("one", "two"))
    first.put_runs([{**ROW, "path": "same"}], {})
    second.put_runs([{**ROW, "path": "same"}], {})
    first.clear()
    assert (first.count(), second.count(), first.count(everywhere=True)) == (0, 1, 1)


def test_baselines_and_verdicts_are_repeated(index: RunIndex):
    names = [{"name": "main", "path": "one", "run_id": "run_1", "set_at": "now"}]
    verdict = {
        "run": "one", "task": "t", "baseline": "main", "policy": "default", "verdict": "pass", "line": "PASS",
        "decided_at": "now",
    }  # fmt: skip
    index.put_names(names, {0: verdict})
    index.put_names(names, {0: verdict, 1: {**verdict, "verdict": "fail"}})
    assert [row["path"] for row in index.names()] == ["one"]
    assert [row["verdict"] for row in index.decided(run="one")] == ["pass", "fail"]


def test_the_migrations_end_where_the_tables_are_described(index: RunIndex):
    found = inspect(index.engine)
    for name, table in metadata.tables.items():
        stored = {column["name"]: column["nullable"] for column in found.get_columns(name)}
        assert stored == {column.name: column.nullable for column in table.columns}
        assert found.get_pk_constraint(name)["constrained_columns"] == [entry.name for entry in table.primary_key]
        assert {entry["name"] for entry in found.get_indexes(name)} >= {entry.name for entry in table.indexes}


def test_an_index_at_an_older_version_is_brought_up(index: RunIndex, tmp_path: Path, url: str | None):
    index.put_runs([{**ROW, "path": "one"}], {})
    with index.engine.begin() as connection:
        connection.execute(text("DROP TABLE verdicts"))
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    again = RunIndex.open(tmp_path / "runs", url=url)
    assert (again.count(), again.decided()) == (1, [])


def test_an_index_of_a_newer_version_is_refused(index: RunIndex, tmp_path: Path, url: str | None):
    with index.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(MachineError, match=f"at version 9999, and this version of steelyard knows {NEWEST}") as refused:
        RunIndex.open(tmp_path / "runs", url=url)
    assert (refused.value.exit_code, refused.value.problems[0].code) == (5, "index-newer")


@pytest.mark.slow
def test_a_hundred_processes_writing_at_once_lose_nothing(tmp_path: Path, url: str | None):
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["index_writing", "psycopg", "alembic.operations"])
    barrier = processes.Barrier(WRITERS)
    names = [[f"r{writer}-{turn}" for turn in range(3)] for writer in range(WRITERS)]
    writers = [processes.Process(target=write_runs, args=(barrier, ROW, tmp_path, url, own)) for own in names]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=200)
    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    assert set(RunIndex.open(tmp_path, url=url).known()) == {name for own in names for name in own}


def test_a_database_that_does_not_answer_is_a_fault_of_the_machine(tmp_path: Path):
    url = "postgresql://someone:secret@127.0.0.1:9/nothing"
    with pytest.raises(MachineError, match="cannot be used") as refused:
        RunIndex.open(tmp_path, url=url)
    assert refused.value.exit_code == 5
    assert "secret" not in str(refused.value)


def test_a_damaged_file_is_a_fault_with_a_way_out(tmp_path: Path):
    folder = tmp_path / ".steelyard"
    folder.mkdir()
    (folder / "index.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(MachineError, match="`steelyard reindex` makes it anew"):
        RunIndex.open(tmp_path)


def test_sqlite_keeps_a_log_so_that_readers_do_not_wait(tmp_path: Path):
    index = RunIndex.open(tmp_path)
    with create_engine(index.engine.url).connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
