"""Names as people give them: one text with commas between, or a list of its own."""

from __future__ import annotations

from collections.abc import Iterable

Key = str | tuple[str, ...]
"""A tag, or the tags of a cross-slice."""


def names_of(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names of a text that is separated by commas, or of a list, whose entries are names as they are.

    >>> names_of("f1, rougeL"), names_of("f1"), names_of(["f1", "a,b"])
    (('f1', 'rougeL'), ('f1',), ('f1', 'a,b'))
    """
    if isinstance(given, str):
        return tuple(part.strip() for part in given.split(",") if part.strip())
    return tuple(given)


def slice_keys(given: str | Iterable[str | Iterable[str]]) -> tuple[Key, ...]:
    """Return the keys of slices; a plus sign in a text, or a list within a list, crosses tags.

    >>> slice_keys("source,source+difficulty"), slice_keys(["source", ["source", "difficulty"]])
    (('source', ('source', 'difficulty')), ('source', ('source', 'difficulty')))
    """
    if isinstance(given, str):
        return tuple(tuple(key.split("+")) if "+" in key else key for key in names_of(given))
    return tuple(key if isinstance(key, str) else tuple(key) for key in given)
