"""Parquet files, with pyarrow and polars as writers."""

import datetime
import decimal
import gzip
import random

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from steelyard.errors import InputError, Problems
from steelyard.reading.limits import Limits
from steelyard.reading.parquet_files import BATCH_ROWS
from steelyard.reading.rows import read_rows


def rows_of(path, table: pa.Table, **options):
    pq.write_table(table, path)
    problems = Problems()
    return [row.fields for row in read_rows(path, problems, **options)], problems.listed


def test_values_come_as_json_would_hold_them(tmp_path):
    row = {
        "text": "ä\0",
        "whole": 2**62 + 1,
        "part": 0.5,
        "flag": True,
        "none": None,
        "list": ["a", None],
        "struct": {"source": "human", "n": [1]},
    }
    fields, problems = rows_of(tmp_path / "a.parquet", pa.Table.from_pylist([row, row]))
    assert fields == [row, row]
    assert not problems


def test_times_become_iso_text_and_decimals_numbers(tmp_path):
    table = pa.table(
        {
            "day": [datetime.date(2024, 1, 2)],
            "time": pa.array([datetime.datetime(2024, 1, 2, 3, 4, 5)], pa.timestamp("ns")),  # noqa: DTZ001 - a column without a zone
            "fine": pa.array([1], pa.timestamp("ns")),
            "whole": [decimal.Decimal(12)],
            "part": [decimal.Decimal("12.50")],
        }
    )
    assert rows_of(tmp_path / "a.parquet", table)[0] == [
        {
            "day": "2024-01-02",
            "time": "2024-01-02T03:04:05",
            "fine": "1970-01-01T00:00:00.000000001",
            "whole": 12,
            "part": 12.5,
        }
    ]


def test_what_polars_writes_is_read_in_order_over_many_batches(tmp_path):
    path = tmp_path / "a.parquet"
    n = 3 * BATCH_ROWS + 7
    pl.DataFrame({"id": range(n), "kind": ["a", "b", "c"] * (n // 3) + ["a"] * (n % 3)}).write_parquet(
        path, row_group_size=5000
    )
    rows = list(read_rows(path, Problems()))
    assert [(row.line, row.fields["id"]) for row in rows] == [(index + 1, index) for index in range(n)]


def test_texts_and_nulls_of_a_dictionary_come_back_as_pyarrow_gives_them(tmp_path):
    texts = [None, "a", "", None, "long " * 99, "a", "ä"]
    kinds = {"plain": pa.array(texts), "coded": pa.array(texts).dictionary_encode(), "none": pa.array([None] * 7)}
    table = pa.table(kinds | {"numbers": pa.array([3, None, 3, 1, 2, 1, None]).dictionary_encode()})
    assert rows_of(tmp_path / "a.parquet", table)[0] == table.to_pylist()


def test_a_compressed_parquet_file_is_unpacked(tmp_path):
    pq.write_table(pa.table({"id": [1]}), tmp_path / "a.parquet")
    path = tmp_path / "a.parquet.gz"
    path.write_bytes(gzip.compress((tmp_path / "a.parquet").read_bytes()))
    assert [row.fields for row in read_rows(path, Problems())] == [{"id": 1}]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_are_bad_rows(tmp_path, value):
    fields, problems = rows_of(tmp_path / "a.parquet", pa.table({"id": ["a", "b"], "x": [[1.0], [value]]}))
    assert fields == [{"id": "a", "x": [1.0]}]
    assert [(problem.code, problem.line) for problem in problems] == [("not-finite", 2)]


def test_bytes_and_durations_are_bad_rows_and_null_is_not(tmp_path):
    table = pa.table({"b": [b"x", None, None], "d": [None, datetime.timedelta(1), None]})
    fields, problems = rows_of(tmp_path / "a.parquet", table)
    assert fields == [{"b": None, "d": None}]
    assert ["'b' holds bytes" in problems[0].message, "'d' holds timedelta" in problems[1].message] == [True, True]


def test_a_bad_row_in_quarantine_can_be_written_down(tmp_path):
    rejected = []
    rows_of(tmp_path / "a.parquet", pa.table({"b": [b"x"]}), rejected=lambda *row: rejected.append(row))
    assert [(line, raw) for line, _, raw in rejected] == [(1, b'{"b": "b\'x\'"}')]


def test_nesting_over_the_limit_is_a_bad_row(tmp_path):
    _, problems = rows_of(tmp_path / "a.parquet", pa.table({"a": [[[[1]]]]}), limits=Limits(max_depth=3))
    assert [problem.code for problem in problems] == ["too-deep"]


def test_a_table_without_rows_is_an_empty_file(tmp_path):
    with pytest.raises(InputError, match="empty-file"):
        rows_of(tmp_path / "a.parquet", pa.table({"a": pa.array([], pa.string())}))


def test_a_broken_file_is_refused_wherever_it_breaks(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [str(index) for index in range(500)]}), path)
    whole = path.read_bytes()
    chance = random.Random(5)
    for size in [1, 4, 8, *(chance.randrange(len(whole)) for _ in range(40))]:
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"corrupt-file|empty-file"):
            list(read_rows(path, Problems()))


def test_text_that_calls_itself_parquet_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b'{"id": 1}\n' * 10)
    with pytest.raises(InputError, match="corrupt-file"):
        list(read_rows(path, Problems()))


def test_a_bomb_of_repeated_values_is_refused(tmp_path):
    table = pa.table({"x": pa.array(["y" * 1000] * 200_000).dictionary_encode()})
    with pytest.raises(InputError, match="file-too-large"):
        rows_of(tmp_path / "a.parquet", table, limits=Limits(max_ratio=100, max_unpacked_bytes=10**12))
