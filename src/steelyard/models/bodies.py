"""The body of a server's answer, read and unpacked within a limit."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp

_BLOCK = 1 << 16
_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 47}
"""What zlib is told of a packed body; 47 takes a header of either kind."""


@dataclass(frozen=True, slots=True)
class Body:
    """What a server sent, its body at most as long as the limit and one block more."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    cut: bool
    """Whether there was more."""


async def read_body(response: aiohttp.ClientResponse, limit: int) -> Body:
    """Return an answer, given up at the limit."""
    content = bytearray()
    async for block in response.content.iter_chunked(_BLOCK):
        content += block
        if len(content) > limit:
            response.close()
            return Body(response.status, response.headers, bytes(content), cut=True)
    packing = (response.headers.get("Content-Encoding") or "").strip().lower()
    if packing not in _WINDOWS:
        return Body(response.status, response.headers, bytes(content), cut=False)
    unpacked = zlib.decompressobj(_WINDOWS[packing]).decompress(content, limit + 1)
    return Body(response.status, response.headers, unpacked, cut=len(unpacked) > limit)
