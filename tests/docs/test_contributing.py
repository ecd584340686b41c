"""Every file that `CONTRIBUTING.md` names is there, and no usual change touches more than five."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
_FILE = re.compile(r"`((?:src|tests|docs)/[\w/.-]+)`")


def test_every_file_that_is_named_is_there():
    named = {*_FILE.findall(PAGE)}
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_there_are_ten_usual_changes_of_at_most_five_files():
    rows = PAGE.partition("| change | files |")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(rows) == 10
    assert {row: len(_FILE.findall(row)) for row in rows if len(_FILE.findall(row)) > 5} == {}
