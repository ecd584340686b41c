"""Files that are whole or not there, and what is no file."""

import os
import stat
import threading

import pytest

from steelyard.store.files import replacing, write_bytes


def test_a_file_takes_the_place_of_the_one_before(tmp_path):
    file = tmp_path / "report.json"
    file.write_bytes(b"old")
    write_bytes(file, b"new")
    assert file.read_bytes() == b"new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


def test_a_block_that_fails_leaves_the_file_that_was_there(tmp_path):
    file = tmp_path / "report.json"
    file.write_bytes(b"old")
    with pytest.raises(KeyError):
        _write_half(file)
    assert file.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.json"]


def _write_half(file):
    with replacing(file) as stream:
        stream.write(b"half")
        raise KeyError


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_bytes(pipe, b"a report")
    reader.join(timeout=10)
    assert read == [b"a report"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
