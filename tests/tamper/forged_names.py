"""Rows of the table: names that are taken for others, runs and baselines that stand where others stood."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from functools import partial
from pathlib import Path

from tests.tamper.forged_data import answered
from tests.tamper.rows import AGAINST, WORSE, Row, nothing, run
from tests.tamper.worlds import answers


def copied(run_name: str, place: str, *lines: str) -> None:
    """Copy a run's folder over another place, then run commands."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(f"runs/{run_name}", place)
    run(*lines)


def made_again(predictions: str) -> None:
    """Make the baseline's run again under its name."""
    shutil.rmtree("runs/base")
    run(f"eval task.yaml --predictions {predictions} --name base")


def from_elsewhere() -> None:
    """Copy a run from a folder that has counted further."""
    for n in range(8):
        run(f"eval task.yaml --predictions good.jsonl --name r{n} --runs-dir far")
    shutil.copytree("far/r7", "runs/r7")


def indexed() -> None:
    """Say in the index that the good run is the newest, the best, and the baseline."""
    run("runs list")
    with sqlite3.connect("runs/.steelyard/index.sqlite") as index:
        index.execute("UPDATE runs SET created_at = '2099-01-01', primary_score = 1.0 WHERE name = 'good'")
        index.execute("UPDATE baselines SET path = 'weak', run_id = (SELECT run_id FROM runs WHERE name = 'weak')")
    index.close()


def touched() -> None:
    """Make the good run the newest by the clock of its files."""
    for file in Path("runs/good").rglob("*"):
        os.utime(file, (4e9, 4e9))


def _id(name: str) -> str:
    return str(json.loads(Path(f"runs/{name}/run.json").read_bytes())["run_id"])


def by_id() -> None:
    """Call a run by another's id."""
    copied("good", f"runs/{_id('worse')}")


NAMES = "names"
NAMED = (
    Row(NAMES, "a run against itself", nothing, "gate base --against base"),
    Row(NAMES, "a run against the baseline that it is", nothing, "gate base --against main"),
    Row(NAMES, "a run against itself by path", nothing, "gate runs/worse --against worse"),
    Row(NAMES, "a run against itself as latest", nothing, "gate weak --against latest"),
    Row(NAMES, "a run against its copy", partial(copied, "worse", "runs/copy"), "gate worse --against copy"),
    Row(NAMES, "a copy of the baseline", partial(copied, "base", "runs/copy"), "gate copy --against main"),
    Row(NAMES, "a link to the baseline", lambda: Path("runs/forged").symlink_to("base")),
    Row(NAMES, "a folder here of the run's name", partial(copied, "good", "worse"), WORSE),
    Row(NAMES, "a folder here of the baseline's name", partial(copied, "weak", "main"), WORSE),
    Row(
        NAMES,
        "a run of the baseline's name",
        partial(run, "eval task.yaml --predictions weak.jsonl --name main"),
        WORSE,
    ),
    Row(NAMES, "a folder called latest", partial(copied, "good", "runs/latest"), "gate latest --against main"),
    Row(NAMES, "a folder here called latest", partial(copied, "good", "latest"), "gate latest --against main"),
    Row(
        NAMES,
        "a copy of the good run is no later run",
        partial(copied, "good", "runs/zzz"),
        "gate latest --against main",
    ),
    Row(NAMES, "a run that was counted elsewhere", from_elsewhere, "gate latest --against main"),
    Row(NAMES, "the newest by the clock of files", touched, "gate latest --against main"),
    Row(NAMES, "the newest by the index", indexed, "gate latest --against main"),
    Row(NAMES, "the baseline by the index", indexed, WORSE),
    Row(NAMES, "a folder of another's id", by_id, WORSE),
    Row(NAMES, "the baseline made again from weaker answers", partial(made_again, "weak.jsonl"), WORSE),
    Row(NAMES, "the baseline made again from the run's answers", partial(made_again, "worse.jsonl"), WORSE),
    Row(NAMES, "the baseline's folder exchanged", partial(copied, "weak", "runs/base"), WORSE),
    Row(NAMES, "the baseline's folder the run's", partial(copied, "worse", "runs/base"), WORSE),
    Row(NAMES, "the baseline's folder removed", partial(shutil.rmtree, "runs/base"), "gate good --against main"),
    Row(NAMES, "the baseline's folder elsewhere", lambda: Path("runs/base").rename("kept"), "gate good --against main"),
    Row(NAMES, "the last run's folder removed", partial(shutil.rmtree, "runs/weak"), "gate latest --against main"),
    Row(NAMES, "no such run", nothing, "gate forged --against main"),
    Row(NAMES, "no such baseline", nothing, "gate good --against mian"),
    Row(NAMES, "a name of dots", nothing, "gate .. --against main"),
    Row(NAMES, "a baseline's name for a run", nothing, "gate main --against low"),
    Row(NAMES, "another task's latest", nothing, "gate latest@other --against main"),
    Row(
        NAMES,
        "a baseline set to a mock",
        partial(run, "eval task.yaml --model mock --name m", "baseline set main m"),
        WORSE,
    ),
    Row(
        NAMES,
        "a baseline set to nothing answered",
        partial(answered, [{"id": "i0", "output": None}]),
        "baseline set main forged",
    ),
    Row(NAMES, "a baseline set to no run", partial(run, "baseline set main nowhere"), WORSE),
)


def there_and_back() -> None:
    """Copy the baseline elsewhere and back, as a CI cache does."""
    copied("base", "kept")
    shutil.rmtree("runs/base")
    shutil.copytree("kept", "runs/base")


def renamed() -> None:
    """Move a run's folder by hand."""
    Path("runs/good").rename("runs/renamed")


GENUINE_NAMES = (
    Row(NAMES, "the baseline copied elsewhere and back", there_and_back, AGAINST.format(run="good")),
    Row(NAMES, "by path", nothing, "gate runs/good --against runs/base"),
    Row(NAMES, "the run's folder renamed", renamed, "gate renamed --against main"),
    Row(NAMES, "the latest", partial(answered, answers(57)), "gate latest --against main"),
)
