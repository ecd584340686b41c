"""Values inside the files of a run, each of another kind than is written there: damage that is told, and never a bug.

The files can be read; what they hold cannot be used. A gate holds them to their hashes before it looks at them.
"""

import json
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from tests.tamper.worlds import World, inside, make_world, steelyard

DEEP, NOT_UTF8 = '"DEEP"', '"NOT UTF-8"'
RAW = {DEEP: b'{"a":' * 3000 + b"1" + b"}" * 3000, NOT_UTF8: b'"\xff\xfe"', '"HUGE"': b"9" * 5000, '"NAN"': b"NaN"}
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 10**30, 1e308, "", "x", "\ud800", "\0", "²", [], {}, [1], {"a": 1}),
    *("DEEP", "NOT UTF-8", "HUGE", "NAN"),
)
"""What is written in a value's place."""
COMMANDS = (
    "runs list --json",
    "runs show good",
    "runs items good --json",
    "compare --runs base,good --slice-by source",
    "report good --output page.html",
    "report base --compare good --output page.html",
    "baseline list",
    "gate good --against main",
    "gate latest --against main",
    "reproduce --run runs/good --verify-only",
    "rescore good",
    "reindex",
)
KINDS = ("stored", "conversations", "research")
FOUND = (
    ("stored", "run.json", ("signatures", "canonical", 0), "DEEP"),
    ("stored", "run.json", ("signatures", "metrics"), 10**30),
    ("stored", "run.json", ("counts", "states"), 7),
    ("stored", "run.json", ("model", "name"), "NOT UTF-8"),
    ("stored", "manifest.json", ("format",), "DEEP"),
    ("stored", "environment.json", ("packages", "numpy"), "NAN"),
    ("stored", "environment.json", ("packages", "numpy"), {}),
    ("stored", "environment.json", ("python",), ...),
    ("stored", "eval/eval_results.json", ("scorecard", "max_score"), "\ud800"),
    ("stored", "eval/eval_results.json", ("slices", "source", "a", "answer_correctness"), "x"),
    ("stored", "eval/hard_examples.jsonl", ("tags",), [1]),
    ("stored", "eval/hard_examples.jsonl", ("input",), "NAN"),
    ("stored", "eval/hard_examples.jsonl", ("error_tags",), 10**30),
    ("stored", "eval/hard_examples.jsonl", ("primary_metric",), "x"),
    ("conversations", "config.yaml", ("dataset",), ...),
    ("conversations", "eval/eval_results.json", ("conversations", "intervals", "unit_agnostic_accuracy"), "x"),
    ("research", "config.yaml", ("gates",), True),
    ("research", "config.yaml", ("gates", 0), {}),
    ("research", "config.yaml", ("thresholds", "golden_recall"), "x"),
    ("research", "eval/eval_results.json", ("research", "objectives", "listed", 0, "run_facts", 0, "claims", 0), None),
)
"""Each was once exit 70."""


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    """Make a folder of runs of a kind once, and bring it back as it was for each test."""
    made: dict[str, World] = {}

    def of(kind: str) -> World:
        if kind not in made:
            made[kind] = make_world(kind, tmp_path_factory.mktemp("runs") / kind)
        return made[kind]

    return of


def put(file: Path, place: tuple[str | int, ...], value: Any) -> None:
    """Write a value in the first line, or the whole, of a file; `...` takes it away."""
    whole = parsed(file)
    rest = file.read_bytes().partition(b"\n")[2] if file.suffix == ".jsonl" else b""
    found = whole
    for name in place[:-1]:
        found = found[name]
    if value is ...:
        del found[place[-1]]
    else:
        found[place[-1]] = value
    text = json.dumps(whole).encode()
    for mark, raw in RAW.items():
        text = text.replace(mark.encode(), raw)
    file.write_bytes(text + b"\n" + rest)


def held() -> None:
    """Every command says what is wrong, or does without what is damaged; no gate passes over it."""
    for line in COMMANDS:
        found = steelyard(line)
        assert found.code in {0, 1, 2, 3}, (line, found)
        assert "Traceback" not in found.err
        assert (found.code, line) != (0, "gate good --against main")


@pytest.mark.parametrize(("kind", "file", "place", "value"), FOUND)
def test_a_value_of_another_kind_is_damage_that_is_told(worlds, kind, file, place, value):
    world = worlds(kind)
    with inside(world.folder):
        world.restore()
        put(Path("runs/good") / file, place, value)
        held()


def parsed(file: Path) -> Any:
    """What a file says, or its first line."""
    content = file.read_bytes().split(b"\n", 1)[0] if file.suffix == ".jsonl" else file.read_bytes()
    return yaml.safe_load(content) if file.suffix == ".yaml" else json.loads(content)


def places(content: Any, before: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield where every value of a JSON document stands, the document itself left out."""
    listed = enumerate(content[:3]) if isinstance(content, list) else ()
    for name, value in content.items() if isinstance(content, dict) else listed:
        yield (*before, name)
        yield from places(value, (*before, name))


def drawn(draw: random.Random) -> tuple[Path, tuple[str | int, ...], Any]:
    """A file of the run, a place in it, and what is written there."""
    files = [file for file in Path("runs/good").rglob("*.json*") if file.stat().st_size]
    file = draw.choice(sorted(files))
    return file, draw.choice(list(places(parsed(file)))), draw.choice((*VALUES, ...))


@pytest.mark.campaign
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(100))
def test_no_value_in_any_file_ends_in_a_bug(worlds, kind, seed):
    world, draw = worlds(kind), random.Random(seed)
    with inside(world.folder):
        world.restore()
        file, place, value = drawn(draw)
        put(file, place, value)
        for line in COMMANDS:
            found = steelyard(line)
            assert found.code in {0, 1, 2, 3}, (file, place, value, line, found)


def constant(value: Any, kind: pa.DataType, table: pa.Table, name: str) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, pa.array([value] * len(table), kind))


def first(value: Any, table: pa.Table, name: str) -> pa.Table:
    """Change the first value of a column."""
    place = table.column_names.index(name)
    values = [value, *table.column(name).to_pylist()[1:]]
    return table.set_column(place, name, pa.array(values, table.schema.field(place).type))


def dropped(table: pa.Table, name: str) -> pa.Table:
    return table.drop_columns([name])


def as_text(table: pa.Table, name: str) -> pa.Table:
    """Say of bytes that they are a text, which they are not."""
    found = pa.array([b"\xff\xfe"] * len(table), pa.binary()).view(pa.string())
    return table.set_column(table.column_names.index(name), name, found)


NUMBERS, TEXTS = ("correctness", "score.f1"), ("item_id", "input", "tag.source", "explain")
COLUMNS = (
    *(("items", name, dropped) for name in ("item_id", "input", "correctness", "pass")),
    *(("items", name, partial(constant, True, pa.bool_())) for name in ("item_hash", "state", "tag.source")),
    *(("items", name, partial(constant, 0.5, pa.float64())) for name in ("item_id", "error_tags", "predicted")),
    *(("items", name, as_text) for name in TEXTS),
    *(("items", name, partial(first, None)) for name in ("item_id", "state", "pass", "correctness")),
    *(("items", name, partial(first, value)) for name in NUMBERS for value in (7.0, -1.0, float("inf"))),
    ("items", "state", partial(first, "gone")),
    ("compare", "item_id", partial(first, "i1")),
)
"""Which command at the least must tell, the column, and what happens to it."""


@pytest.mark.parametrize(("told_by", "name", "change"), COLUMNS)
def test_items_are_held_to_what_is_written_there_when_they_are_read(worlds, told_by, name, change):
    world, file = worlds("stored"), Path("runs/good/eval/items.parquet")
    lines = {"items": "runs items good --where source=a --sort f1", "compare": "compare --runs base,good --metric f1"}
    with inside(world.folder):
        world.restore()
        pq.write_table(change(pq.read_table(file), name), file)
        told = steelyard(lines[told_by])
        assert (told.code, "items.parquet" in told.err, "`steelyard rescore RUN`" in told.err) == (3, True, True), told
        assert steelyard("gate good --against main").code == 3
