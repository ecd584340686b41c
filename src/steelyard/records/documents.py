"""A configuration file's content together with the place of each of its keys, for messages that point there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list positions from the top of a document to a value."""

Place: TypeAlias = tuple[int, int]
"""Line and column, both from 1."""


class Document(dict[str, Any]):
    """The mapping that a configuration file holds. It is used like any mapping."""

    def __init__(self, values: Mapping[str, Any], places: Mapping[Path, Place]) -> None:
        super().__init__(values)
        self.places = dict(places)

    def place_of(self, path: Sequence[str | int]) -> Place | None:
        """Return where a value stands, or else the nearest thing around it that has a place.

        >>> Document({"eval": {}}, {("eval",): (3, 1)}).place_of(["eval", "hard_examples"])
        (3, 1)
        """
        for length in range(len(path), 0, -1):
            found = self.places.get(tuple(path[:length]))
            if found is not None:
                return found
        return None
