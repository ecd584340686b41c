"""Fields and tags that a configuration names, held to the rows: one that none has is a mistake, never missing data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from steelyard.errors import Problem, Problems, excerpt, quoted
from steelyard.reading.limits import Limits
from steelyard.reading.rows import read_rows

Fields: TypeAlias = Mapping[str, Any]
Noticed: TypeAlias = tuple[frozenset[int], bool, bool]
"""The places of fields that no row had, whether there were rows, and whether one had no output and said why."""

LISTED_NAMES = 20
_ROWS = 200
"""From so many rows of a file the fields that it has are told; rows of one file are mostly alike."""


@dataclass(frozen=True, slots=True)
class NamedField:
    """A field that a configuration names."""

    name: str
    meaning: str
    """What it is named as, such as `the reference`."""
    stands_in: Callable[[Fields], bool]


class NamedFields:
    """The named fields of a file's rows, and which of them no row has had so far. Threads may share it."""

    def __init__(self, named: Iterable[NamedField] = ()) -> None:
        self._named = tuple(named)
        self._unseen = set(self._named)
        self.has_rows = False
        """Whether any row was looked at."""
        self.has_failures = False
        """Whether a row said itself why it has no output; such a row is not looked at."""

    def see(self, fields: Fields) -> None:
        """Look at a row. Once every field has been seen, this costs nothing."""
        self.has_rows = True
        if self._unseen:
            for named in tuple(self._unseen):
                if named.stands_in(fields):
                    self._unseen.discard(named)

    def noticed(self) -> Noticed:
        """Return what was noticed so far, for `learn` in another process."""
        unseen = frozenset(place for place, named in enumerate(self._named) if named in self._unseen)
        return unseen, self.has_rows, self.has_failures

    def learn(self, noticed: Noticed) -> None:
        """Take up what the same fields' rows showed elsewhere."""
        unseen, has_rows, has_failures = noticed
        self._unseen &= {self._named[place] for place in unseen}
        self.has_rows |= has_rows
        self.has_failures |= has_failures

    @property
    def unseen(self) -> list[NamedField]:
        """Those that no row had, in the order they are named; none where there were no rows."""
        return [named for named in self._named if named in self._unseen] if self.has_rows else []

    def problems(self, file: Path, limits: Limits) -> list[Problem]:
        """Return a problem for each field that no row had."""
        unseen = self.unseen
        known = field_names(file, limits) if unseen else []
        return [_unknown_field(named, file, known) for named in unseen]


def _unknown_field(named: NamedField, file: Path, known: Sequence[str]) -> Problem:
    message = f"no row has the field {quoted(named.name)}, named as {named.meaning}; the fields are {listed(known)}"
    return Problem("unknown-field", message, hint=nearest(named.name, known) or "name one of them", file=str(file))


def field_names(file: Path, limits: Limits) -> list[str]:
    """Return the names of the fields that the first rows of a file have, `a.b` for those inside objects."""
    rows = islice(read_rows(file, Problems(), limits=limits), _ROWS)
    return list(dict.fromkeys(name for row in rows for name in _names(row.fields)))


def _names(fields: Fields) -> Iterator[str]:
    for name, value in fields.items():
        if isinstance(value, dict) and value:
            yield from (f"{name}.{inner}" for inner in value)
        else:
            yield name


def unknown_tag(
    name: str, known: Collection[str], *, near: Collection[str] = (), whose: str = "no item has"
) -> Problem:
    """Return the problem of a tag that none has, with those that there are; `near` are further names to mean."""
    there = f"the tags are {listed(sorted(known))}" if known else "there are no tags"
    message = f"{whose} the tag {quoted(name)}; {there}"
    hint = nearest(name, {*known, *near}) or "name one of them, or leave it out"
    return Problem("unknown-tag", message, hint=hint)


def nearest(name: str, known: Collection[str]) -> str:
    """Return the question whether another name was meant; empty where none is near.

    >>> nearest("diffculty", ["section", "difficulty"])
    "did you mean 'difficulty'?"
    """
    spelled = {other.lower(): other for other in known}
    close = get_close_matches(name.lower(), spelled, n=1)
    return f"did you mean {quoted(spelled[close[0]])}?" if close else ""


def listed(names: Sequence[str]) -> str:
    """Return names for a message: the first twenty, and how many more there are."""
    rest = f" and {len(names) - LISTED_NAMES} more" if len(names) > LISTED_NAMES else ""
    return ", ".join(map(excerpt, names[:LISTED_NAMES])) + rest
