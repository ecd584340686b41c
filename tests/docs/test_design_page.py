"""The page on how Steelyard is built names every room."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/explanation/design.md").read_text(encoding="utf-8")
NO_ROOMS = {"__init__", "__main__"}


def test_every_room_is_in_the_table_once():
    rooms = {path.stem for path in (ROOT / "src/steelyard").iterdir() if path.is_dir() or path.suffix == ".py"}
    table = PAGE.partition("| rooms |")[2].partition("\n\n")[0]
    named = [name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(named) == sorted(rooms - NO_ROOMS - {"__pycache__"})
