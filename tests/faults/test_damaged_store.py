"""Every file of runs and beside them, damaged in every way: each command says so, or does what it can without."""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from steelyard.store import index
from tests.faults.stores import make_store

BESIDE, VICTIM = Path("runs/.steelyard"), Path("runs/victim")
FILES = {
    "verdicts": BESIDE / "verdicts.jsonl",
    "baselines": BESIDE / "baselines.json",
    "moves": BESIDE / "moves.jsonl",
    "started": BESIDE / "started.jsonl",
    "index": BESIDE / "index.sqlite",
    "run": VICTIM / "run.json",
    "hashes": VICTIM / "hashes.json",
    "config": VICTIM / "config.yaml",
    "results": VICTIM / "eval/eval_results.json",
    "derived": VICTIM / "eval/hashes.json",
    "items": VICTIM / "eval/items.parquet",
}
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[: len(content) // 2],
    "random": lambda content: random.Random(7).randbytes(200),
    "empty": lambda content: b"",
    "another": lambda content: b'{"run":1}\n',
}
RARER: dict[str, Callable[[bytes], bytes]] = {
    "a byte short": lambda content: content[:-2],
    "torn": lambda content: content + b'{"run":"ca',
    "a list": lambda content: b"[1,2]\n",
    "a number": lambda content: b"NaN\n",
    "nulls": lambda content: bytes(len(content)),
    "not utf-8": lambda content: b'{"a":"\xff"}\n',
    "deep": lambda content: b"[" * 100_000,
}
COMMANDS = {
    "list": "runs list --json",
    "show": "runs show cand",
    "items": "runs items cand",
    "compare": "compare --runs base,cand",
    "report": "report cand --output page.html",
    "baselines": "baseline list",
    "gate": "gate cand --against ./runs/base",
    "show victim": "runs show victim",
    "items victim": "runs items victim",
    "compare victim": "compare --runs base,victim",
    "gate victim": "gate victim --against ./runs/base",
    "against name": "gate cand --against main",
    "against victim": "gate cand --against kept",
    "latest": "gate latest --against ./runs/base",
    "name": "baseline set again victim",
    "mend": "reindex",
}
OTHERS = ("list", "show", "items", "compare", "report", "baselines", "gate", "mend")
"""What asks nothing of the damaged run: it goes on, whatever is damaged."""
REFUSED = {
    "verdicts": (),
    "baselines": ("against name", "against victim"),
    "moves": ("against name", "against victim"),
    "started": ("latest",),
    "index": (),
    "run": ("show victim", "items victim", "compare victim", "gate victim", "against victim", "name"),
    "hashes": ("gate victim", "against victim", "name"),
    "config": ("compare victim", "gate victim", "against victim", "name"),
    "results": ("show victim", "items victim", "compare victim", "gate victim", "against victim", "name"),
    "derived": ("gate victim", "against victim", "name"),
    "items": ("items victim", "compare victim", "gate victim", "against victim", "name"),
}
"""Which commands may refuse, with exit 3; all others end with 0."""
MUST_REFUSE = {file: set(refused) & {"gate victim", "against victim", "name"} for file, refused in REFUSED.items()}


@contextmanager
def database(**options):
    """The SQLite file, let go of when the block ends."""
    with closing(sqlite3.connect(FILES["index"], **options)) as connection, connection:
        yield connection


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A store as the commands make it."""
    return make_store(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def store(whole: Path, tmp_path: Path, steelyard):
    """A copy of the whole folder for one test; the command's fixture has made it the working directory."""
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    with database() as connection:
        for table in ("runs", "scores", "baselines", "verdicts"):
            connection.execute(f"UPDATE {table} SET root = ?", (str((tmp_path / "runs").resolve()),))
    return lambda line: steelyard(*line.split())


def check(found, *, refused: bool) -> None:
    """Hold what a command said to the pages: no traceback, no bug of ours, and a remedy wherever it refused."""
    assert "Traceback" not in found.err
    assert found.code in ({0, 3} if refused else {0}), found
    if found.code:
        assert "hint: " in found.err, found


def held(store, file: str) -> None:
    for name, line in COMMANDS.items():
        found = store(line)
        check(found, refused=name in REFUSED[file])
        if name in MUST_REFUSE[file]:
            assert (found.code, FILES[file].name in found.err) == (3, True), (name, found)


CASES = [(file, damage) for file in FILES for damage in DAMAGES]


@pytest.mark.parametrize(("file", "damage"), CASES, ids=[f"{file}-{damage}" for file, damage in CASES])
def test_a_damaged_file_is_named_by_what_needs_it_and_stops_nothing_else(store, file, damage):
    FILES[file].write_bytes(DAMAGES[damage](FILES[file].read_bytes()))
    if file == "config" and damage == "another":
        # It can be read, and only what compares hashes sees that it is another.
        assert store(COMMANDS["compare victim"]).code == 0
    held(store, file)


@pytest.mark.campaign
@pytest.mark.parametrize("damage", RARER)
@pytest.mark.parametrize("file", FILES)
def test_rarer_damage_is_named_too(store, file, damage):
    FILES[file].write_bytes(RARER[damage](FILES[file].read_bytes()))
    if damage == "torn" and FILES[file].suffix == ".jsonl":
        assert all(store(line).code == 0 for line in COMMANDS.values())
    else:
        held(store, file)


@pytest.mark.parametrize("file", FILES)
def test_a_file_that_is_lost_stops_only_what_needs_it(store, file):
    FILES[file].unlink()
    for name in OTHERS:
        check(store(COMMANDS[name]), refused=False)
    for name in ("gate victim", "against victim"):
        found = store(COMMANDS[name])
        assert "Traceback" not in found.err
        assert (found.code in {1, 3}) is (name in MUST_REFUSE[file] or name in REFUSED[file]), found


def damaged_together(seed: int) -> None:
    draw = random.Random(seed)
    ways = [*DAMAGES.values(), *RARER.values()]
    for file in draw.sample(sorted(FILES), draw.randint(2, len(FILES))):
        FILES[file].write_bytes(draw.choice(ways)(FILES[file].read_bytes()))


def held_together(store, seed: int) -> None:
    damaged_together(seed)
    for name, line in COMMANDS.items():
        check(store(line), refused=name not in OTHERS)


@pytest.mark.parametrize("seed", range(4))
def test_files_damaged_together_block_no_other_run(store, seed):
    held_together(store, seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(4, 100))
def test_many_files_damaged_together_block_no_other_run(store, seed):
    held_together(store, seed)


def test_a_torn_last_verdict_is_told_and_then_cut(store):
    with FILES["verdicts"].open("ab") as stream:
        stream.write(b'{"format_version":1,"run":"cand","ta')
    shown = store("runs show cand")
    assert (shown.code, "verdicts.jsonl:3" in shown.err, shown.out.count("gate against")) == (0, True, 1)
    assert store("gate cand --against main").code == 0
    lines = FILES["verdicts"].read_bytes().splitlines()
    assert [json.loads(line)["run"] for line in lines] == ["cand", "last", "cand"]
    assert store("runs show cand").err == ""


def test_a_whole_verdict_without_its_newline_is_kept(store):
    FILES["verdicts"].write_bytes(FILES["verdicts"].read_bytes().rstrip(b"\n"))
    assert store("gate cand --against main").code == 0
    assert len(FILES["verdicts"].read_bytes().splitlines()) == 3
    assert store("runs show cand").out.count("gate against") == 2


def test_a_damaged_verdict_is_passed_over_by_the_index_too(store):
    first, second = FILES["verdicts"].read_bytes().splitlines(keepends=True)
    FILES["verdicts"].write_bytes(first[:-9] + b"\n" + second)
    listed = store("runs list")
    assert (listed.code, "verdicts.jsonl:1: [run-damaged]" in listed.err) == (0, True)
    with database() as connection:
        assert connection.execute("SELECT place, run FROM verdicts").fetchall() == [(1, "last")]


def test_an_entry_of_the_baselines_that_was_changed_leaves_the_others(store):
    content = json.loads(FILES["baselines"].read_bytes())
    content["baselines"]["kept"]["path"] = "last"
    FILES["baselines"].write_text(json.dumps(content))
    assert store("gate cand --against main").code == 0
    refused = store("gate cand --against kept")
    assert (refused.code, "`steelyard baseline set kept RUN`" in refused.err) == (3, True)
    listed = store("baseline list")
    assert ("main" in listed.out, "kept" in listed.out, "'kept'" in listed.err) == (True, False, True)


def test_setting_a_baseline_again_mends_the_file_and_keeps_what_its_moves_tell(store):
    FILES["baselines"].write_bytes(b"{")
    assert store("baseline set kept victim").code == 0
    assert store("gate cand --against kept").code == 0
    assert store("gate cand --against main").code == 0
    assert store("baseline list").err == ""


def test_setting_another_baseline_does_not_mend_one_that_was_changed(store):
    content = json.loads(FILES["baselines"].read_bytes())
    content["baselines"]["main"]["path"] = "last"
    FILES["baselines"].write_text(json.dumps(content))
    assert store("baseline set new cand").code == 0
    assert store("gate cand --against main").code == 3


INDEXES = {
    "no table": lambda connection: connection.execute("DROP TABLE scores"),
    "no version": lambda connection: connection.execute("DROP TABLE alembic_version"),
    "odd cells": lambda connection: connection.execute("UPDATE runs SET flags = 'x', status = 7"),
    "no rows": lambda connection: connection.execute("DELETE FROM runs"),
}


@pytest.mark.parametrize("damage", INDEXES)
def test_an_index_with_other_content_is_read_past_and_made_anew(store, damage):
    with database() as connection:
        INDEXES[damage](connection)
    listed = store("runs list --json")
    assert (listed.code, json.loads(listed.out)["total"]) == (0, 4)
    assert {row["status"] for row in json.loads(listed.out)["runs"]} == {"completed"}
    assert store("reindex").code == 0
    assert store("runs list").err == "4 runs\n"


def test_an_index_that_someone_holds_is_read_past(store, monkeypatch):
    monkeypatch.setattr(index, "_WAIT_MS", 100)
    with database(isolation_level=None) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        listed = store("runs list --json")
        assert (listed.code, json.loads(listed.out)["total"], "is locked" in listed.err) == (0, 4, True)
        held = store("reindex")
        assert (held.code, "wait for whoever holds it" in held.err) == (5, True)
    assert store("runs list").err == "4 runs\n"


def test_flipped_bytes_of_the_index_never_end_in_a_bug(store):
    good, draw = FILES["index"].read_bytes(), random.Random(3)
    for _ in range(40):
        content = bytearray(good)
        for _ in range(draw.randint(1, 30)):
            content[draw.randrange(len(content))] = draw.randrange(256)
        FILES["index"].write_bytes(content)
        listed = store("runs list --json")
        assert (listed.code, json.loads(listed.out)["total"]) == (0, 4), listed
        mended = store("reindex")
        assert mended.code == 0, mended
