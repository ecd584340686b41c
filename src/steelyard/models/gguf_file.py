"""What a GGUF file says about itself: its header is read before llama.cpp is given the file.

The format is public and little-endian: magic, version, counts, then keys with typed values. Only text values are kept.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from steelyard.errors import InputError, Problem

MAGIC = b"GGUF"
CHAT_TEMPLATE = "tokenizer.chat_template"
NAME = "general.name"
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_TEXT, _LIST = 8, 9
_MOST_KEYS = 100_000
_LONGEST = 1 << 28
_DEEPEST = 4
_MOST_DIMENSIONS = 8


class _HeaderError(Exception):
    """The file is not what it claims to be."""


@dataclass(frozen=True, slots=True)
class GgufFacts:
    """A file's name for itself and its chat template, where it has them."""

    name: str | None
    chat_template: str | None


def read_gguf_facts(path: Path) -> GgufFacts:
    """Return what a GGUF file says about itself; any other file is refused."""
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            texts = _texts(stream, size)
    except OSError as error:
        message = f"the model file cannot be read: {error.strerror or error}"
        raise InputError(Problem("missing-file", message, hint="check the path", file=str(path))) from None
    except (_HeaderError, struct.error, UnicodeDecodeError) as error:
        message = f"this is no GGUF file, or a damaged one: {error}"
        hint = "convert the model to GGUF, or use hf: for a folder of safetensors"
        raise InputError(Problem("bad-model", message, hint=hint, file=str(path))) from None
    return GgufFacts(texts.get(NAME), texts.get(CHAT_TEMPLATE))


def _texts(stream: BinaryIO, size: int) -> dict[str, str]:
    """Return the texts under keys; what stands behind them, and where the tensors lie, is held to the file's size."""
    if stream.read(4) != MAGIC:
        raise _HeaderError("it does not begin with `GGUF`")
    _version, tensors, keys = struct.unpack("<IQQ", _take(stream, 20))
    if max(keys, tensors) > _MOST_KEYS:
        raise _HeaderError(f"it claims {keys} keys and {tensors} tensors")
    found = {}
    for _ in range(keys):
        key = _text(stream)
        (kind,) = struct.unpack("<I", _take(stream, 4))
        if kind == _TEXT:
            found[key] = _text(stream)
        else:
            _skip(stream, kind, size)
    last = max((_tensor(stream) for _ in range(tensors)), default=0)
    if stream.tell() + last > size:
        raise _HeaderError(f"a tensor lies {last} bytes behind the header, and the file has {size}: it was cut short")
    return found


def _tensor(stream: BinaryIO) -> int:
    """Return where a tensor begins, counted from the end of the header."""
    _text(stream)
    (dimensions,) = struct.unpack("<I", _take(stream, 4))
    if dimensions > _MOST_DIMENSIONS:
        raise _HeaderError(f"it claims a tensor of {dimensions} dimensions")
    return int(struct.unpack(f"<{dimensions}QIQ", _take(stream, 8 * dimensions + 12))[-1])


def _skip(stream: BinaryIO, kind: int, size: int, depth: int = 0) -> None:
    if kind in _SIZES:
        _take(stream, _SIZES[kind])
    elif kind == _LIST:
        inner, count = struct.unpack("<IQ", _take(stream, 12))
        if depth > _DEEPEST or count > size:
            raise _HeaderError(f"it claims a list of {count} values, {depth} lists deep")
        if inner in _SIZES:
            stream.seek(_SIZES[inner] * count, 1)
        else:
            for _ in range(count):
                _skip(stream, inner, size, depth + 1)
    elif kind == _TEXT:
        _take(stream, _length(stream))
    else:
        raise _HeaderError(f"it has a value of unknown type {kind}")


def _text(stream: BinaryIO) -> str:
    return _take(stream, _length(stream)).decode()


def _length(stream: BinaryIO) -> int:
    (length,) = struct.unpack("<Q", _take(stream, 8))
    if length > _LONGEST:
        raise _HeaderError(f"it claims a text of {length} bytes")
    return int(length)


def _take(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise _HeaderError("it ends inside its header")
    return data
