"""Compressed files as streams: gzip and zstd, checked to the last byte and against decompression bombs.

The standard readers take a cut zstd file for a whole one and unpack a bomb as far as memory goes, so the decoders are
driven here, in steps whose output is bounded.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import zstandard

from steelyard.errors import InputError
from steelyard.reading.limits import RATIO_FLOOR, Limits, bad_file

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
SUFFIXES = {".gz": GZIP_MAGIC, ".zst": ZSTD_MAGIC}

_STEP = 1 << 20
_ZSTD_STEP = 1 << 12
"""A zstd decoder gives all it can of what it gets, up to 32,768 times as much: 4 KiB keeps that to 128 MiB."""

_GZIP_FORM = 31
"""zlib's number for gzip's header and trailer around a 32 KiB window."""


def unpack(stream: BinaryIO, path: Path, suffix: str, limits: Limits) -> BinaryIO:
    """Return the unpacked bytes of an open `.gz` or `.zst` file; reading on raises InputError where it is broken."""
    chunks = _gzip_chunks(stream) if suffix == ".gz" else _zstd_chunks(stream)
    return io.BufferedReader(_Chunks(_guarded(chunks, stream.tell, path, limits), stream), _STEP)


class _Chunks(io.RawIOBase):
    """An iterator of chunks as a raw stream."""

    def __init__(self, chunks: Iterator[bytes], source: BinaryIO) -> None:
        self._chunks = chunks
        self._source = source
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def close(self) -> None:
        self._source.close()
        super().close()


def _gzip_chunks(stream: BinaryIO) -> Iterator[bytes]:
    decoder, whole = zlib.decompressobj(_GZIP_FORM), True
    rest = stream.read(_STEP)
    while rest:
        yield decoder.decompress(rest, _STEP)
        whole = decoder.eof
        if not whole:
            rest = decoder.unconsumed_tail or stream.read(_STEP)
            continue
        # Zeros after a member are padding, as gzip itself has it.
        rest, decoder = decoder.unused_data.lstrip(b"\0"), zlib.decompressobj(_GZIP_FORM)
        while not rest and (more := stream.read(_STEP)):
            rest = more.lstrip(b"\0")
    _expect_whole(whole)


def _zstd_chunks(stream: BinaryIO) -> Iterator[bytes]:
    decoder, whole = zstandard.ZstdDecompressor().decompressobj(), True
    rest = stream.read(_ZSTD_STEP)
    while rest:
        yield decoder.decompress(rest)
        whole, rest = decoder.eof, decoder.unused_data or stream.read(_ZSTD_STEP)
        if whole:
            decoder = zstandard.ZstdDecompressor().decompressobj()
    _expect_whole(whole)


def _expect_whole(whole: bool) -> None:  # noqa: FBT001
    if not whole:
        raise EOFError("it ends before its last block")


def _guarded(chunks: Iterator[bytes], packed: Callable[[], int], path: Path, limits: Limits) -> Iterator[bytes]:
    unpacked = 0
    try:
        for chunk in chunks:
            unpacked += len(chunk)
            check_size(unpacked, packed(), path, limits)
            yield chunk
    except (zlib.error, zstandard.ZstdError, EOFError) as error:
        hint = "fetch or make the file again; `gzip -t` and `zstd -t` check one"
        message = f"the compressed file cannot be unpacked ({error}), expected a whole file"
        raise bad_file(path, "corrupt-file", message, hint=hint) from None


def check_size(unpacked: int, packed: int, path: Path, limits: Limits) -> None:
    """Raise InputError when a file has unpacked to more than it may."""
    if unpacked > limits.max_unpacked_bytes:
        raise too_large(path, limits)
    if unpacked > RATIO_FLOOR and unpacked > packed * limits.max_ratio:
        message = f"{packed} bytes unpack to more than {unpacked}, expected at most {limits.max_ratio} times as many"
        raise bad_file(path, "file-too-large", message, hint="this looks like a decompression bomb: unpack it yourself")


def read_whole(stream: BinaryIO, path: Path, limits: Limits) -> bytes:
    """Return everything that a file holds, or raise InputError where that is more than it may.

    It is read in steps: one read of as much as the limit allows would ask the system for that much memory.
    """
    # Its value is handed over without a copy, which joining pieces would need.
    whole = io.BytesIO()
    while piece := stream.read(_STEP):
        whole.write(piece)
        if whole.tell() > limits.max_unpacked_bytes:
            raise too_large(path, limits)
    return whole.getvalue()


def too_large(path: Path, limits: Limits) -> InputError:
    """Return the error of a file that holds more than `--max-unpacked-bytes`."""
    message = f"the file holds more than {limits.max_unpacked_bytes} bytes, which is the limit"
    return bad_file(path, "file-too-large", message, hint="split the file, or raise --max-unpacked-bytes")
