"""Files to numbered lines."""

import gzip
import io
import os

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import InputError, MachineError
from steelyard.reading.limits import Limits
from steelyard.reading.lines import open_bytes, read_lines, scan_lines

LIMITS = Limits()
SMALL = Limits(max_line_bytes=10)


def lines_of(data: bytes, limits: Limits = LIMITS):
    return list(scan_lines(io.BytesIO(data), limits))


@given(st.lists(st.text().filter(lambda text: "\n" not in text and text.strip(" \t\r")).map(str.strip)), st.booleans())
def test_lines_are_split_at_line_feeds_and_nowhere_else(texts, final):
    texts = [text for text in texts if text and not text.startswith("\ufeff")]
    data = "\n".join(texts).encode() + (b"\n" if final else b"")
    assert list(read_lines(io.BytesIO(data), LIMITS)) == [(n, text.encode()) for n, text in enumerate(texts, 1)]


def test_blank_lines_are_passed_over_and_counted():
    assert list(read_lines(io.BytesIO(b"\n a \n\t \r\nb"), LIMITS)) == [(2, b" a "), (4, b"b")]


def test_a_byte_order_mark_and_crlf_are_taken_off():
    assert list(read_lines(io.BytesIO(b"\xef\xbb\xbfa\r\nb\r\n"), LIMITS)) == [(1, b"a"), (2, b"b")]


def test_the_last_line_says_whether_it_ended():
    assert [line.ended for line in lines_of(b"a\nb")] == [True, False]


@pytest.mark.parametrize("size", [10, 11, 12, 13, 14, 5_000_000])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_line_over_the_limit_is_refused_and_the_next_one_read(size, end):
    first, *rest = lines_of(b"x" * size + end + (b"yes\n" if end else b""), SMALL)
    assert (first.fault is None) == (size == 10)
    assert len(first.data) <= 15
    assert [line.data for line in rest] == ([b"yes"] if end else [])


def test_a_line_over_the_limit_names_the_limit_and_its_option():
    fault = lines_of(b"x" * 11, SMALL)[0].fault
    assert fault is not None
    assert "10 bytes" in fault.message
    assert "--max-line-bytes" in fault.hint


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_byte_that_is_not_utf8_has_its_line_and_its_offset_in_the_file(mark):
    line = lines_of(mark + "é\n".encode() + b"ab\xffc\n")[1]
    assert line.fault is not None
    assert (line.number, line.fault.code, line.fault.column) == (2, "not-utf8", 3)
    assert f"byte offset {len(mark) + 5}" in line.fault.message


def test_a_character_cut_at_the_end_of_the_file_is_a_truncated_line():
    assert lines_of("é".encode()[:1])[0].fault.code == "truncated-line"
    assert lines_of("é".encode()[:1] + b"\n")[0].fault.code == "not-utf8"


def test_read_lines_raises_at_the_first_fault():
    with pytest.raises(InputError, match="not-utf8"):
        list(read_lines(io.BytesIO(b"\xff"), LIMITS))


@pytest.mark.parametrize(("suffix", "pack"), [("", bytes), (".gz", gzip.compress), (".zst", zstandard.compress)])
def test_files_are_unpacked_by_their_names(tmp_path, suffix, pack):
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(pack(b"a\nb"))
    with open_bytes(path, LIMITS) as stream:
        assert stream.read() == b"a\nb"


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.gz", b"{}"), ("a.zst", gzip.compress(b"{}", mtime=0)), ("a.jsonl", gzip.compress(b"{}", mtime=0))],
)
def test_a_name_that_lies_about_compression_is_refused(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match="corrupt-file"):
        open_bytes(tmp_path / name, LIMITS)


@pytest.mark.parametrize("name", ["none.jsonl", "a\0b", "x" * 300, "file/inside"])
def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path, name):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="missing-file"):
        open_bytes(tmp_path / name, LIMITS)


def test_a_folder_and_a_pipe_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(InputError, match="missing-file"):
            open_bytes(path, LIMITS)


def test_a_symbolic_link_is_followed(tmp_path):
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with open_bytes(tmp_path / "b", LIMITS) as stream:
        assert stream.read() == b"x"


def test_a_file_without_permission_is_the_machines_error(tmp_path, monkeypatch):
    (tmp_path / "a").touch()

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(io, "FileIO", refuse)
    with pytest.raises(MachineError, match="Permission denied"):
        open_bytes(tmp_path / "a", LIMITS)
