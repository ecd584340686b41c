"""Every field of an item and of a prediction, given in rows, is the same by columns as by items.

A small file goes by items, and a file above 1 MiB by columns; both hold the same rows, the large one many times over.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars
import pytest

from steelyard.records import measures
from steelyard.records.items import Item, Prediction
from steelyard.records.measures import MEASURES, Measure
from tests.faults.killing import in_child
from tests.ways.places import inside, steelyard, write_rows

KEY = "Zt81hb5x-0Qm2LpA-81z"
"""A key of `.env`: it is taken out of whatever a run keeps."""
LONG = "how much is it? " * 40
COPIES = 60
KNOWN_RED: dict[tuple[str, str], str] = {}
"""Fields by files that differ today, each with the reason; one that is mended has to leave this list."""


@dataclass(frozen=True)
class Given:
    """What rows say of a field, and the columns of items in which the first of them then stands."""

    said: tuple[dict[str, Any], ...]
    columns: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """What is said, and again with whole numbers: a fraction is kept in another way, and its row with it."""
        fractions = [row for row in self.said if any(isinstance(value, float) for value in row.values())]
        return (*self.said, *({name: _whole(value) for name, value in row.items()} for row in fractions))


def _whole(value: Any) -> Any:
    return int(value) + 2 if isinstance(value, float) else value


PREDICTION = {
    "fields": Given(
        (
            {"confidence": 0.25},
            {"confidence": "high"},
            {"probabilities": {"yes": 0.75, "no": 0.25}},
            {"note": "kept", "ok": True},
        ),
    ),
    "state": Given(({"state": "failed"}, {"status": "timeout"}, {"state": "missing"}), ("state",)),
    "error": Given(({"error": "boom"}, {"error": {"type": "Timeout", "message": "late"}}), ("error",)),
    "eval_time_ms": Given(
        ({"eval_time_ms": 12.5}, {"latency_ms": 3}, {"eval_time_ms": 2.25, "latency_ms": 9}, {"latency_ms": 1e-3}),
        ("eval_time_ms",),
    ),
    "prompt_tokens": Given(({"prompt_tokens": 7}, {"tokens_in": 8}, {"prompt_tokens": 9.0}), ("prompt_tokens",)),
    "completion_tokens": Given(({"completion_tokens": 7}, {"tokens_out": 8}), ("completion_tokens",)),
    "loss": Given(({"loss": 0.5, "n_tokens": 7}, {"loss": 2}), ("loss",)),
    "n_tokens": Given(({"n_tokens": 7}, {"n_tokens": 3.5}), ("n_tokens",)),
    "line": Given(({},)),
    "held_key": Given(({"prediction": f"it is {KEY}"}, {"secret_in_output": True}), ("error_tags",)),
}
"""What a prediction's row may say, by the field of the record that is made of it."""
ITEM = {
    "id": Given(({"id": 7}, {"id": "ï-ß"}), ("item_id",)),
    "input": Given(({"input": "naïve 营收?"}, {"input": 12}, {"input": ""}), ("input",)),
    "fields": Given(({"reference": {"value": "yep", "aliases": ["yes"]}}, {"extra": {"deep": [1, 2]}}), ("expected",)),
    "tags": Given(({"difficulty": "hard"}, {"tags": {"source": "web", "level": 3, "own": True}}), ("tag.difficulty",)),
    "line": Given(({},)),
    "conversation": Given(({"conversation_id": "c1"}, {"conversation_id": 4}), ("conversation",)),
    "turn": Given(({"conversation_id": "c2", "turn_idx": 3},), ("turn",)),
    "held_keys": Given(({"input": f"what is {KEY}?"}, {"reference": f"no {KEY}"}), ("input",)),
}
"""What an item's row may say, by the field of the record that is made of it."""
JUDGED = {
    "expected", "predicted", "correctness", "pass", "explain", "item_hash", "output", "truth", "guess",
}  # fmt: skip
"""Columns that say how an item was judged."""


_AS_TEXT = "--answer-type text --scorer answer_correctness@v1"
COMMANDS = {
    "carried": f"eval --dataset carried.jsonl {_AS_TEXT}",
    "separate": f"eval --dataset items.jsonl --predictions predictions.jsonl {_AS_TEXT}",
    "labels": "eval --dataset carried.jsonl --answer-type label",
}
"""Predictions in the rows of the dataset, in a file of their own, and judged as labels."""


def variants() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Return what differs from an ordinary row, for the item and for the prediction, by field and number."""
    found = {f"Item.{name}.{n}": (row, {}) for name, given in ITEM.items() for n, row in enumerate(given.rows)}
    return found | {
        f"Prediction.{name}.{n}": ({}, row) for name, given in PREDICTION.items() for n, row in enumerate(given.rows)
    }


def identity(name: str, copy: int, row: dict[str, Any]) -> str | int:
    """Return the id of a copy: what the row says, if it does, else the name; then the number."""
    given = row.get("id", name)
    return given * 1000 + copy if isinstance(given, int) else f"{given}.{copy}"


def pair(name: str, copy: int, item: dict[str, Any], prediction: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return the rows of an item and its prediction."""
    own = {"id": identity(name, copy, item)}
    row = {"input": LONG, "reference": "yes", "tags": {"source": "human"}} | item | own
    return row, {"prediction": "yes" if copy % 2 else "no"} | prediction | own


def write(copies: int) -> None:
    """Write every variant so many times, each beside an ordinary row, carried and separate."""
    pairs = [
        pair(name if odd else f"ordinary {name}", copy, *(given if odd else ({}, {})))
        for copy in range(copies)
        for name, given in variants().items()
        for odd in (True, False)
    ]
    write_rows("items.jsonl", [row for row, _ in pairs])
    write_rows("predictions.jsonl", [said for _, said in pairs])
    write_rows("carried.jsonl", [said | row for row, said in pairs])
    Path(".env").write_text(f"OPENAI_API_KEY={KEY}\n")


def evaluated(folder: Path, copies: int) -> Path:
    """Evaluate so many copies of every variant in a process of its own, which alone learns the key."""
    folder.mkdir()
    with inside(folder):
        write(copies)
        for name, command in COMMANDS.items():
            line = f"{command} --name {name}"
            assert in_child(lambda line=line: steelyard(line).code) == 0, line
    return folder


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Return the items of a small and of a large file, by the way in which predictions are given."""
    root = tmp_path_factory.mktemp("columns")
    with inside(root):
        assert steelyard("cache compile").code == 0
    small, large = evaluated(root / "small", 2), evaluated(root / "large", COPIES)
    assert (small / "items.jsonl").stat().st_size < 1 << 20 < (large / "items.jsonl").stat().st_size
    return {name: (table(small, name), table(large, name)) for name in COMMANDS}


def table(folder: Path, name: str) -> dict[str, dict[str, Any]]:
    """Return the rows of items by id."""
    frame = polars.read_parquet(folder / "runs" / name / "eval/items.parquet")
    return {row["item_id"]: row for row in frame.to_dicts()}


def cell(field, files):
    reason = KNOWN_RED.get((field, files))
    marks = [pytest.mark.xfail(reason=reason, raises=AssertionError, strict=True)] if reason else []
    return pytest.param(field, files, id=f"{field}-{files}", marks=marks)


FIELDS = {f"Item.{name}": given for name, given in ITEM.items()}
FIELDS |= {f"Prediction.{name}": given for name, given in PREDICTION.items()}


def test_every_field_of_a_row_is_given():
    assert {*ITEM} == {*Item.__struct_fields__}
    named = {measure.name for measure in MEASURES}
    assert {*PREDICTION} == {*Prediction.__struct_fields__} - {"measures"} | named


@pytest.mark.parametrize(("field", "files"), [cell(field, files) for field in FIELDS for files in COMMANDS])
def test_a_field_is_the_same_by_columns_as_by_items(both, field, files):
    small, large = both[files]
    for number, row in enumerate(FIELDS[field].rows):
        ids = [str(identity(f"{field}.{number}", copy, row)) for copy in range(COPIES)]
        for copy, found in enumerate(ids):
            assert large[found] == small[ids[copy % 2]] | {"item_id": found}


@pytest.mark.parametrize("field", [field for field, given in FIELDS.items() if given.columns])
def test_a_field_that_is_given_stands_in_its_columns(both, field):
    small, _ = both["labels"]
    given = FIELDS[field]
    odd, ordinary = small[str(identity(f"{field}.0", 0, given.rows[0]))], small[f"ordinary {field}.0.0"]
    assert [name for name in given.columns if odd[name] == ordinary[name]] == []


@pytest.mark.parametrize("files", COMMANDS)
def test_every_column_that_is_no_judgement_is_of_a_field_that_is_given(both, files):
    small, _ = both[files]
    found = {name for row in small.values() for name in row if not name.startswith(("tag.", "score."))}
    assert found - JUDGED <= {name for given in FIELDS.values() for name in given.columns}


@pytest.mark.parametrize("copies", [2, 4000], ids=["by items", "by columns"])
def test_a_measure_is_added_by_one_line(copies, tmp_path, monkeypatch):
    monkeypatch.setattr(measures, "MEASURES", (*MEASURES, Measure("cost", ("price",))))
    rows = [{"id": n, "input": LONG, "reference": "yes", "prediction": "yes", "price": n / 8} for n in range(copies)]
    with inside(tmp_path):
        write_rows("carried.jsonl", rows)
        assert steelyard(f"{COMMANDS['carried']} --name first").code == 0
        before = Path("runs/first/eval/items.parquet").read_bytes()
        assert steelyard("rescore first").code == 0
        assert Path("runs/first/eval/items.parquet").read_bytes() == before
    assert [row["cost"] for row in table(tmp_path, "first").values()] == [row["price"] for row in rows]
