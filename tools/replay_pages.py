"""Runs the examples of pages and writes what they print into the page: python tools/replay_pages.py README.md docs/….

What matches already stays as it is, `…` included. Look at the difference before you commit it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from docs.examples import FENCE, Block, Runner, blocks, commands, matches  # noqa: E402


def replayed(runner: Runner, block: Block) -> str:
    """Return the body of a console block with the output that its commands print today."""
    parts = []
    for command in commands(block.body):
        printed = runner.output(command)
        output = command.output if matches(command.output, printed) else printed.rstrip()
        shown = "$ " + command.text.replace("\n", "\n> ")
        parts.append("\n".join([shown, *([output] if output else [])]))
    return "\n".join(parts) + "\n"


def rewrite(page: Path) -> None:
    """Bring the console blocks of one page up to date."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(ROOT, Path(folder))
        for block, match in zip(blocks(text), list(FENCE.finditer(text)), strict=True):
            if block.language != "console" or match["indent"]:
                runner.run(block)
                continue
            text = text.replace(match[0], f"```{match['info']}\n{replayed(runner, block)}```", 1)
    page.write_text(text, encoding="utf-8")


for name in sys.argv[1:]:
    rewrite(Path(name))
