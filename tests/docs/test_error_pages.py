"""Each error code has a page, each page a code, and the index lists them all."""

import importlib.util
from pathlib import Path

import pytest

from steelyard.errors import CODES

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "errors"


def test_the_codes_and_the_pages_are_the_same():
    assert {path.stem for path in FOLDER.glob("*.md")} - {"index"} == set(CODES)


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_page_names_its_code_says_what_it_means_and_what_to_do(code: str):
    path = FOLDER / f"{code}.md"
    assert path.exists(), f"docs/errors/{code}.md is missing"
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == f"# {code}"
    assert "## What to do" in lines
    assert len(lines) < 80


def test_the_index_is_up_to_date():
    spec = importlib.util.spec_from_file_location("write_error_index", ROOT / "tools" / "write_error_index.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.INDEX.read_text(encoding="utf-8") == module.index(), "run python tools/write_error_index.py"
