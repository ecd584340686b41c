"""The changelog knows the version that is built."""

from pathlib import Path

import steelyard

ROOT = Path(__file__).resolve().parents[2]


def test_the_newest_entry_of_the_changelog_is_the_version():
    headings = [line for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line[:3] == "## "]
    assert headings[0] == f"## {steelyard.__version__}"
