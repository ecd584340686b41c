"""Steelyard weighs model outputs: is this run better than the last one, where, and may it ship?"""  # noqa: D400 - a question

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from steelyard.api import Run, compare, evaluate, gate, load_run

__version__ = "0.1.0"

__all__ = ["Run", "__version__", "compare", "evaluate", "gate", "load_run"]


def __getattr__(name: str) -> Any:
    """Import what Python code calls when it is first asked for, so that the command line starts at once."""
    if name in __all__:
        return getattr(import_module("steelyard.api"), name)
    if name == "programs":
        return import_module("steelyard.programs")
    raise AttributeError(f"module 'steelyard' has no attribute {name!r}")
