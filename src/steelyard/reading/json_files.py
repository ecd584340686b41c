"""JSON files as rows: a list of objects, an object with one such list, or a mapping from ids to predictions.

The text is held whole, its rows are not: each value is found by a lenient scan and then parsed strictly by itself, so
that a bad row has its number and the rows after it are still read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from steelyard.errors import InputError, quoted
from steelyard.reading.json_values import bad_json, check_depth, line_and_column, not_utf8, parse_object, parse_value
from steelyard.reading.limits import Limits, RowError, bad_file
from steelyard.reading.lines import BOM, open_plain
from steelyard.reading.packed import read_whole

LIST_KEYS = ("data", "items", "examples", "train", "dev", "test", "rows", "queries")
"""Keys of a top-level object under which its rows may stand."""

Reject: TypeAlias = Callable[[int, RowError, bytes], None]
Numbered: TypeAlias = Iterator[tuple[int, dict[str, Any]]]

_SPACE = re.compile(r"[ \t\r\n]*")
_MAPPED = '"[-0123456789nNI'
"""How a value of a mapping file can begin: text, list, number or null."""
_ENVELOPE = 2
"""An object and a list may stand around the rows, and do not count as nesting."""


class _Member(NamedTuple):
    key: str
    key_start: int
    start: int
    end: int


def read_json(stream: BinaryIO, path: Path, limits: Limits, reject: Reject, *, mapping_field: str | None) -> Numbered:
    """Yield number and fields of each row of a JSON file."""
    document = _Document(path, _text(stream, path, limits), limits, reject)
    try:
        yield from document.rows(mapping_field)
    except json.JSONDecodeError as error:
        raise InputError(bad_json(error).at(path, error.lineno)) from None


def _text(stream: BinaryIO, path: Path, limits: Limits) -> str:
    data = read_whole(stream, path, limits).removeprefix(BOM)
    try:
        check_depth(data, replace(limits, max_depth=limits.max_depth + _ENVELOPE))
        return data.decode()
    except RowError as error:
        raise InputError(error.at(path, None)) from None
    except UnicodeDecodeError as error:
        line_start = data.rfind(b"\n", 0, error.start) + 1
        line = data.count(b"\n", 0, error.start) + 1
        in_line = UnicodeDecodeError("utf-8", data[line_start:], error.start - line_start, error.end, error.reason)
        raise InputError(not_utf8(in_line, line_start).at(path, line)) from None


@dataclass
class _Document:
    path: Path
    text: str
    limits: Limits
    reject: Reject

    def __post_init__(self) -> None:
        # Numbers are not wanted here, and `int` would raise for very long ones.
        self._scan = json.JSONDecoder(parse_int=len, parse_float=len).raw_decode

    def rows(self, mapping_field: str | None) -> Numbered:
        start = self._skip(0)
        if self.text.startswith("{", start):
            yield from self._rows_of_object(start, mapping_field)
        elif self.text.startswith("[", start):
            yield from self._rows_of_list(start)
        elif start < len(self.text):
            raise json.JSONDecodeError("Expecting a list or an object of rows", self.text, start)

    def _rows_of_list(self, start: int, *, whole: bool = True) -> Numbered:
        for number, (begin, end) in enumerate(self._elements(start, whole=whole), start=1):
            try:
                yield number, parse_object(self._bytes(begin, end), limits=self.limits)
            except RowError as error:
                self._reject(number, error, begin, end)

    def _rows_of_object(self, start: int, mapping_field: str | None) -> Numbered:
        members = list(self._members(start))
        self._refuse_duplicates(members)
        lists = [member for member in members if member.key in LIST_KEYS and self.text[member.start] == "["]
        if len(lists) == 1:
            yield from self._rows_of_list(lists[0].start, whole=False)
        elif lists or mapping_field is None or any(self.text[member.start] not in _MAPPED for member in members):
            raise self._no_rows([member.key for member in lists])
        else:
            yield from self._rows_of_mapping(members, mapping_field)

    def _rows_of_mapping(self, members: list[_Member], field: str) -> Numbered:
        for number, member in enumerate(members, start=1):
            try:
                value = parse_value(self._bytes(member.start, member.end), limits=self.limits)
            except RowError as error:
                self._reject(number, error, member.key_start, member.end)
            else:
                yield number, {"id": member.key, field: value}

    def _elements(self, start: int, *, whole: bool) -> Iterator[tuple[int, int]]:
        """Yield where each element of a list begins and ends."""
        position = self._skip(start + 1)
        if not self.text.startswith("]", position):
            while True:
                end = self._scan(self.text, position)[1]
                yield position, end
                position = self._skip(end)
                if not self._next(position, "]"):
                    break
                position = self._skip(position + 1)
        if whole:
            self._expect_end(position + 1)

    def _members(self, start: int) -> Iterator[_Member]:
        """Yield each member of the top-level object."""
        position = self._skip(start + 1)
        if not self.text.startswith("}", position):
            while True:
                member = self._member(position)
                yield member
                position = self._skip(member.end)
                if not self._next(position, "}"):
                    break
                position = self._skip(position + 1)
        self._expect_end(position + 1)

    def _member(self, position: int) -> _Member:
        if not self.text.startswith('"', position):
            raise json.JSONDecodeError("Expecting property name enclosed in double quotes", self.text, position)
        key, end = self._scan(self.text, position)
        colon = self._skip(end)
        if not self.text.startswith(":", colon):
            raise json.JSONDecodeError("Expecting ':' delimiter", self.text, colon)
        start = self._skip(colon + 1)
        return _Member(key, position, start, self._scan(self.text, start)[1])

    def _next(self, position: int, closing: str) -> bool:
        """Return whether a comma follows, and not the end of the list or object."""
        if self.text.startswith(closing, position):
            return False
        if not self.text.startswith(",", position):
            raise json.JSONDecodeError("Expecting ',' delimiter", self.text, position)
        return True

    def _expect_end(self, position: int) -> None:
        rest = self._skip(position)
        if rest < len(self.text):
            raise json.JSONDecodeError("Extra data", self.text, rest)

    def _skip(self, position: int) -> int:
        match = _SPACE.match(self.text, position)
        return match.end() if match else position

    def _bytes(self, start: int, end: int) -> bytes:
        return self.text[start:end].encode()

    def _reject(self, number: int, error: RowError, start: int, end: int) -> None:
        line = line_and_column(self.text, start)[0]
        message = f"row {number}, which starts on line {line}: {error.message}"
        self.reject(number, RowError(error.code, message, None, error.hint), self._bytes(start, end))

    def _refuse_duplicates(self, members: list[_Member]) -> None:
        seen: dict[str, int] = {}
        for member in members:
            first = seen.setdefault(member.key, member.key_start)
            if first != member.key_start:
                lines = [line_and_column(self.text, position)[0] for position in (first, member.key_start)]
                message = f"the key {quoted(member.key)} stands twice, on lines {lines[0]} and {lines[1]}"
                message += ", expected each key once"
                raise bad_file(self.path, "duplicate-key", message, hint="keep one of the two", line=lines[1])

    def _no_rows(self, lists: list[str]) -> InputError:
        found = f"lists of rows under {', '.join(lists)}" if lists else "no list of rows"
        message = f"the object holds {found}, expected one under one of {', '.join(LIST_KEYS)}, or a mapping of ids"
        return bad_file(self.path, "unknown-format", message, hint="put the rows into one list, or write JSONL")


# A JSON file as one value, strictly, with the place of every fault.


def read_document(
    path: Path,
    *,
    limits: Limits = Limits(),  # noqa: B008  frozen, so one instance serves all calls
) -> Any:
    """Return the one JSON value of a file, or raise InputError with its line and column."""
    with open_plain(path) as stream:
        data = read_whole(stream, path, limits).removeprefix(BOM)
    if not data.strip():
        raise bad_file(path, "empty-file", "the file is empty, expected a JSON value", hint="write the file again")
    try:
        return parse_value(data, limits=limits)
    except RowError as error:
        raise InputError(error.at(path, _line(data, error))) from None


def _line(data: bytes, error: RowError) -> int | None:
    """Return the line of a fault that the row parser places by its column alone."""
    if error.code == "not-utf8":
        try:
            data.decode()
        except UnicodeDecodeError as fault:
            return data.count(b"\n", 0, fault.start) + 1
    if error.code == "bad-json":
        try:
            json.loads(data)
        except json.JSONDecodeError as fault:
            return fault.lineno
    return None
