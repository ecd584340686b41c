"""Which files take the path by columns."""

import gzip
import json
from hashlib import sha256

import polars
import pytest

from steelyard.judging import path
from steelyard.judging.path import PACKED, SMALLEST_FILE, block_path

ROWS = [
    {"id": f"i{number}", "reference": sha256(bytes(number)).hexdigest()[:30], "prediction": "an answer"}
    for number in range(16_000)
]


class _Source:
    def __init__(self, dataset):
        self.dataset = dataset


@pytest.fixture
def goes_by_columns(tmp_path, monkeypatch):
    """Returns whether rows written by a function go by columns on a machine that has the loops."""
    monkeypatch.setattr(path.scan_loop, "_native", lambda *_: 0)

    def goes(name, write):
        write(tmp_path / name)
        return block_path(None, _Source(tmp_path / name), None) is not None, (tmp_path / name).stat().st_size

    return goes


LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.parquet", polars.DataFrame(ROWS).write_parquet),
        ("a.jsonl.gz", lambda file: file.write_bytes(gzip.compress(LINES))),
    ],
)
def test_a_packed_file_counts_as_the_rows_that_it_holds(goes_by_columns, name, write):
    assert goes_by_columns("a.jsonl", lambda file: file.write_bytes(LINES))[0]
    found, size = goes_by_columns(name, write)
    assert found
    assert SMALLEST_FILE / PACKED < size < SMALLEST_FILE


def test_a_small_file_goes_by_items(goes_by_columns):
    assert not goes_by_columns("a.jsonl", lambda file: file.write_bytes(LINES[: SMALLEST_FILE - 1]))[0]
