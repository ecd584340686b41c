"""`make faults`: every command that writes is killed, and finds the disk full, at every call that changes the disk.

Whatever became of it: no other run, baseline or verdict is touched, what is damaged is told and mended by the command
that says so, nothing unfinished passes, and the same command again ends as if nothing had happened.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.faults.jobs import BESIDE, JOBS, OTHER, WORLDS, Job
from tests.faults.killing import Mines, in_child, no_room, warm
from tests.tamper.worlds import World, inside, made, steelyard

pytestmark = pytest.mark.timeout(3000)

SAMPLE = 19
"""With every test run, one place of so many is tried; `make faults` tries all."""
TRAINED = 4
"""A training is a second of work: one place of so many is tried."""


def said(*lines):
    """What commands say and end with, each told apart by its line; in a process of their own."""
    report = Path("said.json")

    def work():
        report.write_text(json.dumps([steelyard(line) for line in lines]))
        return 0

    assert in_child(work) == 0
    found = dict(zip(lines, json.loads(report.read_text()), strict=True))
    report.unlink()
    return found


def mined(job: Job, mines: Mines, report: Path | None = None):
    """The command over mines: what it ends with, after what it said and what it did to the disk were noted."""

    def work():
        mines.lay()
        code, out, err = steelyard(job.line)
        print(out, err)
        if report is not None:
            report.write_text(json.dumps(mines.kinds))
        return code

    return work


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    """A folder of each kind, made once, by processes of their own: no thread of theirs is there when we fork."""
    known: dict[str, World] = {}
    warm()

    def world(kind: str) -> World:
        if kind == "train":
            # Imported once, and before any process is forked.
            from tests import tiny_models  # noqa: F401
        if kind not in known:
            root = tmp_path_factory.mktemp(kind)
            with inside(root):
                assert in_child(lambda: making(kind), said=str(root / "made.txt")) == 0, (root / "made.txt").read_text()
            known[kind] = World(root)
        return known[kind]

    return world


def making(kind: str) -> int:
    WORLDS[kind]()
    made("baseline set low weak")
    made("baseline set main base")
    return 0


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Campaign:
    """One command, stopped at one place after another."""

    def __init__(self, name: str, world: World) -> None:
        self.name, self.job, self.world = name, JOBS[name], world
        self.before = content(world.folder)
        self.counts: Counter[str] = Counter()
        report = Path("kinds.json")
        self.code = in_child(mined(self.job, Mines(), report), said="whole.txt")
        assert self.code in (0, 1), Path("whole.txt").read_text()
        Path("whole.txt").unlink()
        self.kinds = json.loads(report.read_text())
        report.unlink()
        self.derived = self.eval_bytes()
        verdict, *held = said(self.verdict, *self.job.holds).values()
        self.passes, self.held = verdict[0], [code for code, _, _ in held]

    @property
    def verdict(self) -> str:
        return f"gate {self.job.target} --against low"

    def eval_bytes(self) -> dict[str, bytes]:
        """What the target derived; a model's answers take another time each time, and are held by their verdict."""
        if self.job.kind == "train":
            return {}
        return content(self.world.folder / "runs" / self.job.target)

    def places(self, *, torn: bool, every: int) -> list[int]:
        found = [place for place, kind in enumerate(self.kinds, start=1) if not torn or kind == "write"]
        return found[:: every * (TRAINED if self.job.kind == "train" else 1)]

    def stopped(self, mines: Mines) -> tuple[int, str]:
        """Stop the command, hold what stands then, and finish it."""
        self.world.restore()
        found = Path("stopped.txt")
        code = in_child(mined(self.job, mines), said=str(found))
        text = found.read_text()
        found.unlink()
        self.counts["stopped"] += 1
        self.hold_others(mines)
        self.hold_target(mines)
        self.finish(mines)
        return code, text

    def hold_others(self, mines: Mines) -> None:
        """Nothing but the target changed; what is added beside the runs is added behind what was there."""
        after = content(self.world.folder)
        for name, data in self.before.items():
            path = Path(name)
            if path.is_relative_to(f"runs/{self.job.target}") or name in ("gates.xml", str(BESIDE / "baselines.json")):
                continue
            kept = after[name].startswith(data) if path.is_relative_to(BESIDE) else after[name] == data
            assert kept, (self.name, mines.at, name)
        for line, (code, _, err) in said("runs list", "baseline list", OTHER).items():
            assert (code, "Traceback" in err) == (0, False), (self.name, mines.at, line, err)

    def hold_target(self, mines: Mines) -> None:
        """The target has its verdict, or that of a run which did not end; `latest` is never the one before."""
        asked = (self.verdict, f"runs show {self.job.target}", "gate latest --against low")
        (code, _, err), shown, latest = said(*asked).values()
        assert "Traceback" not in err + shown[2] + latest[2], (self.name, mines.at, err, shown, latest)
        if mines.fault is no_room:
            assert [code for code, _, _ in said(*self.job.holds).values()] == self.held, (self.name, mines.at)
        if not self.job.ends:
            wanted = self.passes, 3, *((0, 1) if self.job.fails else ())
            assert code in wanted, (self.name, mines.at, code, err)
            assert code != 3 or "hint: " in err or "undecided" in err.lower(), (self.name, mines.at, err)
            return
        whole = self.is_complete()
        assert code in ((self.passes,) if whole else (1, 3)), (self.name, mines.at, code, err)
        assert latest[0] in ((self.passes,) if whole else (1, 3)) or not self.is_counted(), (
            self.name,
            mines.at,
            latest,
        )
        self.counts["complete" if whole else f"verdict {code}"] += 1

    def is_complete(self) -> bool:
        folder = Path("runs", self.job.target)
        try:
            if self.job.kind == "suite":
                tasks = json.loads((folder / "suite.json").read_bytes())["tasks"]
                return all(entry["path"] for entry in tasks)
            return json.loads((folder / "run.json").read_bytes())["status"] == "completed"
        except (OSError, ValueError):
            return False

    def is_counted(self) -> bool:
        started = (BESIDE / "started.jsonl").read_bytes().rpartition(b"\n")[0]
        return f'"path":"{self.job.target}"'.encode() in started

    def finish(self, mines: Mines) -> None:
        """The command again ends as it does where nothing stops it, and what it derived is the same."""
        again = self.job.line
        if self.is_complete() and self.job.ends:
            again = "runs list --json"
        elif self.job.kind == "train" and Path("runs", self.job.target, "run.json").is_file():
            again = f"train --resume {self.job.target}"
        found = said(again, self.verdict, "runs list", "baseline list")
        codes = [code for code, _, _ in found.values()]
        assert codes == [0 if again.startswith("runs") else self.code, self.passes, 0, 0], (self.name, mines.at, found)
        derived = self.eval_bytes()
        assert {name: derived.get(name) for name in self.derived if "eval/" in name} == {
            name: data for name, data in self.derived.items() if "eval/" in name
        }, (self.name, mines.at)


@pytest.fixture
def campaign(request, worlds):
    world = worlds(JOBS[request.param].kind)
    with inside(world.folder):
        world.restore()
        yield Campaign(request.param, world)
        world.restore()


def killed(campaign: Campaign, every: int) -> None:
    for torn in (False, True):
        for place in campaign.places(torn=torn, every=every):
            code, text = campaign.stopped(Mines(place, torn=torn))
            assert code == -9, (campaign.name, place, text)
    print(f"\n{campaign.name} killed: {dict(Counter(campaign.kinds))}: {dict(campaign.counts)}")


def starved(campaign: Campaign, every: int) -> None:
    for torn in (False, True):
        for place in campaign.places(torn=torn, every=every):
            for on in (False, True):
                code, text = campaign.stopped(Mines(place, torn=torn, fault=no_room, on=on))
                assert code in (5, campaign.code), (campaign.name, place, code, text)
                assert "Traceback" not in text, text
                assert code != 5 or "No space left" in text, text
                campaign.counts[f"exit {code}"] += 1
    print(f"\n{campaign.name} on a full disk: {dict(Counter(campaign.kinds))}: {dict(campaign.counts)}")


ALL = pytest.mark.parametrize("campaign", JOBS, indirect=True)
SOME = pytest.mark.parametrize("campaign", ["gate", "baseline", "rescore", "eval"], indirect=True)


@pytest.mark.campaign
@ALL
def test_a_command_that_is_killed_anywhere_harms_nothing_and_can_be_finished(campaign):
    killed(campaign, 1)


@pytest.mark.campaign
@ALL
def test_a_command_that_finds_no_room_anywhere_harms_nothing_and_can_be_finished(campaign):
    starved(campaign, 1)


@SOME
def test_a_sample_of_kills_harms_nothing(campaign):
    killed(campaign, SAMPLE)


@SOME
def test_a_sample_of_full_disks_harms_nothing(campaign):
    starved(campaign, SAMPLE)
