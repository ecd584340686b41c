"""What a safetensors file says about itself: its header is held to the size of the file before it is loaded.

The format is public: the header's length in eight bytes, the header as JSON, then the tensors. Each says its type, its
shape and where it lies; together they cover the file.
"""

from __future__ import annotations

import json
import struct
from math import prod
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem, excerpt

LONGEST_HEADER = 100_000_000
"""The limit that the format's own library has."""
_METADATA = "__metadata__"


class _HeaderError(Exception):
    """The file is not what it claims to be."""


def tensor_names(path: Path) -> list[str]:
    """Return the names of the tensors in a file; one that is damaged is refused."""
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            start = stream.read(8)
            length = struct.unpack("<Q", start)[0] if len(start) == 8 else None
            if length is None or length > min(LONGEST_HEADER, size - 8):
                raise _HeaderError(f"the file has {size} bytes, and its header claims {length or 0}")
            return _names(_header(stream.read(length)), size - 8 - length)
    except (OSError, _HeaderError) as error:
        message = f"these weights are damaged: {error}"
        hint = "copy or download the file again; its size and hash are on its page"
        raise InputError(Problem("bad-model", message, hint=hint, file=str(path))) from None


def _header(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _HeaderError(f"its header is no JSON: {excerpt(str(error))}") from None
    if not isinstance(found, dict):
        raise _HeaderError("its header is no object")
    return {name: entry for name, entry in found.items() if name != _METADATA}


def _names(header: dict[str, Any], size: int) -> list[str]:
    """Return the names of the tensors, which lie one behind the other and fill the rest of the file."""
    end = 0
    for name, entry in sorted(header.items(), key=lambda pair: _place(*pair)):
        first, last = _place(name, entry)
        if first != end or last < first or last > size:
            raise _HeaderError(
                f"the tensor {excerpt(repr(name))} lies at {first} to {last}, expected {end} on, of {size}"
            )
        if (last > first) != (prod(_shape(name, entry)) > 0):
            raise _HeaderError(f"the tensor {excerpt(repr(name))} has a shape that is not its size")
        end = last
    if end != size:
        raise _HeaderError(f"its tensors have {end} bytes, and {size} are there")
    return list(header)


def _place(name: str, entry: Any) -> tuple[int, int]:
    return tuple(_counts(name, entry, "data_offsets", 2))  # type: ignore[return-value]


def _shape(name: str, entry: Any) -> list[int]:
    return _counts(name, entry, "shape", None)


def _counts(name: str, entry: Any, key: str, length: int | None) -> list[int]:
    found: Any = entry.get(key) if isinstance(entry, dict) else None
    fits = isinstance(found, list) and (length is None or len(found) == length)
    if fits and all(type(value) is int and 0 <= value < 1 << 48 for value in found):
        return list(found)
    raise _HeaderError(f"the tensor {excerpt(repr(name))} has no {key}")
