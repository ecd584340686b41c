"""Loops are compiled ahead of time, once."""

from pathlib import Path

from steelyard.kernels import compiling
from steelyard.kernels.compiling import compile_loops, compiled_loops

ROOT = Path(__file__).resolve().parents[2]


def test_every_loop_of_the_source_is_found():
    written = sum(file.read_text(encoding="utf-8").count("= Loop(") for file in (ROOT / "src").rglob("*.py"))
    assert len(compiled_loops()) == written


def test_what_is_compiled_already_is_not_compiled_again(tmp_path: Path, monkeypatch):
    smallest = [loop for loop in compiled_loops() if loop.name == "blank"]
    monkeypatch.setattr(compiling, "compiled_loops", lambda: smallest)
    monkeypatch.setattr(smallest[0], "_native", None)
    monkeypatch.setenv("STEELYARD_CACHE_DIR", str(tmp_path))
    assert compile_loops() == {"loops": 1, "compiled": 1, "path": str(tmp_path)}
    assert compile_loops()["compiled"] == 0
