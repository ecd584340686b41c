"""What can happen to one file: each change takes a file, and another run's file of the same name, and rewrites it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

Change = Callable[[Path, Path], None]


def change_byte(file: Path, other: Path) -> None:
    """Flip one bit in the middle."""
    del other
    content = bytearray(file.read_bytes())
    for place in range(len(content) // 2, len(content))[:1]:
        content[place] ^= 1
    file.write_bytes(content)


def change_number(file: Path, other: Path) -> None:
    """Write another digit for the last one that is part of a value."""
    del other
    content = file.read_bytes()
    for place in [found.start() for found in re.finditer(rb"\d", content)][-1:]:
        digit = b"1" if content[place : place + 1] != b"1" else b"2"
        file.write_bytes(content[:place] + digit + content[place + 1 :])


def truncate(file: Path, other: Path) -> None:
    """Keep the first half."""
    del other
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def empty(file: Path, other: Path) -> None:
    """Keep nothing."""
    del other
    file.write_bytes(b"")


def remove(file: Path, other: Path) -> None:
    """Take the file away."""
    del other
    file.unlink()


def exchange(file: Path, other: Path) -> None:
    """Put another run's file in its place."""
    shutil.copyfile(other, file)


def link(file: Path, other: Path) -> None:
    """Put a link to another run's file in its place."""
    file.unlink()
    file.symlink_to(other.resolve())


def make_folder(file: Path, other: Path) -> None:
    """Put a folder in its place."""
    del other
    file.unlink()
    file.mkdir()


def _lines(file: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    file.write_bytes(b"".join(change(file.read_bytes().splitlines(keepends=True))))


def drop_line(file: Path, other: Path) -> None:
    """Take the last line away."""
    del other
    _lines(file, lambda lines: lines[:-1])


def double_line(file: Path, other: Path) -> None:
    """Write the first line twice."""
    del other
    _lines(file, lambda lines: [*lines[:1], *lines])


def reorder(file: Path, other: Path) -> None:
    """Write the lines in another order."""
    del other
    _lines(file, lambda lines: [*lines[1:], *lines[:1]])


def append(file: Path, other: Path) -> None:
    """Write something behind the end."""
    del other
    file.write_bytes(file.read_bytes() + b"\n")


def append_lines(file: Path, other: Path) -> None:
    """Write another run's lines behind the end."""
    file.write_bytes(file.read_bytes() + other.read_bytes())


def _table(file: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(change(pq.read_table(file)), file)


def all_right(file: Path, other: Path) -> None:
    """Give every item a score of one."""
    del other

    def changed(table: pa.Table) -> pa.Table:
        place = table.column_names.index("correctness")
        return table.set_column(place, "correctness", pa.array(np.ones(len(table)), table.schema.field(place).type))

    _table(file, changed)


def drop_row(file: Path, other: Path) -> None:
    """Take the last item away, which every run has wrong."""
    del other
    _table(file, lambda table: table.slice(0, len(table) - 1))


def double_row(file: Path, other: Path) -> None:
    """Give the first item, which every run has right, twice."""
    del other
    _table(file, lambda table: pa.concat_tables([table.slice(0, 1), table]))


def reorder_rows(file: Path, other: Path) -> None:
    """Give the items in another order."""
    del other
    _table(file, lambda table: table.take(pa.array(np.arange(len(table))[::-1])))


def change_table_version(file: Path, other: Path) -> None:
    """Write the same items by another writer."""
    del other
    _table(file, lambda table: table.replace_schema_metadata({"note": "by hand"}))


ANY: tuple[Change, ...] = (change_byte, truncate, empty, remove, exchange, append, make_folder)
TEXT: tuple[Change, ...] = (*ANY, change_number, drop_line, double_line, reorder)
TABLE: tuple[Change, ...] = (*ANY, link, all_right, drop_row, double_row, reorder_rows, change_table_version)


def changes_of(file: str) -> tuple[Change, ...]:
    """Return what can happen to a file of this name."""
    if file.endswith(".parquet"):
        return TABLE
    if file.endswith(".jsonl"):
        return (*TEXT, link, append_lines)
    return (*TEXT, link) if file.endswith((".json", ".yaml")) else ANY


def set_json(file: Path, place: tuple[str | int, ...], value: Any) -> None:
    """Write one value of a JSON file, and leave every seal as it was; `...` takes the value away."""
    content = json.loads(file.read_bytes())
    found = content
    for name in place[:-1]:
        found = found[name]
    if value is ...:
        del found[place[-1]]
    else:
        found[place[-1]] = value
    file.write_text(json.dumps(content, indent=2) + "\n")
