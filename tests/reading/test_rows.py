"""One door for all formats."""

import gzip
import json
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steelyard.errors import InputError, MachineError, Problems
from steelyard.reading.limits import Limits
from steelyard.reading.lines import open_bytes
from steelyard.reading.rows import FORMATS, Row, format_of, read_rows

GOOD = b'{"id": 1}\n{"id": 2}\n'

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
objects = st.lists(st.dictionaries(st.text(), values), min_size=1, max_size=8)


@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson", ".JSONL", ".jsonl.gz", ".ndjson.zst", ".jsonl.GZ"])
def test_lines_of_json_are_rows_with_line_and_raw_bytes(read, suffix):
    pack = {".gz": gzip.compress, ".zst": zstandard.compress}.get(Path(suffix).suffix.lower(), bytes)
    rows, problems = read(f"a{suffix}", pack(GOOD))
    assert rows == [Row(1, {"id": 1}, b'{"id": 1}'), Row(2, {"id": 2}, b'{"id": 2}')]
    assert not problems


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(objects, st.booleans())
def test_jsonl_that_was_written_is_read_back(read, rows, escaped):
    data = "\n".join(json.dumps(row, ensure_ascii=escaped) for row in rows).encode()
    assert read("a.jsonl", data).fields == rows


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(objects, st.sampled_from([None, 2]))
def test_json_that_was_written_is_read_back(read, rows, indent):
    assert read("a.json", json.dumps(rows, indent=indent).encode()).fields == rows


def test_every_bad_row_is_a_problem_and_reading_goes_on(read):
    outcome = read("a.jsonl", b'{"id": 1}\n[]\n\n{"id": 2, "id": 3}\n{"id": 4}\n{"id": 5')
    assert [row.line for row in outcome.rows] == [1, 5]
    assert [(problem.line, problem.code) for problem in outcome.problems] == [
        (2, "not-an-object"),
        (4, "duplicate-key"),
        (6, "truncated-line"),
    ]
    assert all(problem.file and problem.message and problem.hint for problem in outcome.problems)


def test_in_quarantine_a_bad_row_is_handed_over_and_no_problem(read):
    rejected: list[tuple[int, str, bytes]] = []
    outcome = read("a.jsonl", GOOD + b'{"id": NaN}\n', rejected=lambda *row: rejected.append(row))
    assert not outcome.problems
    assert len(outcome.rows) == 2
    assert rejected == [(3, "not-finite: found NaN, expected a finite number", b'{"id": NaN}')]


@pytest.mark.parametrize("name", ["a.txt", "a", "a.gz", "a.xlsx", "jsonl", "a.jsonl.bz2", ".jsonl"])
def test_a_name_without_a_known_format_is_refused_with_the_list(name):
    with pytest.raises(InputError, match="unknown-format") as caught:
        read_rows(Path(name), Problems())
    assert all(suffix in str(caught.value) for suffix in FORMATS)


def test_the_format_is_the_last_suffix_before_the_compression():
    assert format_of(Path("a.v1.csv.json.zst")) == ".json"


@pytest.mark.parametrize("name", [f"a{suffix}" for suffix in FORMATS])
@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused_in_every_format(read, name, data):
    with pytest.raises(
        InputError, match=r"empty-file|corrupt-file" if name.endswith("parquet") and data else "empty-file"
    ):
        read(name, data)


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.jsonl", b"\n \r\n"), ("a.json", b"[]"), ("a.json", b"{}"), ("a.json", b'{"data": []}'), ("a.csv", b"id\n")],
)
def test_a_file_without_rows_is_refused(read, name, data):
    with pytest.raises(InputError, match="empty-file"):
        read(name, data)


def test_a_file_of_bad_rows_only_is_not_called_empty(read):
    assert read("a.jsonl", b"[]\n").codes == ["not-an-object"]


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="missing-file"):
        list(read_rows(tmp_path / "a.jsonl", Problems()))


def test_a_disk_that_fails_while_reading_is_the_machines_error(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_bytes(GOOD)

    def failing(stream, limits):
        yield from ()
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("steelyard.reading.rows.scan_lines", failing)
    with pytest.raises(MachineError, match="Input/output error"):
        list(read_rows(path, Problems()))


def test_a_file_is_closed_when_reading_stops_early(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_bytes(GOOD)
    opened = []
    monkeypatch.setattr(
        "steelyard.reading.rows.open_bytes", lambda *given: opened.append(open_bytes(*given)) or opened[0]
    )
    rows = read_rows(path, Problems(), limits=Limits())
    next(rows)
    rows.close()
    assert opened[0].closed
