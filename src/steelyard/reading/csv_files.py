"""CSV and TSV files as rows: strict, streaming, every value text.

A header `tags.source` puts its values under `tags`. Records may span lines inside quotes and are known by the line
they start on.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from steelyard.errors import InputError, quoted
from steelyard.reading.json_values import not_utf8
from steelyard.reading.limits import Limits, RowError, bad_file
from steelyard.reading.lines import line_too_long, physical_lines
from steelyard.records.columns import restore

Reject: TypeAlias = Callable[[int, RowError, bytes], None]

TAGS = "tags."


def read_csv(
    stream: BinaryIO, path: Path, limits: Limits, reject: Reject, *, delimiter: str, restored: bool
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield starting line and fields of each record under the header."""
    # The module's own limit holds for the whole process; ours counts bytes, in `_Feed`.
    csv.field_size_limit(max(csv.field_size_limit(), limits.max_line_bytes))
    feed = _Feed(stream, path, limits)
    records = _records(csv.reader(feed, delimiter=delimiter, strict=True), feed)
    header = _header(records, path, restored=restored)
    tags = [name for name in header if name.startswith(TAGS)]
    for line, record in records:
        if isinstance(record, RowError):
            reject(line, record, feed.raw)
        elif len(record) != len(header):
            reject(line, _ragged(record, header), feed.raw)
        else:
            yield line, _fields(header, [restore(cell) for cell in record] if restored else record, tags)


class _Feed:
    """The lines of the record that is being read, for the csv module."""

    def __init__(self, stream: BinaryIO, path: Path, limits: Limits) -> None:
        self._lines = physical_lines(stream, limits)
        self._path = path
        self._limits = limits
        self._parts: list[bytes] = []
        self._size = 0
        self.start = self._last = 0
        self.fault: RowError | None = None

    def begin(self) -> None:
        """Start a new record on the next line."""
        self._parts, self._size, self.start, self.fault = [], 0, self._last + 1, None

    @property
    def raw(self) -> bytes:
        """The bytes of the record."""
        return b"".join(self._parts).rstrip(b"\r\n")

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self._last, offset, data = next(self._lines)
        self._parts.append(data)
        self._size += len(data)
        if self._size > self._limits.max_line_bytes + 2:
            # What was passed over may hold quotes, so where the next record starts cannot be told.
            fault = line_too_long("record (is a quote never closed?)", self._limits)
            raise InputError(fault.at(self._path, self.start))
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            # The record is read to its end all the same: text inside its quotes must not be taken for rows.
            self.fault = self.fault or not_utf8(error, offset)
            return data.decode(errors="backslashreplace")


def _records(reader: Iterator[list[str]], feed: _Feed) -> Iterator[tuple[int, list[str] | RowError]]:
    """Yield starting line and cells of each record that is not blank, or its fault."""
    while True:
        feed.begin()
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield feed.start, feed.fault or _not_csv(error)
        else:
            if record:
                yield feed.start, feed.fault or record


def _not_csv(error: csv.Error) -> RowError:
    found = "a quote that is never closed" if "end of data" in str(error) else str(error)
    hint = 'put text with quotes, delimiters or line ends into "…", and write each quote inside twice'
    return RowError("bad-csv", f"found {found}, expected a record", None, hint)


def _ragged(record: list[str], header: list[str]) -> RowError:
    message = f"the record has {len(record)} values, expected {len(header)} as in the header"
    return RowError(
        "bad-csv", message, None, 'check for a missing value, or a delimiter in text that needs "…" around it'
    )


def _header(records: Iterator[tuple[int, list[str] | RowError]], path: Path, *, restored: bool) -> list[str]:
    line, names = next(records, (1, []))
    if isinstance(names, RowError):
        raise InputError(names.at(path, line))
    names = [restore(name) for name in names] if restored else names
    hint = "give every column a name of its own"
    for column, name in enumerate(names, start=1):
        if not name.strip() or name == TAGS:
            raise bad_file(path, "bad-csv", f"column {column} of the header has no name", hint=hint, line=line)
        if name in names[: column - 1] or (name == TAGS[:-1] and any(other.startswith(TAGS) for other in names)):
            message = f"the header names {quoted(name)} twice, in column {column} too, expected each name once"
            raise bad_file(path, "bad-csv", message, hint=hint, line=line)
    return names


def _fields(header: list[str], record: list[str], tags: list[str]) -> dict[str, Any]:
    fields: dict[str, Any] = dict(zip(header, record, strict=True))
    if tags:
        fields["tags"] = {name.removeprefix(TAGS): fields.pop(name) for name in tags}
    return fields
