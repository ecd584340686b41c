"""Any data file as rows: one door for JSONL, JSON, CSV, TSV and Parquet, plain or compressed.

A row that cannot be used is a problem (or goes to quarantine) and reading goes on; a file that cannot be used raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from steelyard.errors import InputError, MachineError, Problem, Problems, quoted
from steelyard.reading.json_values import parse_object
from steelyard.reading.limits import Limits, RowError, bad_file
from steelyard.reading.lines import Line, open_bytes, scan_lines, truncated
from steelyard.reading.packed import SUFFIXES

FORMATS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
DELIMITERS = {".csv": ",", ".tsv": "\t"}

Rejected: TypeAlias = Callable[[int, str, bytes], None]
"""What is done with a bad row in quarantine: its line, the reason, its bytes."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a data file."""

    line: int
    """The line it starts on, from 1; in JSON and Parquet files the row's own number, from 1."""
    fields: dict[str, Any]
    raw: bytes | None
    """The line as it stands in a JSONL file; None in other formats."""


def read_rows(
    path: Path,
    problems: Problems,
    *,
    limits: Limits = Limits(),  # noqa: B008  frozen, so one instance serves all calls
    rejected: Rejected | None = None,
    mapping_field: str | None = "prediction",
    restore_cells: bool = False,
) -> Iterator[Row]:
    """Yield the rows of a file whose format its name tells.

    Bad rows are added to `problems`, or given to `rejected` instead. `mapping_field` is the field that the values of a
    JSON file `{id: value}` go to; None refuses such files. `restore_cells` takes off the quotes that defuse formulas in
    CSV files of our own.
    """
    reader = _Reader(path, format_of(path), limits, problems, rejected)
    return reader.rows(mapping_field, restore_cells=restore_cells)


def format_of(path: Path) -> str:
    """Return the format that a file's name tells, such as `.jsonl` for `a.jsonl.gz`.

    >>> format_of(Path("runs/A.JSONL.zst"))
    '.jsonl'
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in SUFFIXES:
        suffixes.pop()
    if suffixes and suffixes[-1] in FORMATS:
        return suffixes[-1]
    message = f"the name {quoted(path.name)} does not tell a format, expected one of {', '.join(FORMATS)}"
    raise bad_file(path, "unknown-format", message, hint="rename the file; each may also end in .gz or .zst")


def row_of(line: Line, limits: Limits) -> Row:
    """Return the row that a line of JSONL holds, or raise a RowError."""
    if line.fault is not None:
        raise line.fault
    try:
        fields = parse_object(line.data, limits=limits)
    except RowError as error:
        raise truncated(error.column) if error.cut and not line.ended else error from None
    return Row(line.number, fields, line.data)


@dataclass
class _Reader:
    path: Path
    format: str
    limits: Limits
    problems: Problems
    rejected: Rejected | None
    seen: int = 0

    def rows(self, mapping_field: str | None, *, restore_cells: bool) -> Iterator[Row]:
        try:
            with open_bytes(self.path, self.limits) as stream:
                for row in self._found(stream, mapping_field, restore_cells):
                    self.seen += 1
                    yield row
        except OSError as error:
            message = f"reading stopped: {error.strerror or error}"
            problem = Problem("machine", message, hint="check the disk and try again", file=str(self.path))
            raise MachineError(problem) from None
        if not self.seen:
            raise empty_file(self.path)

    def _found(self, stream: BinaryIO, mapping_field: str | None, restore_cells: bool) -> Iterator[Row]:  # noqa: FBT001
        match self.format:
            case ".jsonl" | ".ndjson":
                yield from self._json_lines(stream)
                return
            # Most files are JSONL: the others are read by modules that are loaded for them.
            case ".json":
                from steelyard.reading.json_files import read_json  # noqa: PLC0415 - as the comment says

                pairs = read_json(stream, self.path, self.limits, self.reject, mapping_field=mapping_field)
            case ".parquet":
                from steelyard.reading.parquet_files import read_parquet  # noqa: PLC0415 - as above

                pairs = read_parquet(stream, self.path, self.limits, self.reject)
            case _:
                from steelyard.reading.csv_files import read_csv  # noqa: PLC0415 - as above

                delimiter = DELIMITERS[self.format]
                pairs = read_csv(
                    stream, self.path, self.limits, self.reject, delimiter=delimiter, restored=restore_cells
                )
        for line, fields in pairs:
            yield Row(line, fields, None)

    def _json_lines(self, stream: BinaryIO) -> Iterator[Row]:
        for line in scan_lines(stream, self.limits):
            try:
                yield row_of(line, self.limits)
            except RowError as error:
                self.reject(line.number, error, line.data)

    def reject(self, line: int, error: RowError, raw: bytes) -> None:
        self.seen += 1
        if self.rejected is None:
            self.problems.add(error.at(self.path, line))
        else:
            self.rejected(line, f"{error.code}: {error.message}", raw)


def empty_file(path: Path) -> InputError:
    """Return the error of a file that holds no row at all."""
    return bad_file(path, "empty-file", "the file has no rows, expected at least one", hint="check the path")
