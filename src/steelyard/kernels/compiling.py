"""Every compiled loop made ready ahead of time, so that the first large evaluation does not wait for the compiler."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from steelyard.kernels.compiled import Loop
from steelyard.kernels.keeping import cache_folder

LOOP_MODULES = (
    "steelyard.items.scan",
    *(
        f"steelyard.kernels.{name}"
        for name in (
            "answer_lines",
            "labels",
            "overlap",
            "patterns",
            "plain_numbers",
            "writing",
        )
    ),
)


def compiled_loops() -> list[Loop]:
    """Return every loop that evaluations use."""
    found = [value for name in LOOP_MODULES for value in vars(import_module(name)).values() if isinstance(value, Loop)]
    return list({id(loop): loop for loop in found}.values())


def compile_loops(progress: Callable[[int, int], None] | None = None) -> dict[str, object]:
    """Compile what this machine has not compiled yet; say how many loops that were, and where they are kept."""
    loops = compiled_loops()
    missing = [loop for loop in loops if not loop.is_kept()]
    for done, loop in enumerate(missing, start=1):
        loop.load()
        if progress is not None:
            progress(done, len(missing))
    folder = cache_folder()
    return {"loops": len(loops), "compiled": len(missing), "path": None if folder is None else str(folder)}
