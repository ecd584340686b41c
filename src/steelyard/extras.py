"""Optional libraries: imported where they are needed, and where one is missing the message says what to install."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from steelyard.errors import ConfigurationError, Problem


def needed(module: str, *, extra: str, what: str) -> Any:
    """Return a module of an extra, or say how to get it."""
    library = module.split(".", maxsplit=1)[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".", maxsplit=1)[0] != library:
            raise
        raise ConfigurationError(
            Problem(
                "missing-extra",
                f"{what} need {library}, which is not installed",
                hint=f"pip install 'steelyard[{extra}]'",
            )
        ) from None


@contextmanager
def between_libraries() -> Iterator[None]:
    """Keep quiet what one library deprecates and another still calls: nobody here can do anything about it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
