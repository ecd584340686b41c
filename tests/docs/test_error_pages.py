"""Each error code has a page, each page a code, and the index lists them all."""

import importlib.util
import re
from pathlib import Path

import pytest

from steelyard.errors import CODES

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "errors"
RUN = re.compile(r"^```(console|python)$", re.MULTILINE)


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


def test_every_code_that_can_be_provoked_has_an_example_that_runs():
    without = {code for code in CODES if not RUN.search((FOLDER / f"{code}.md").read_text(encoding="utf-8"))}
    assert without == {"internal"}, "only a bug of ours gives that one"


def test_the_index_is_up_to_date():
    spec = importlib.util.spec_from_file_location("write_error_index", ROOT / "tools" / "write_error_index.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.INDEX.read_text(encoding="utf-8") == module.index(), "run python tools/write_error_index.py"
