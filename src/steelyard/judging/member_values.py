"""Members of rows that are no texts: numbers and lists, in the one spelling that a run writes them in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import compress
from json.encoder import encode_basestring_ascii

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.items.scan import ScannedBlock
from steelyard.items.shapes import ARRAY, FRACTION, TEXT, Shape
from steelyard.kernels.writing import item_hashes
from steelyard.reading.ids import PREFIX, item_hash
from steelyard.records.blocks import TextColumn, replaced

Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

_DELETE = b"\x7f"
"""The one ASCII character that canonical JSON escapes and compact JSON does not."""
_SPELLED_FREELY = (FRACTION, ARRAY)
"""Kinds whose values have several spellings in JSON."""


@dataclass(frozen=True, slots=True)
class Values:
    """The values of one member in many rows: texts as they are, other values in compact JSON."""

    texts: TextColumn
    kinds: Integers

    def kept(self, flags: Flags) -> Values:
        """Return some of the rows."""
        texts = self.texts
        return Values(TextColumn(texts.data, texts.starts[flags], texts.ends[flags]), self.kinds[flags])

    def lists(self) -> list[list[str] | str]:
        """Return lists as lists of texts, and texts as they are."""
        are_arrays = (self.kinds == ARRAY).tolist()
        texts = _slices(self.texts)
        decoded = iter(_decoded(compress(texts, are_arrays)))
        return [next(decoded) if is_array else text.decode() for text, is_array in zip(texts, are_arrays, strict=True)]

    def shown(self) -> TextColumn:
        """Return values as `judging.items.output_text` shows them."""
        if not (self.kinds == ARRAY).any():
            return self.texts
        return TextColumn.of([value if isinstance(value, str) else _shown(value) for value in self.lists()])

    def hashes_with(self, inputs: TextColumn) -> TextColumn:
        """Return the hash of each item whose reference is a value here."""
        others = np.flatnonzero(self.kinds != TEXT)
        if not len(others):
            return item_hashes(inputs, self.texts)
        rows = zip(inputs, _slices(self.texts), strict=True)
        hashes = [_hash(text, value) for text, value in compress(rows, (self.kinds != TEXT).tolist())]
        if len(others) == len(inputs):
            return TextColumn.of(hashes)
        return replaced(item_hashes(inputs, self.texts), others, hashes)


def respelled(block: ScannedBlock, shapes: Sequence[Shape], kinds: Sequence[int]) -> ScannedBlock:
    """Return a block in which values of some kinds stand in compact JSON, as the journal writes them."""
    wanted = [kind for kind in kinds if kind in _SPELLED_FREELY]
    places = [
        block.firsts[block.shapes == number] + member
        for number, shape in enumerate(shapes)
        for member, found in enumerate(shape.members)
        if found.kind in wanted
    ]
    if not places:
        return block
    index = np.concatenate(places)
    spelled = TextColumn.of_bytes(
        [_compact(text) for text in _slices(TextColumn(block.data, block.starts[index], block.ends[index]))]
    )
    starts, ends = block.starts.copy(), block.ends.copy()
    starts[index], ends[index] = spelled.starts + len(block.data), spelled.ends + len(block.data)
    return replace(block, data=np.concatenate([block.data, spelled.data]), starts=starts, ends=ends)


def _slices(column: TextColumn) -> list[bytes]:
    whole = column.data.tobytes()
    return [whole[start:end] for start, end in zip(column.starts.tolist(), column.ends.tolist(), strict=True)]


def _compact(text: bytes) -> bytes:
    if text[:1] == b"[":
        items = text.split(b'"')[1::2]  # the scan takes no list whose texts have a quotation mark
        return b'["' + b'","'.join(items) + b'"]' if items else b"[]"
    return repr(float(text)).encode() if b"." in text else b"0"  # the scan takes -0, which is the integer 0, as none


def _decoded(arrays: compress[bytes]) -> list[list[str]]:
    return msgspec.json.decode(b"[" + b",".join(arrays) + b"]", type=list[list[str]])


def _shown(items: list[str]) -> str:
    return '["' + '", "'.join(items) + '"]' if items else "[]"  # the scan takes no text that JSON would escape


def _hash(text: str, reference: bytes) -> str:
    """Return `item_hash` of an input and a reference in compact JSON, which is canonical where nothing is escaped."""
    if not reference.isascii() or _DELETE in reference:
        return item_hash(text, msgspec.json.decode(reference))
    canonical = b"[" + encode_basestring_ascii(text).encode() + b"," + reference + b"]"
    return PREFIX + sha256(canonical).hexdigest()
