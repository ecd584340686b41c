"""The eval sets that ship with the package, by name: `evalsets:eval_v2` wherever a dataset is named."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from steelyard.errors import InputError, Problem, quoted

PREFIX = "evalsets:"
CONVERSATIONS = "conversations_v1"
"""The conversations that `steelyard evaluate` judges where none are named."""
TRACES = "conversations_v1.traces"
"""Their stored traces, which are no dataset."""

_PACKAGE = Path(__file__).resolve().parents[1]


def shipped_folder() -> Path:
    """Return the folder of the sets: inside the package, or beside `src` where the package is a checkout."""
    inside = _PACKAGE / "evalsets"
    return inside if inside.is_dir() else _PACKAGE.parents[1] / "evalsets"


def shipped_names() -> list[str]:
    """Return the names of the sets that ship.

    >>> shipped_names()
    ['conversations_v1', 'eval_v1', 'eval_v2', 'golden_v1']
    """
    return sorted({file.name.split(".", 1)[0] for file in shipped_folder().glob("*.json*")})


def is_shipped(text: str) -> bool:
    """Return whether a text names a set that ships, and no file that is there."""
    return text.startswith(PREFIX) and not Path(text).exists()


def shipped_file(text: str) -> Path:
    """Return the file of a set by `evalsets:NAME`, or raise with the nearest name.

    >>> shipped_file("evalsets:eval_v2").name
    'eval_v2.jsonl'
    """
    name = text.removeprefix(PREFIX)
    for suffix in (".jsonl", ".json"):
        file = shipped_folder() / f"{name}{suffix}"
        if name in (*shipped_names(), TRACES) and file.is_file():
            return file
    close = get_close_matches(name, shipped_names(), n=1)
    known = ", ".join(PREFIX + entry for entry in shipped_names())
    hint = f"did you mean {PREFIX}{close[0]}?" if close else f"there are {known}"
    raise InputError(Problem("dataset-not-found", f"no eval set {quoted(name)} ships with Steelyard", hint=hint))


def named_path(path: Path) -> str:
    """Return what a run keeps of where its data is: the name of a set that ships, else the path as it is.

    A name is found again by every installation, wherever the package lies.
    """
    if path.parent != shipped_folder():
        return str(path)
    return PREFIX + path.name.removesuffix(".jsonl").removesuffix(".json")


def lasting_path(path: Path) -> str:
    """Return a path that can be opened again from anywhere: the name of a set that ships, else an absolute path."""
    named = named_path(path)
    return named if named.startswith(PREFIX) else str(path.resolve())


def opened_path(text: str | Path) -> Path:
    """Return the file behind a path or the name of a set that ships."""
    return shipped_file(str(text)) if is_shipped(str(text)) else Path(text)


def own_size(path: Path) -> int | None:
    """Return how many items a set has that ships small, where a file is exactly that set.

    A set of thirty items that is complete is not one that lacks twenty.
    """
    own = shipped_folder() / path.name
    if path.name != "golden_v1.jsonl" or not path.is_file() or path.read_bytes() != own.read_bytes():
        return None
    return len(own.read_bytes().splitlines())
