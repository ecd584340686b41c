"""Rows of the table: what was derived is changed and its hashes are made anew, while the answers stay what they were.

`steelyard gate --verify` judges the answers again, and finds it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from steelyard.runs.sealing import seal_derived
from steelyard.store.files import json_bytes
from steelyard.store.seals import sealed
from tests.tamper.rows import Row

FAMILY = "made anew with its hashes"
COLUMNS = (
    "item_id", "state", "expected", "predicted", "correctness", "eval_time_ms", "input", "output", "pass", "explain",
    "error_tags", "item_hash", "tag.source", "prompt_tokens", "completion_tokens", "conversation", "turn", "error",
    "loss", "n_tokens",
)  # fmt: skip
FIGURES: dict[str, tuple[tuple[str | int, ...], ...]] = {
    "stored": (("metrics", "f1"), ("metrics", "exact_match"), ("slices", "source", "a", "n")),
    "asked": (("metrics", "accuracy"), ("metrics", "macro_f1"), ("slices", "source", "a", "n")),
}
SHARED: tuple[tuple[str | int, ...], ...] = (
    ("primary_metric",),
    ("scorecard", "primary_score"),
    ("scorecard", "n_scored"),
    ("scorecard", "states", "scored"),
    ("signatures", "scorers"),
    ("error_tags",),
)
FLAGS: tuple[tuple[tuple[str | int, ...], Any], ...] = (
    (("flags",), ["limited"]),
    (("counts", "n_scored"), 59),
    (("counts", "n_skipped"), 1),
    (("counts", "states", "missing"), 1),
    (("primary_score",), 0.5),
)


def rows_made_anew() -> Iterator[Row]:
    """Yield every column, every figure and every flag of a run that may ship, and of its baseline."""
    for run in ("good", "base"):
        for kind, figures in FIGURES.items():
            for column in COLUMNS:
                yield _row(kind, f"{run}: {column}", partial(change_column, run, column))
            for place in (*SHARED, *figures):
                yield _row(kind, f"{run}: {'.'.join(map(str, place))}", partial(change_figure, run, place))
            yield _row(kind, f"{run}: hard examples", partial(write_derived, run, "hard_examples.jsonl", b"{}\n"))
        yield _row("asked", f"{run}: confusion", partial(write_derived, run, "confusion_matrix.json", b"{}\n"))
        for place, value in FLAGS:
            name = f"{run}: {'.'.join(map(str, place))} = {value}"
            yield _row("stored", name, partial(change_record, run, place, value))


def _row(kind: str, name: str, change: Callable[[], object]) -> Row:
    return Row(FAMILY, f"{kind}, {name}", change, "gate good --against main --verify", kind)


def change_column(run: str, name: str) -> None:
    """Write another value for the first item in one column."""
    file = Path("runs") / run / "eval/items.parquet"
    table = pq.read_table(file)
    place = table.column_names.index(name)
    values = table.column(place).to_pylist()
    kind = table.schema.field(place).type
    values[0] = _something(kind) if values[0] is None else _other(values[0])
    pq.write_table(table.set_column(place, name, pa.array(values, kind)), file)
    seal_derived(Path("runs") / run)


def _something(kind: Any) -> Any:
    return "x" if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind) else 7


def _other(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case float() | int():
            return 1.0 - value
        case str():
            return f"{value}x"
        case list():
            return [*value, "x"]
    return None


def change_figure(run: str, place: tuple[str | int, ...]) -> None:
    """Write another figure into the results."""
    file = Path("runs") / run / "eval/eval_results.json"
    content = json.loads(file.read_bytes())
    found = content
    for name in place[:-1]:
        found = found[name]
    found[place[-1]] = _other(found[place[-1]]) if not isinstance(found[place[-1]], dict) else {"x": 1}
    file.write_bytes(json_bytes(content))
    seal_derived(Path("runs") / run)


def write_derived(run: str, name: str, content: bytes) -> None:
    """Write another file under `eval/`."""
    (Path("runs") / run / "eval" / name).write_bytes(content)
    seal_derived(Path("runs") / run)


def change_record(run: str, place: tuple[str | int, ...], value: Any) -> None:
    """Write another value into `run.json`, and its seal anew."""
    file = Path("runs") / run / "run.json"
    content = json.loads(file.read_bytes())
    found = content
    for name in place[:-1]:
        found = found[name]
    found[place[-1]] = value
    file.write_bytes(json_bytes(sealed(content)))
