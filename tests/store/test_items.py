"""The Parquet file of items: columns that occur, bytes that do not depend on blocks."""

import hashlib
import io
from pathlib import Path

import numpy as np
import polars
import pyarrow
import pytest
from pyarrow import parquet

from steelyard.errors import InputError
from steelyard.records.blocks import ErrorTags, Labels, ScoredBlock
from steelyard.store import items as module
from steelyard.store.items import ItemsWriter, read_items


def block(start: int, size: int, **changes) -> ScoredBlock:
    texts = [f"text {start + row}" for row in range(size)]
    values = {
        "start": start,
        "ids": [f"i{start + row}" for row in range(size)],
        "lines": list(range(start, start + size)),
        "inputs": texts,
        "item_hashes": ["sha256:0"] * size,
        "states": Labels.of(["scored"] * size),
        "expected": texts,
        "predicted": texts,
        "outputs": texts,
        "primary": np.ones(size),
        "passed": np.ones(size, np.bool_),
        "scores": {"f1": np.full(size, 0.5)},
        "error_tags": ErrorTags.of([()] * size),
        "explain": [""] * size,
        "tags": {"source": Labels.of(["web"] * size)},
    }
    return ScoredBlock(**values | changes)


def written(path: Path, *blocks: ScoredBlock) -> bytes:
    with ItemsWriter(path) as writer:
        for one in blocks:
            writer.write(one)
    return path.read_bytes()


def test_the_bytes_do_not_depend_on_how_items_were_cut_into_blocks(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(module, "_ROWS_IN_GROUP", 8)
    whole = written(tmp_path / "whole", block(0, 30))
    cut = written(tmp_path / "cut", block(0, 5), block(5, 20), block(25, 5))
    assert whole == cut


def test_a_column_that_first_shows_up_late_is_null_before_and_gives_the_same_bytes(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(module, "_ROWS_IN_GROUP", 4)
    late = {"tags": {"source": Labels.of(["web"] * 4), "level": Labels.of(["hard"] * 4)}}
    content = written(tmp_path / "late", block(0, 4), block(4, 4), block(8, 4, **late))
    assert polars.read_parquet(io.BytesIO(content))["tag.level"].to_list() == [None] * 8 + ["hard"] * 4
    early = {"tags": {"source": Labels.of(["web"] * 4), "level": Labels.of([None] * 4)}}
    same = written(tmp_path / "early", block(0, 4, **early), block(4, 4, **early), block(8, 4, **late))
    assert content == same


def test_null_scores_are_null_and_lone_surrogates_are_spelled(tmp_path: Path):
    path = tmp_path / "items"
    written(path, block(0, 1, scores={"f1": np.array([np.nan])}, outputs=["a\ud800"]))
    row = polars.read_parquet(path).row(0, named=True)
    assert row["score.f1"] is None
    assert row["output"] == "a\\ud800"


def test_a_block_that_raises_leaves_no_file(tmp_path: Path):
    wrong = block(0, 1, primary=np.ones(2))
    with pytest.raises(pyarrow.ArrowInvalid), ItemsWriter(tmp_path / "items") as writer:
        writer.write(wrong)
    assert not list(tmp_path.iterdir())


def test_items_are_read_back_as_rows(tmp_path: Path):
    written(tmp_path / "items", block(0, 3))
    rows = [row for batch in read_items(tmp_path / "items", columns=["item_id", "correctness"]) for row in batch]
    assert rows == [{"item_id": f"i{row}", "correctness": 1.0} for row in range(3)]


def test_a_damaged_file_says_so(tmp_path: Path):
    content = written(tmp_path / "items", block(0, 3))
    (tmp_path / "items").write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError) as caught:
        list(read_items(tmp_path / "items"))
    assert caught.value.problems[0].code == "run-damaged"


def test_only_what_shrinks_is_compressed(tmp_path: Path):
    noise = [hashlib.sha256(bytes([row])).hexdigest()[:12] for row in range(200)]
    asked = ["What is the capital of this country?"] * 200
    written(tmp_path / "items", block(0, 200, outputs=noise, inputs=asked))
    group = parquet.ParquetFile(tmp_path / "items").metadata.row_group(0)
    columns = [group.column(place) for place in range(group.num_columns)]
    found = {column.path_in_schema: column.compression for column in columns}
    assert (found["output"], found["input"], found["score.f1"]) == ("UNCOMPRESSED", "LZ4", "LZ4")
