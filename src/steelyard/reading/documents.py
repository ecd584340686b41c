"""A JSON file as one value, strictly, with the place of every fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from steelyard.errors import InputError
from steelyard.reading.faults import RowError, bad_file
from steelyard.reading.json_values import parse_value
from steelyard.reading.limits import Limits
from steelyard.reading.lines import BOM, open_plain
from steelyard.reading.packed import read_whole


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
