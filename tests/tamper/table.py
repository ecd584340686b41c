"""The table of the campaign: what is changed, and by which command it would pass."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.tamper.changes import ANY, TEXT, Change, append_lines, changes_of, exchange, set_json
from tests.tamper.forged_data import GENUINE_DATA, INPUTS, JUDGED
from tests.tamper.forged_names import GENUINE_NAMES, NAMED
from tests.tamper.forged_policies import GENUINE_POLICIES, POLICY_ROWS
from tests.tamper.forged_states import GENUINE_STATES, STATED, SUITE_ROWS
from tests.tamper.resealed import rows_made_anew
from tests.tamper.worlds import steelyard

RUN = ("run.json", "config.yaml", "environment.json", "hashes.json", "manifest.json", "predictions.jsonl")
EVAL = ("eval_results.json", "items.parquet", "hard_examples.jsonl", "report.html", "hashes.json")
TASK_FILES = (*RUN, *(f"eval/{name}" for name in EVAL))
FILES = {
    "stored": TASK_FILES,
    "asked": (*TASK_FILES, "eval/confusion_matrix.json"),
    "suite": ("suite.json", *(f"two/{name}" for name in TASK_FILES)),
    "conversations": (*TASK_FILES, "eval/validation.csv"),
    "research": (*TASK_FILES[:5], *TASK_FILES[6:], "eval/research_runs.jsonl"),
}
"""The files of each kind of run."""
GATE = "gate good --against main"
FORGED = (*INPUTS, *JUDGED, *POLICY_ROWS, *NAMED, *STATED, *SUITE_ROWS, *rows_made_anew())
GENUINE = (*GENUINE_DATA, *GENUINE_POLICIES, *GENUINE_NAMES, *GENUINE_STATES)


@dataclass(frozen=True)
class Case:
    """One way to forge, confuse or starve a gate; or, where `passes`, a clean one that must pass."""

    family: str
    name: str
    kind: str
    change: Callable[[], object]
    command: str = GATE
    passes: bool = False


def nothing() -> None:
    """Change nothing."""


def cases() -> list[Case]:
    """Return the whole table."""
    found = [*file_cases(), *laundered(), *field_cases(), *suite_field_cases(), *folder_cases()]
    for rows, passes in ((FORGED, False), (GENUINE, True)):
        found += [Case(row.family, row.name, row.kind, row.change, row.command, passes) for row in rows]
    return found


class UnchangedError(Exception):
    """Two runs share the bytes of this file, or it has nothing that could change so: there is nothing to forge."""


def _at(run: str, other: str, file: str, change: Change) -> None:
    place = Path("runs") / run / file
    before = place.read_bytes()
    change(place, Path("runs") / other / file)
    if place.is_file() and place.read_bytes() == before:
        raise UnchangedError


def file_cases() -> Iterator[Case]:
    """Every file of a run that may ship, and of its baseline, changed in every way; a pass would rest on it."""
    for kind, files in FILES.items():
        for run, family in (("good", "a file of the run"), ("base", "a file of the baseline")):
            yield Case(family, f"{kind}: nothing", kind, nothing, passes=True)
            for file in files:
                for change in changes_of(file):
                    name = f"{kind}: {file}, {change.__name__}"
                    yield Case(family, name, kind, partial(_at, run, "weak", file, change))


HEALERS = ("rescore worse", "reindex", "baseline set main base", "runs list", "reproduce --run worse --verify-only")
"""Our own commands, which might give a forged file new hashes."""


def laundered() -> Iterator[Case]:
    """A run that may not ship is given a file of one that may, and then one of our commands."""
    for kind in ("stored", "asked", "conversations", "suite"):
        for file in FILES[kind]:
            for command in HEALERS:
                if "worse" in command and kind == "suite":
                    command = command.replace("worse", "worse/two")  # noqa: PLW2901 - a task of it has the file
                name = f"{kind}: {file} of a better run, then {command}"
                change = partial(_laundered, file, command)
                yield Case("laundered by our commands", name, kind, change, "gate worse --against main")
    yield Case(
        "laundered by our commands", "nothing, then rescore", "stored", partial(_run, "rescore good"), passes=True
    )


def _laundered(file: str, command: str) -> None:
    _at("worse", "good", file, exchange)
    _run(command)


def _run(command: str) -> None:
    steelyard(command)


FIELDS: dict[tuple[str | int, ...], tuple[Any, ...]] = {
    ("run_id",): ("run_20200101_000000_000000", "", None, 7),
    ("name",): ("other", ""),
    ("status",): ("running", "failed", "decided", "over_budget", "interrupted", "done", None),
    ("created_at",): ("2020-01-01T00:00:00+00:00", "2099-01-01T00:00:00+00:00", "yesterday"),
    ("task",): ("other", ""),
    ("steelyard_version",): ("9.9.9",),
    ("format_version",): (0, 1, 3, -1, "2", None, ...),
    ("host",): ("elsewhere",),
    ("error",): ("none",),
    ("task_version",): ("2",),
    ("model", "name"): ("another", ...),
    ("dataset", "sha256"): ("sha256:0", ...),
    ("prompt_version",): ("p9",),
    ("schema_version",): ("v2",),
    ("scorer_version",): ("answer_correctness@v2",),
    ("signatures", "scorers"): ([], ["other@v1"]),
    ("signatures", "metrics"): ([],),
    ("counts", "n_items"): (0, 1, 10**9, -1, "60"),
    ("counts", "n_scored"): (0,),
    ("counts", "states", "scored"): (0, 61),
    ("primary_metric",): ("f1", "latency", None),
    ("primary_score",): (1.0, 0.0, 2.0, None, float("nan"), "1"),
    ("flags",): (["mock"], ["quarantined_rows"], ["not_evaluated"], ["limited"]),
    ("kind",): ("mock", "repeat", "suite", "other"),
    ("sequence",): (99, 0, -1, None, "2"),
    ("fingerprint",): ("sha256:0", None, ...),
    ("files",): ({}, None),
    ("files", "predictions.jsonl"): ("sha256:0", ...),
    ("seal",): ("sha256:0", None, ...),
}
"""Every field of `run.json`, and what might be written there."""


def field_cases() -> Iterator[Case]:
    """Every field of `run.json` of the run and of its baseline, one by one."""
    for run in ("good", "base"):
        for place, values in FIELDS.items():
            for value in values:
                name = f"{run}: {'.'.join(map(str, place))} = {'nothing' if value is ... else value}"
                change = partial(set_json, Path("runs") / run / "run.json", place, value)
                yield Case("a field of run.json", name, "stored", change)
    yield Case("a field of run.json", "nothing", "stored", nothing, passes=True)


SUITE_FIELDS: dict[tuple[str | int, ...], tuple[Any, ...]] = {
    ("suite_id",): ("suite_20200101_000000_000000",),
    ("format_version",): (0, 1, 3, None, ...),
    ("sequence",): (99, None),
    ("tasks",): ([],),
    ("tasks", 1): (...,),
    ("tasks", 1, "task"): ("one", "three"),
    ("tasks", 1, "path"): ("one", None, "../base/two", "../good/two"),
    ("tasks", 1, "run_id"): ("run_20200101_000000_000000", None),
    ("tasks", 1, "fingerprint"): ("sha256:0", None),
    ("policy",): ({}, {"gates": [{"metric": "exact_match", "min": 0}]}),
    ("policy", "required"): (["one"],),
    ("seal",): (None, ...),
}
"""Every field of `suite.json` that a verdict rests on."""


def suite_field_cases() -> Iterator[Case]:
    """Every field of `suite.json` of a suite that may not ship, and of the baseline's, one by one."""
    for run in ("worse", "base"):
        for place, values in SUITE_FIELDS.items():
            for value in values:
                name = f"{run}: {'.'.join(map(str, place))} = {'nothing' if value is ... else value}"
                change = partial(set_json, Path("runs") / run / "suite.json", place, value)
                yield Case("a field of suite.json", name, "suite", change, "gate worse --against main")
        for tasks in ((("one", "one"),), (("one", "one"), ("two", "one")), (("one", "one"), ("two", "../good/two"))):
            change = partial(old_suite, Path("runs") / run / "suite.json", tasks)
            name = f"{run}: as format 1 had it, with {' and '.join(map(' at '.join, tasks))}"
            yield Case("a field of suite.json", name, "suite", change, "gate worse --against main")
    yield Case("a field of suite.json", "nothing", "suite", nothing, passes=True)


def old_suite(file: Path, places: tuple[tuple[str, str], ...]) -> None:
    """Write a suite's record as format 1 had it, which kept no hashes, with other runs for its tasks."""
    content = json.loads(file.read_bytes())
    tasks = [{"task": task, "file": "task.yaml", "path": path, "error": None} for task, path in places]
    kept = {name: content[name] for name in ("suite_id", "name", "suite", "created_at", "steelyard_version", "policy")}
    file.write_text(json.dumps(kept | {"tasks": tasks}, indent=2))


FOLDER = ("baselines.json", "moves.jsonl", "started.jsonl", "verdicts.jsonl", "index.sqlite", ".lock")
REFUSED = ("gate worse --against main", "gate latest --against main", "gate latest@words --against main")
"""What a gate refuses whatever befalls the folder's own files."""


def folder_cases() -> Iterator[Case]:
    """Every file of the folder beside the runs, changed in every way, under each name by which a run can be called."""
    for file in FOLDER:
        for change in TEXT if file.endswith((".json", ".jsonl")) else ANY:
            for command in REFUSED:
                name = f"{file}, {change.__name__}: {command}"
                yield Case("a file of the folder", name, "stored", partial(_in_folder, file, change), command)
    for file in ("moves.jsonl", "started.jsonl", "verdicts.jsonl"):
        for command in REFUSED:
            change = partial(_in_folder, file, append_lines)
            yield Case("a file of the folder", f"{file}, append_lines: {command}", "stored", change, command)
    for command in ("gate good --against main", "gate good --against base"):
        yield Case("a file of the folder", command, "stored", nothing, command, passes=True)


def _in_folder(file: str, change: Change) -> None:
    """Change a file of the folder; another folder's is one in which `main` is the weak run and the good one is last."""
    steelyard("gate worse --against main")
    steelyard("runs list")
    other = Path("elsewhere")
    if change in (exchange, append_lines):
        shutil.copytree("runs", other)
        steelyard("baseline set main weak --runs-dir elsewhere")
        steelyard("runs list --runs-dir elsewhere")
        steelyard("gate good --against main --runs-dir elsewhere")
        shutil.copytree(other / "good", "kept")
        lines = (other / ".steelyard/started.jsonl").read_bytes().splitlines(keepends=True)
        (other / ".steelyard/started.jsonl").write_bytes(b"".join(lines[:2]))
    place = Path("runs/.steelyard") / file
    before = place.read_bytes()
    change(place, other / ".steelyard" / file)
    if place.is_file() and place.read_bytes() == before:
        raise UnchangedError
