"""Texts written by loops: JSON lines, sentences about two columns, hashes of items, columns without gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

import numpy as np

from steelyard.errors import escape
from steelyard.kernels.characters import FIRST_EMOJI, LAST_EMOJI
from steelyard.kernels.compiled import BYTES, FLOATS, INTEGERS, Loop
from steelyard.kernels.keeping import kept, source_of
from steelyard.kernels.memory import PADDING, Bytes, Integers, between, longest, padded, total
from steelyard.records.blocks import Floats, TextColumn

_MODULE = "steelyard.kernels.loops.writing"
_COLUMN = (BYTES, INTEGERS, INTEGERS)
_ESCAPE_GROWTH = 6
"""A control character becomes `\\u0000`; everything else grows less."""
_HASH_LENGTH = 71
_EXCERPT_BYTES = 4 * 81
_PARTS = 8

gather_loop = Loop(_MODULE, "gather", (*_COLUMN, BYTES, INTEGERS))
lines_loop = Loop(
    _MODULE,
    "json_lines",
    (BYTES, INTEGERS, INTEGERS, INTEGERS, BYTES, INTEGERS, INTEGERS, INTEGERS, BYTES, INTEGERS),
)
hashes_loop = Loop(_MODULE, "item_hashes", (*_COLUMN, *_COLUMN, BYTES, "uint32[::1]", BYTES))
sentences_loop = Loop(
    _MODULE, "sentences", (*_COLUMN, *_COLUMN, FLOATS, INTEGERS, BYTES, INTEGERS, BYTES, BYTES, INTEGERS, INTEGERS)
)

Part: TypeAlias = str | Literal[1, 2, 3]
"""Words; or an excerpt of the first column, an excerpt of the second, a number with three decimals."""
FIRST: Literal[1] = 1
SECOND: Literal[2] = 2
VALUE: Literal[3] = 3


def gathered(column: TextColumn) -> TextColumn:
    """Return a column whose texts stand side by side, in order and from the beginning of its data."""
    data, starts, ends = padded(column)
    target, offsets = np.empty(total(column) + PADDING, np.uint8), np.empty(len(column) + 1, np.int64)
    end = gather_loop(data, starts, ends, target, offsets)
    return between(target[:end], offsets)


def item_hashes(inputs: TextColumn, references: TextColumn) -> TextColumn:
    """Return `reading.hashing.item_hash` of inputs and references that are both text.

    >>> item_hashes(TextColumn.of(["2 + 2"]), TextColumn.of(["4"]))[0][:20]
    'sha256:7b0b0a2f4e11a'
    """
    room = _ESCAPE_GROWTH * (longest(inputs) + longest(references)) + 3 * PADDING
    target = np.empty(_HASH_LENGTH * len(inputs) + PADDING, np.uint8)
    state = np.empty(8 + 64, np.uint32)
    end = hashes_loop(*padded(inputs), *padded(references), np.empty(room, np.uint8), state, target)
    return between(target[:end], np.arange(0, end + 1, _HASH_LENGTH))


@dataclass(frozen=True, slots=True)
class LineForm:
    """How a JSON line is made of a row's members: words, a member, words, a member, …, words."""

    words: tuple[bytes, ...]
    """One more than members."""
    members: tuple[int, ...]
    raw: tuple[bool, ...]
    """Whether a member is written as it stands; otherwise it is a text and is escaped."""


def json_lines(data: Bytes, firsts: Integers, starts: Integers, ends: Integers, form: LineForm) -> TextColumn:
    """Return a line for each row; the members of row `i` stand from `firsts[i]` on in `starts` and `ends`."""
    words = np.frombuffer(b"".join(form.words) + bytes(PADDING), np.uint8)
    word_ends = np.cumsum([len(part) for part in form.words[:-1]]).astype(np.int64)
    sizes = sum(int((ends[firsts + member] - starts[firsts + member]).sum()) for member in form.members)
    target = np.empty(len(firsts) * len(words) + _ESCAPE_GROWTH * sizes + PADDING, np.uint8)
    offsets = np.empty(len(firsts) + 1, np.int64)
    members, modes = np.array(form.members, np.int64), np.array(form.raw, np.int64)
    end = lines_loop(data, firsts, starts, ends, words, word_ends, members, modes, target, offsets)
    return between(target[:end], offsets)


def sentences(
    first: TextColumn, second: TextColumn, values: Floats, forms: Sequence[Sequence[Part]], form_of: Integers
) -> tuple[TextColumn, Integers]:
    """Return a sentence for each row in the form that `form_of` numbers, and the rows that need the item form.

    Excerpts are those of `errors.excerpt`; a text with a character that it spells out needs the item form.
    """
    words = bytearray()
    parts = np.full(3 * _PARTS * len(forms), -1, np.int64)
    for number, form in enumerate(forms):
        for place, part in enumerate(form):
            at = 3 * (_PARTS * number + place)
            kind, content = (0, part.encode()) if isinstance(part, str) else (part, b"")
            parts[at : at + 3] = kind, len(words), len(words) + len(content)
            words += content
    texts = np.minimum(first.ends - first.starts, _EXCERPT_BYTES) + np.minimum(
        second.ends - second.starts, _EXCERPT_BYTES
    )
    # An excerpt can stand in a sentence twice at most, and every number takes five bytes.
    room = 2 * int(texts.sum()) + (len(words) + 5 * _PARTS) * len(first) + PADDING + _EXCERPT_BYTES
    target, offsets = np.empty(room, np.uint8), np.empty(len(first) + 1, np.int64)
    slow = np.empty(len(first), np.int64)
    text_of_forms = np.frombuffer(bytes(words) + bytes(PADDING), np.uint8)
    left = sentences_loop(
        *padded(first), *padded(second), values, form_of, text_of_forms, parts, _unsafe(), target, offsets, slow
    )
    return between(target[: int(offsets[-1])], offsets), slow[:left]


@cache
def _unsafe() -> Bytes:
    """Return a flag for each character that messages spell out: those of the basic plane, then the emoji."""
    made = kept("unsafe-characters", [source_of("steelyard.errors")], _made_unsafe)
    return np.frombuffer(made, np.uint8)


def _made_unsafe() -> bytes:
    return bytes(escape(chr(point)) != chr(point) for point in [*range(0x10000), *range(FIRST_EMOJI, LAST_EMOJI + 1)])
