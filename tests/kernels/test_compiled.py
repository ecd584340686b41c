"""Compiled loops: made once per machine, kept where the user may write, and never needed from the package's folder."""

import os
import subprocess
import sys

import numpy as np
import pytest

from steelyard.kernels.keeping import CACHE_VARIABLE, cache_folder, kept
from steelyard.kernels.labels import hash_loop

SCRIPT = """
import sys
from steelyard.records.blocks import TextColumn
from steelyard.kernels.labels import text_hashes
text_hashes(TextColumn.of(["a", "b"]))
print("numba" in sys.modules)
"""


def run(folder):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, CACHE_VARIABLE: str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip() == "True"


def test_a_second_process_loads_the_loop_without_the_compiler(tmp_path):
    assert run(tmp_path / "cache")
    assert not run(tmp_path / "cache")
    (file,) = (tmp_path / "cache").glob("labels-hashes-*")
    file.write_bytes(file.read_bytes()[:-10])
    assert run(tmp_path / "cache"), "a damaged file is made again"


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert kept("name", [b"x"], lambda: b"made") == b"made"
    assert run(blocked / "cache")


def test_what_is_kept_depends_on_everything_it_was_made_of(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    assert kept("name", [b"one"], lambda: b"first") == b"first"
    assert kept("name", [b"two"], lambda: b"second") == b"second"
    assert kept("name", [b"one"], lambda: b"third") == b"first"


def test_the_folder_is_the_users_unless_it_is_named(monkeypatch):
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert str(cache_folder()) == "/somewhere/steelyard"


@pytest.mark.parametrize("wrong", [np.zeros(4, np.float32), np.zeros((2, 2), np.int64), np.zeros(8, np.int64)[::2]])
def test_an_array_that_the_loop_could_not_read_is_refused(wrong):
    data = np.zeros(8, np.uint8)
    with pytest.raises(TypeError, match="expected a contiguous int64"):
        hash_loop(data, wrong, np.zeros(4, np.int64), np.zeros(4, np.int64))
