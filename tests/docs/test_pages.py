"""Every example of the documentation runs and prints what its page shows."""

import re
from pathlib import Path

import pytest

from tests.docs.examples import Block, Runner, blocks, commands, matches

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("README.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run_as_shown(page: Path, tmp_path: Path):
    runner = Runner(ROOT, tmp_path)
    wrong = [problem for block in blocks(page.read_text(encoding="utf-8")) for problem in runner.run(block)]
    assert not wrong, "\n\n".join(wrong)


def test_every_relative_link_of_a_page_leads_somewhere():
    links = [(page, target) for page in PAGES for target in LINK.findall(page.read_text(encoding="utf-8"))]
    broken = [(page, target) for page, target in links if "://" not in target and not (page.parent / target).exists()]
    assert not broken


def test_a_page_is_read_as_blocks_of_commands_with_their_output():
    page = "# Title\n\n```console\n$ echo a \\\n>   b\na b\n$ true\n```\n"
    assert blocks(page) == [Block("console", "", "$ echo a \\\n>   b\na b\n$ true\n", 3)]
    assert [command.output for command in commands(blocks(page)[0].body)] == ["a b", ""]


@pytest.mark.parametrize(
    ("shown", "printed", "expected"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\nb", "a\nc\n", False),
        ("a\n…\nd", "a\nb\nc\nd\n", True),
        ("run: runs/…", "run: runs/run_1\n", True),
        ("", "", True),
        ("", "something\n", False),
    ],
)
def test_output_matches_what_is_shown(shown: str, printed: str, expected: bool):
    assert matches(shown, printed) is expected
