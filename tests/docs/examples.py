"""Reads the examples of a page of documentation and runs them, one after the other, in a folder of their own.

A ```console block holds commands behind `$ ` with their exact output; `…` stands for any text within a line, and a line
that is only `…` for any number of lines. A ```python block is run as a script. A block whose info string has
`title="name"` is a file of that name. A ```sh block is shown and not run: installing is tested by `make` itself.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    language: str
    info: str
    body: str
    line: int


@dataclass(frozen=True)
class Command:
    text: str
    output: str


def blocks(page: str) -> list[Block]:
    found = []
    for match in FENCE.finditer(page):
        indent = len(match["indent"])
        body = "".join(line[indent:] if line.strip() else line for line in match["body"].splitlines(keepends=True))
        language, _, rest = match["info"].strip().partition(" ")
        found.append(Block(language, rest, body, page.count("\n", 0, match.start()) + 1))
    return found


def commands(body: str) -> list[Command]:
    found: list[tuple[list[str], list[str]]] = []
    continued = False
    for line in body.splitlines():
        if continued:
            found[-1][0].append(line.removeprefix("> "))
        elif line.startswith("$ "):
            found.append(([line[2:]], []))
        else:
            found[-1][1].append(line)
            continue
        continued = line.endswith("\\")
    return [Command("\n".join(text), "\n".join(output)) for text, output in found]


def matches(shown: str, printed: str) -> bool:
    """Return whether printed output is what the page shows, with its `…` standing for anything."""
    lines = [line.rstrip() for line in shown.rstrip().splitlines()]
    parts = [r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*?") + r"\n" for line in lines]
    text = "".join(line.rstrip() + "\n" for line in printed.rstrip().splitlines())
    return re.fullmatch("".join(parts), text) is not None


class Runner:
    """A folder with the repository's examples and eval sets, in which a page's examples run."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder / "checkout"
        self.folder.mkdir()
        for name in ("examples", "evalsets"):
            if (root / name).is_dir():
                shutil.copytree(root / name, self.folder / name, ignore=shutil.ignore_patterns("runs", "__pycache__"))
        shared = root.parent / "shared"
        self.shared = shared.is_dir()
        if self.shared:
            (folder / "shared").symlink_to(shared)
        binaries = str(Path(sys.executable).parent)
        self.environment = {
            "PATH": os.pathsep.join([binaries, os.environ["PATH"]]),
            "HOME": str(folder),
            "NO_COLOR": "1",
            "LANG": "C.UTF-8",
            "PYTHONUTF8": "1",
            "OMP_NUM_THREADS": "1",
        }

    def run(self, block: Block) -> list[str]:
        """Run one block and return what is wrong with it."""
        title = TITLE.search(block.info)
        if title:
            path = self.folder / title[1]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, encoding="utf-8")
            return []
        if "needs=shared" in block.info and not self.shared:
            return []
        if block.language == "python":
            return self._python(block)
        return self._console(block) if block.language == "console" else []

    def _python(self, block: Block) -> list[str]:
        done = self._call([sys.executable, "-c", block.body])
        return [f"line {block.line}: the script failed:\n{done.stdout}"] if done.returncode else []

    def _console(self, block: Block) -> list[str]:
        wrong = []
        for command in commands(block.body):
            printed = self.output(command)
            if not matches(command.output, printed):
                wrong.append(f"line {block.line}: $ {command.text}\nshown:\n{command.output}\nprinted:\n{printed}")
        return wrong

    def output(self, command: Command) -> str:
        """Run a command and return what it prints."""
        return self._call(["bash", "-c", command.text]).stdout

    def _call(self, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            arguments,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
            timeout=240,
        )
