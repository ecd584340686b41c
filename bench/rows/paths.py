"""The path of rows: what is odd about a file costs its odd rows, and not the whole file.

Every way is measured beside the plain one over the same items: predictions in another order, a limit, quarantine, a
key, a gold set, conversations, an extraction. Items must be the same bytes wherever the way changes none.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measure import Cost, interleaved, run_command
from setting import Result, Setting
from workloads import workload

Row = dict[str, Any]
AT_MOST = 1.5
KEY = "Zt81hb5x-0Qm2LpA-81z"


@dataclass(frozen=True)
class Way:
    """Something about a file or a command, and how the plain one is changed for it."""

    name: str
    options: tuple[str, ...] = ()
    predictions: Callable[[list[Row]], list[Row]] = lambda rows: rows
    items: Callable[[list[Row]], list[Row]] = lambda rows: rows
    dotenv: str = ""
    same_items: bool = True
    """Whether `items.parquet` must be what the plain way leaves."""
    more: dict[str, str] = field(default_factory=dict)
    """Further environment variables."""


def _exchanged(rows: list[Row]) -> list[Row]:
    middle = len(rows) // 2
    return [*rows[:middle], rows[middle + 1], rows[middle], *rows[middle + 2 :]]


def _shuffled(rows: list[Row]) -> list[Row]:
    return random.Random(3).sample(rows, len(rows))


def _in_conversations(rows: list[Row]) -> list[Row]:
    return [row | {"conversation_id": f"c{number // 5}", "turn_idx": number % 5} for number, row in enumerate(rows)]


def _answer_lines(rows: list[Row]) -> list[Row]:
    return [row | {"prediction": f"Answer: {row['prediction']}"} for row in rows]


def ways(count: int) -> tuple[Way, ...]:
    """Return every way, over so many items."""
    return (
        Way("two neighbouring lines of predictions exchanged", predictions=_exchanged),
        Way("predictions shuffled", predictions=_shuffled),
        Way("--limit equal to the length", ("--limit", str(count))),
        Way("--bad-rows quarantine", ("--bad-rows", "quarantine")),
        Way("an API key in .env", dotenv=f"OPENAI_API_KEY={KEY}\n"),
        Way("an API key in the process environment", more={"OPENAI_API_KEY": KEY}),
        Way("a gold set"),
        Way("a conversation id", items=_in_conversations, same_items=False),
        Way("--extract answer_line", ("--extract", "answer_line"), predictions=_answer_lines, same_items=False),
    )


def measure(setting: Setting) -> list[Result]:
    count = setting.size(100_000, 20_000)
    rows = [json.loads(line) for line in workload(setting.folder, "short", count).read_text().splitlines()]
    items = [{name: value for name, value in row.items() if name != "prediction"} for row in rows]
    said = [{"id": row["id"], "prediction": row["prediction"]} for row in rows]
    plain = _prepared(setting.folder / "plain", Way("plain"), items, said)
    _run(setting, plain, Way("plain"))  # compiles the loops where this machine has not done so yet
    found = [_measured(setting, way, plain, items, said) for way in ways(count)]
    return [*found, _rescored(setting, plain, count), *_formats(setting, plain, items, said)]


def _measured(setting: Setting, way: Way, plain: Path, items: list[Row], said: list[Row]) -> Result:
    folder = _prepared(setting.folder / "odd", way, items, said)
    ours, usual = interleaved(lambda: _run(setting, folder, way), lambda: _run(setting, plain, Way("plain")), 3)
    if way.same_items:
        one, other = ((place / "runs/bench/eval/items.parquet").read_bytes() for place in (folder, plain))
        assert one == other, f"{way.name}: the items are others"
    return Result(f"{len(items):,} items, {way.name}", "the plain way", AT_MOST, ours, usual, at_most=True)


def _prepared(folder: Path, way: Way, items: list[Row], said: list[Row]) -> Path:
    """Write the files of a way into a folder of its own."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    _write(folder / "items.jsonl", way.items(items))
    _write(folder / "predictions.jsonl", way.predictions(said))
    (folder / ".env").write_text(way.dotenv)
    task: Row = {"task": "paths", "dataset": "items.jsonl", "predictions": "predictions.jsonl"}
    task |= {"answer_type": "text", "metrics": ["exact_match", "f1"]}
    if way.name == "a gold set":
        _write(folder / "gold.jsonl", items[:100])
        task["eval"] = {"gold_set": "gold.jsonl"}
    (folder / "task.yaml").write_text(json.dumps(task))
    return folder


def _write(file: Path, rows: list[Row]) -> None:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _run(setting: Setting, folder: Path, way: Way) -> Cost:
    shutil.rmtree(folder / "runs", ignore_errors=True)
    command = [setting.command, "eval", "task.yaml", "--name", "bench", *way.options]
    return run_command(["env", *(f"{name}={value}" for name, value in way.more.items()), *command], folder=folder)


def _rescored(setting: Setting, plain: Path, count: int) -> Result:
    """A journal in another order, as that of a concurrent model is, judged again beside one in order."""
    folder = setting.folder / "odd"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(plain, folder)
    journal = folder / "runs/bench/predictions.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    shuffled = folder / "predictions.jsonl"
    shuffled.write_bytes(b"".join(random.Random(3).sample(lines, len(lines))))
    (plain / "in_order.jsonl").write_bytes(b"".join(lines))
    ours, usual = interleaved(
        lambda: _run(setting, folder, Way("")),
        lambda: _run(setting, plain, Way("", ("--predictions", "in_order.jsonl"))),
        3,
    )
    return Result(f"{count:,} items, a shuffled journal", "the journal in order", AT_MOST, ours, usual, at_most=True)


def _formats(setting: Setting, plain: Path, items: list[Row], said: list[Row]) -> list[Result]:
    """CSV and Parquet beside the JSONL of the same rows."""
    import polars

    found = []
    for form in ("csv", "parquet"):
        folder = _prepared(setting.folder / "odd", Way("plain"), items, said)
        flat = polars.DataFrame([_flat(row) for row in items])
        for name, frame in (("items", flat), ("predictions", polars.DataFrame(said))):
            target = folder / f"{name}.{form}"
            frame.write_csv(target) if form == "csv" else frame.write_parquet(target)
        task = json.loads((folder / "task.yaml").read_text())
        task |= {"dataset": f"items.{form}", "predictions": f"predictions.{form}"}
        (folder / "task.yaml").write_text(json.dumps(task))
        ours, usual = interleaved(
            lambda folder=folder: _run(setting, folder, Way("")), lambda: _run(setting, plain, Way("plain")), 3
        )
        found.append(Result(f"{len(items):,} items from {form}", "from JSONL", 3.0, ours, usual, at_most=True))
    return found


def _flat(row: Row) -> Row:
    """Return a row whose tags are fields of their own."""
    return {name: value for name, value in row.items() if name != "tags"} | row["tags"]
