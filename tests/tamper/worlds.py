"""Folders to forge in: a baseline, a run that may ship, one that may not, and a weak run to slip in as another's."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from steelyard.cli.main import main
from steelyard.secrets import forget_secrets
from tests import conversation_rows as talks
from tests import research_artifacts as agents

ITEMS = 60
RIGHT = {"base": 57, "good": 57, "worse": 30, "weak": 12}
"""How many items each run has right. `main` is the baseline that names `base`; `low` names `weak`."""


class Finished(NamedTuple):
    code: int
    out: str
    err: str


def steelyard(line: str) -> Finished:
    """Run the command as it is typed, in this process and this folder."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    code: Any = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(line.split())
        except SystemExit as exited:
            code = exited.code
    forget_secrets()
    texts = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err))  # type: ignore[attr-defined]
    return Finished(code, *texts)


def made(line: str, *codes: int) -> None:
    """Run a command that must work for the rest to mean anything."""
    found = steelyard(line)
    assert found.code in (codes or (0,)), (line, found)


Stamp = tuple[int, int, int]


class World:
    """A folder of runs of one kind, which is brought back to what it was after every case."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._content = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        self._folders = [path for path in folder.rglob("*") if path.is_dir()]
        self._stamps = {path: _stamp(path) for path in self._content}

    def restore(self) -> None:
        """Bring back every file that was touched, and take away what came; the process stands in the folder."""
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path.is_dir() and not path.is_symlink():
                if path not in self._folders:
                    path.rmdir()
            elif path not in self._content or path.is_symlink():
                path.unlink()
        for path in self._folders:
            path.mkdir(exist_ok=True)
        for path, content in self._content.items():
            if not path.is_file() or _stamp(path) != self._stamps[path]:
                path.write_bytes(content)
                self._stamps[path] = _stamp(path)


def _stamp(path: Path) -> Stamp:
    found = path.stat()
    return found.st_mtime_ns, found.st_size, found.st_ino


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Stand in a folder, with its modules to be found and nothing of this process's environment to be obeyed."""
    before = Path.cwd()
    hidden = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(("STEELYARD_", "GITHUB_"))}
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop("answering", None)
        os.chdir(before)
        os.environ.update(hidden)


def make_world(kind: str, root: Path) -> World:
    """Make a folder with runs of a kind; `root` is empty and the caller's."""
    root.mkdir(parents=True)
    with inside(root):
        KINDS[kind]()
        made("baseline set low weak")
        made("baseline set main base")
    return World(root)


def write_rows(name: str, rows: list[dict[str, Any]]) -> None:
    """Write JSONL."""
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def items() -> list[dict[str, Any]]:
    """The items of a task; even ones are of source a. What runs get wrong is spread over both sources."""
    return [
        {"id": f"i{n}", "prompt": f"{n}?", "expected_answer": f"word{n}", "tags": {"source": "ab"[n % 2]}}
        for n in range(ITEMS)
    ]


def answers(right: int) -> list[dict[str, Any]]:
    """Predictions of which so many are right."""
    return [{"id": f"i{n}", "output": f"word{n}" if n < right else "wrong"} for n in range(ITEMS)]


TASK = """task: words
dataset: items.jsonl
answer_type: text
scorers: [answer_correctness@v1]
metrics: [f1, exact_match]
eval:
  slice_by_tags: [source]
"""


def make_stored() -> None:
    """Runs of stored predictions."""
    write_rows("items.jsonl", items())
    Path("task.yaml").write_text(TASK)
    for name, right in RIGHT.items():
        write_rows(f"{name}.jsonl", answers(right))
        made(f"eval task.yaml --predictions {name}.jsonl --name {name}")


CALLABLES = "".join(
    f"""
def {name}(item):
    return item["expected_answer"] if int(item.id[1:]) < {right} else "none"
"""
    for name, right in RIGHT.items()
)


def make_asked() -> None:
    """Runs of callables that were asked, over labels, so that there is a confusion matrix."""
    rows = [row | {"expected_answer": "xyz"[n % 3]} for n, row in enumerate(items())]
    write_rows("items.jsonl", rows)
    Path("answering.py").write_text(CALLABLES)
    text = TASK.replace("text", "label").replace("scorers: [answer_correctness@v1]\n", "")
    Path("task.yaml").write_text(text.replace("f1, exact_match", "accuracy, macro_f1"))
    for name in RIGHT:
        made(f"eval task.yaml --model python:answering:{name} --name {name}")


def make_suite() -> None:
    """Suites of two tasks; the second task is the one in which runs differ."""
    write_rows("items.jsonl", items())
    Path("gates.yaml").write_text("gates:\n  - {metric: exact_match, max_drop: 0.02}\n")
    for name, right in RIGHT.items():
        for task, count in (("one", ITEMS), ("two", right)):
            write_rows(f"{name}-{task}.jsonl", answers(count))
            text = TASK.replace("words", task) + f"predictions: {name}-{task}.jsonl\n"
            Path(f"{name}-{task}.yaml").write_text(text)
        tasks = f"[{name}-one.yaml, {name}-two.yaml]"
        gates = "[{metric: exact_match, max_drop: 0.02}]"
        Path(f"{name}.yaml").write_text(f"suite: both\ntasks: {tasks}\ngates: {gates}\n")
        made(f"eval {name}.yaml --name {name}")


def make_conversations() -> None:
    """Runs of conversations: stored traces of four turns."""
    names = [f"c{n}" for n in range(ITEMS // 4)]
    Path("talks.json").write_text(json.dumps([talks.row(name) for name in names]))
    for name, right in RIGHT.items():
        traces = [_trace(identity, 4 * n < right) for n, identity in enumerate(names)]
        write_rows(f"{name}.jsonl", traces)
        made(f"evaluate --dataset talks.json --traces {name}.jsonl --name {name} --no-plots")


def _trace(identity: str, right: bool) -> dict[str, Any]:
    given = ["1500", "1200", "300", "25%"] if right else ["1", "2", "3", "4%"]
    return talks.trace(identity, *(talks.turn(index, answer) for index, answer in enumerate(given)))


def make_research() -> None:
    """Runs over the artifacts of an agent; what is wrong lacks the evidence that its golden query asks for."""
    names = [f"r{n}" for n in range(ITEMS // 3)]
    entries = [agents.golden(f"Why {name}?", "E1") for name in names]
    agents.write_golden(Path("golden.json"), *entries)
    for name, right in RIGHT.items():
        for n, run in enumerate(names):
            record = agents.evidence("E1" if 3 * n < right else "E2")
            content = agents.output(run, f"Why {run}?", claims=[agents.claim("k1", record)], evidence=[record])
            events, manifests = [agents.event(run, 1)], [agents.step(run, 1)]
            chunks = [{"chunk_id": "c1", "source_id": "s1", "text": agents.TEXT}]
            agents.write_run(Path(f"agent-{name}"), run, content, events=events, manifests=manifests, chunks=chunks)
        made(f"research --golden golden.json --outputs agent-{name} --name {name}", 0, 1)


KINDS: dict[str, Callable[[], None]] = {
    "stored": make_stored,
    "asked": make_asked,
    "suite": make_suite,
    "conversations": make_conversations,
    "research": make_research,
}
