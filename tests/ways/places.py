"""A folder in which runs of one way are made, and the command as it is typed there, in this process."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.cli.main import main

BASE, GOOD = "base", "good"
"""The two runs of every way: the candidate answers more items right than the baseline."""


@dataclass(frozen=True)
class Finished:
    """A command that ended."""

    line: str
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed for machines."""
        assert self.code == 0, self
        return json.loads(self.out)


def steelyard(line: str) -> Finished:
    """Run a command line in this process and this folder."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(line.split())
        except SystemExit as exited:
            code = exited.code
    texts = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err))  # type: ignore[attr-defined]
    return Finished(line, code or 0, *texts)


@dataclass(frozen=True, kw_only=True)
class Way:
    """A way to make a run. Its files are written into an empty folder, where its command is then typed."""

    name: str
    kind: str
    """What `run.json` is to call it: task, conversations, research, training or imported."""
    command: str
    """`{answers}` stands for the name of the run, by which its answers are named too."""
    write: Callable[[], None]
    codes: tuple[int, ...] = (0,)
    """How the command may end: `steelyard research` ends in 1 where a gate of its own fails."""
    path: str = "{run}"
    """Where the run then is below the folder of runs."""
    again: str = "{line}"
    """The command that goes on with a run that was killed; `{line}` is the one that made it."""
    verdict: str = "pass"
    """What a gate that asks little says of its runs; rows that were set aside and belong to no item leave it open."""
    asks: bool = False
    """Whether a callable is asked: it kills the process in the middle where there is a file `deadly`."""
    timed: bool = False
    """Whether it keeps times that are measured, which are others every time."""
    remake: Callable[[Path], None] | None = None
    """What is done by hand to the finished run."""

    @property
    def options(self) -> set[str]:
        """Every option that its command names."""
        return {word for word in self.command.split() if word.startswith("--")}

    def line(self, run: str, runs_dir: str = "runs") -> str:
        """Return the command that makes a run."""
        return f"{self.command.replace('{answers}', run)} --name {run} --runs-dir {runs_dir}"


@dataclass(frozen=True)
class Place:
    """The folder of a way, with its two finished runs in `runs`; each verb works on a copy of its own."""

    way: Way
    folder: Path
    runs_dir: str = "runs"

    def path(self, run: str) -> Path:
        """Return the directory of a run."""
        return self.folder / self.runs_dir / self.way.path.replace("{run}", run)

    def record(self, run: str) -> dict[str, Any]:
        """Return what a run says of itself."""
        return read_json(self.path(run) / "run.json")

    def results(self, run: str) -> dict[str, Any]:
        """Return what a run found."""
        return read_json(self.path(run) / "eval/eval_results.json")

    def named(self, run: str) -> str:
        """Return a run as a command line names it."""
        return self.way.path.replace("{run}", run)

    def call(self, line: str) -> Finished:
        """Run a command on this copy; BASE and GOOD in capitals stand for the two runs."""
        for run in (BASE, GOOD):
            line = line.replace(run.upper(), self.named(run))
        return steelyard(f"{line} --runs-dir {self.runs_dir}")

    def copy(self, verb: str) -> Place:
        """Return the same runs in a folder of their own."""
        shutil.copytree(self.folder / self.runs_dir, self.folder / f"runs-{verb}", dirs_exist_ok=True)
        return Place(self.way, self.folder, f"runs-{verb}")


def make_place(way: Way, folder: Path) -> Place:
    """Write the files of a way and make its two runs."""
    folder.mkdir()
    place = Place(way, folder)
    with inside(folder):
        way.write()
        for run in (BASE, GOOD):
            done = steelyard(way.line(run))
            assert done.code in way.codes, done
            if way.remake is not None:
                way.remake(place.path(run))
    return place


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Stand in a folder; its module `answering` is found, and this process's environment is neither obeyed nor kept."""
    before, environment = Path.cwd(), dict(os.environ)
    for name in environment:
        if name.startswith(("STEELYARD_", "GITHUB_", "OPENAI_")):
            del os.environ[name]
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("answering", None)
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)


def read_json(file: Path) -> Any:
    """Return what a JSON file holds."""
    return json.loads(file.read_bytes())


def write_rows(name: str, rows: list[dict[str, Any]]) -> None:
    """Write JSONL, packed where the name says so."""
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    Path(name).write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder by its name, hidden ones left out."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    found = {str(path.relative_to(folder)): path for path in files}
    return {name: path.read_bytes() for name, path in found.items() if not Path(name).name.startswith(".")}
