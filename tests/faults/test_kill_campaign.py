"""`make faults`: kill -9 at random and at every write, fsync and rename; nothing lost, doubled or asked twice."""

import json
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from steelyard.errors import SteelyardError
from steelyard.kinds.task.order import evaluate
from steelyard.tasks.loading import EvaluateOptions
from tests.faults.killing import MODEL, Mines, in_child

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(1800)]

ITEMS = 40
KILLS = 200
MOST_ATTEMPTS = 8
"""How often one run is killed before it may end: the later half of a run is killed as often as the first."""


@pytest.fixture(autouse=True)
def workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    (tmp_path / "dying.py").write_text(MODEL)
    yield tmp_path
    sys.modules.pop("dying", None)


def dataset(count):
    rows = [{"id": f"i{n}", "question": f"{n}?", "answer": str(n), "tags": {"odd": str(n % 2)}} for n in range(count)]
    Path("items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def work(name):
    def run():
        task = {
            "task": "t",
            "dataset": "items.jsonl",
            "fields": {"reference": "answer"},
            "metrics": ["exact_match"],
            "eval": {"slice_by_tags": ["odd"]},
        }
        try:
            evaluate(EvaluateOptions(task=task, model="python:dying:answer", name=name, resume=True))
        except SteelyardError as error:
            return error.exit_code
        return 0

    return run


def mined(name, mines, report=None):
    def run():
        mines.lay()
        code = work(name)()
        if report is not None:
            report.write_text(json.dumps(mines.kinds))
        return code

    return run


def journalled(folder, name):
    path = folder / "runs" / name / "predictions.jsonl"
    whole = path.read_bytes().rpartition(b"\n")[0] if path.is_file() else b""
    return [json.loads(line)["item_id"] for line in whole.splitlines()]


def asked(folder):
    path = folder / "asked.txt"
    return path.read_text().split() if path.exists() else []


def eval_bytes(folder, name):
    return {path.name: path.read_bytes() for path in sorted((folder / "runs" / name / "eval").iterdir())}


class Ledger:
    """What the campaign counts, over all rounds."""

    def __init__(self, folder):
        self.folder = folder
        self.counts = Counter(kills=0, lost=0, doubled=0, asked_again=0, different=0)

    def killed(self, before):
        """Count a kill."""
        self.counts["kills"] += 1
        self.ran(before)

    def ran(self, before):
        """Hold one process against what was journalled when it began."""
        self.counts["asked_again"] += len({*before} & {*asked(self.folder)})
        (self.folder / "asked.txt").unlink(missing_ok=True)

    def finished(self, name, expected, items):
        """Hold a finished run against an uninterrupted one."""
        found = Counter(journalled(self.folder, name))
        self.counts["lost"] += items - len(found)
        self.counts["doubled"] += sum(found.values()) - len(found)
        self.counts["different"] += eval_bytes(self.folder, name) != expected


def uninterrupted(folder, items):
    dataset(items)
    assert in_child(work("whole")) == 0
    (folder / "asked.txt").unlink()
    return eval_bytes(folder, "whole")


def test_two_hundred_random_kills_lose_nothing(workspace, monkeypatch):
    monkeypatch.setenv("ANSWER_SECONDS", "0.004")
    started = time.monotonic()
    expected = uninterrupted(workspace, ITEMS)
    whole = time.monotonic() - started
    ledger, draw = Ledger(workspace), random.Random(7)
    number = rounds = 0
    while ledger.counts["kills"] < KILLS:
        number += 1
        name = f"run{number}"
        for attempt in range(MOST_ATTEMPTS + 1):
            rounds += 1
            before = journalled(workspace, name)
            moment = draw.uniform(0, whole) if attempt < MOST_ATTEMPTS else None
            code = in_child(work(name), kill_after=moment)
            if code >= 0:
                assert code == 0
                ledger.ran(before)
                break
            ledger.killed(before)
        ledger.finished(name, expected, ITEMS)
    print(f"\nrandom: {dict(ledger.counts)} over {number} runs and {rounds} processes")
    assert ledger.counts["kills"] >= KILLS
    assert not any(count for what, count in ledger.counts.items() if what != "kills")


@pytest.mark.parametrize("torn", [False, True], ids=["before", "halfway"])
def test_a_kill_at_every_write_fsync_and_rename_loses_nothing(workspace, monkeypatch, torn):
    monkeypatch.setenv("ANSWER_SECONDS", "0.03")  # slower than the journal's sync, so that every line has its own
    items = 6
    expected = uninterrupted(workspace, items)
    report = workspace / "kinds.json"
    assert in_child(mined("counted", Mines(), report)) == 0
    (workspace / "asked.txt").unlink()
    kinds = json.loads(report.read_text())
    places = [number for number, kind in enumerate(kinds, start=1) if not torn or kind == "write"]
    ledger = Ledger(workspace)
    for place in places:
        name = f"at{place}"
        assert in_child(mined(name, Mines(place, torn=torn))) == -9
        ledger.killed([])
        before = journalled(workspace, name)
        assert in_child(work(name)) == 0
        ledger.ran(before)
        ledger.finished(name, expected, items)
    print(f"\nevery {'write, halfway' if torn else dict(Counter(kinds))}: {dict(ledger.counts)}")
    assert ledger.counts["kills"] == len(places) > 10
    assert {"write", "fsync", "rename"} <= {*kinds}
    assert not any(count for what, count in ledger.counts.items() if what != "kills")


def test_of_many_processes_on_one_run_exactly_one_owns_it(workspace, monkeypatch):
    monkeypatch.setenv("ANSWER_SECONDS", "0.02")
    expected = uninterrupted(workspace, 20)
    for number in range(5):
        name = f"shared{number}"
        children = []
        for _ in range(6):
            pid = os.fork()
            if not pid:
                os._exit(work(name)())
            children.append(pid)
        codes = Counter(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children)
        assert codes[0] >= 1
        assert {*codes} <= {0, 2, 5}
        assert Counter(asked(workspace)) == Counter(f"i{n}" for n in range(20))
        assert eval_bytes(workspace, name) == expected
        (workspace / "asked.txt").unlink()
        print(f"\nsix processes on one run: {dict(codes)}")
