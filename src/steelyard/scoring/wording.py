"""How explanations quote foreign text: short, safe to show, and never more than a few entries."""

from __future__ import annotations

from collections.abc import Iterable

from steelyard.errors import excerpt

LISTED_ENTRIES = 3
"""How many entries an explanation names before "and N more"."""


def quoted(text: str) -> str:
    """Return an excerpt of a text in quotation marks, as the compiled loops for blocks write it too.

    >>> quoted("up"), quoted("")
    ("'up'", "''")
    """
    return f"'{excerpt(text)}'"


def named(entries: Iterable[str]) -> str:
    """Return the first entries in quotation marks and how many more there are.

    >>> named("abcde")
    "'a', 'b', 'c' and 2 more"
    """
    known = list(entries)
    shown = ", ".join(quoted(entry) for entry in known[:LISTED_ENTRIES])
    return f"{shown} and {len(known) - LISTED_ENTRIES} more" if len(known) > LISTED_ENTRIES else shown
