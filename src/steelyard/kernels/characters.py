"""Tables of what each character becomes, made from Python's own rules, so that block forms follow its Unicode version.

A table covers the basic plane and the emoji; other characters are `SLOW`, as is every character whose normal form
depends on its neighbours (combining marks, conjoining jamo, capital sigma). NFKC of a text is the NFKC of its
characters joined, as long as no character's form begins with one that can combine with what stands before it.
"""

from __future__ import annotations

import re
import string
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.kernels.keeping import kept, source_of
from steelyard.text.tokens import CJK, CJK_CHARACTER

TableName: TypeAlias = Literal["basic", "squad", "rouge"]

FIRST_EMOJI, LAST_EMOJI = 0x1F000, 0x1FFFF

KIND_MASK = 7
KIND_KEEP = 0
"""The character stays as it is."""
KIND_SPACE = 1
"""It separates."""
KIND_MAP = 2
"""It becomes a piece of text without separators."""
KIND_DROP = 3
"""It vanishes."""
KIND_ALONE = 4
"""It is a token by itself, as it stands or as a piece."""
SLOW = 5
"""It cannot be judged by itself."""

WORD = 8
"""Under `squad`: whether `\\w` matches what it becomes; an article ends where this changes."""
CJK_ITSELF = 8
"""Under `rouge`: whether it is Han, kana or hangul before any change; one such character changes how a text is read."""
LENGTH_SHIFT, LENGTH_MASK = 4, 15
"""The length of the piece in bytes; 0 for a character that stays."""
OFFSET_SHIFT = 8

ASCII_SPACE, ASCII_DROP, ASCII_ODD = 0x80, 0x81, 0x82
"""What an ASCII byte can become beside another byte: a separator, nothing, or itself without being a word character."""

_CAPITAL_SIGMA = "Σ"
_MARKS = {"Mn", "Mc", "Me"}
_CONJOINING = {chr(point) for point in range(0x1160, 0x1200)}
GROWTH = 3
"""No piece is longer than this many times its character; callers size their memory by it."""


@dataclass(frozen=True, slots=True)
class CharacterTable:
    """What each character becomes under one profile."""

    ascii: npt.NDArray[np.uint8]
    """One entry per byte below 128."""
    actions: npt.NDArray[np.uint32]
    """One entry per character of the basic plane, then one per emoji: kind, word bit, piece length, piece offset."""
    pieces: npt.NDArray[np.uint8]


_ACTIONS = 0x10000 + LAST_EMOJI + 1 - FIRST_EMOJI


@cache
def character_table(name: TableName) -> CharacterTable:
    """Return the table of a normalisation profile, or of ROUGE's tokens in texts with Han, kana or hangul.

    Making one takes 0.1 s, so it is kept for this version of Python and its Unicode data.
    """
    rules = [source_of(__name__), source_of("steelyard.text.tokens")]
    python = f"{sys.version} {unicodedata.unidata_version}".encode()
    content = kept(f"characters-{name}", [python, *rules], lambda: _made(name))
    ends = 4 * _ACTIONS, 4 * _ACTIONS + 128
    actions = np.frombuffer(content[: ends[0]], "<u4")
    ascii_bytes = np.frombuffer(content[ends[0] : ends[1]], np.uint8)
    return CharacterTable(ascii_bytes, actions, np.frombuffer(content[ends[1] :], np.uint8))


def _made(name: TableName) -> bytes:
    builder = _Builder()
    {"basic": _basic, "squad": _squad, "rouge": _rouge}[name](builder)
    actions = np.full(_ACTIONS, SLOW, "<u4")
    index = np.array(_points(), np.int64)
    index[index >= FIRST_EMOJI] -= FIRST_EMOJI - 0x10000
    actions[index] = builder.actions
    return actions.tobytes() + bytes(_ascii_entry(name, chr(point)) for point in range(128)) + bytes(builder.pieces)


def _points() -> list[int]:
    return [*range(0x80, 0xD800), *range(0xE000, 0x10000), *range(FIRST_EMOJI, LAST_EMOJI + 1)]


class _Builder:
    """Actions of all characters: those of whole classes are set at once, those of single characters one by one."""

    def __init__(self) -> None:
        self.characters = "".join(map(chr, _points()))
        self.actions = np.zeros(len(self.characters), np.uint32)
        self.pieces = bytearray()

    def set_class(self, pattern: str, bits: int) -> None:
        """Set bits for every character that a character class matches."""
        for run in re.finditer(f"{pattern}+", self.characters):
            self.actions[run.start() : run.end()] |= bits

    def changed(self, forms: str) -> Iterator[tuple[int, str, str]]:
        """Yield place, character and form of those that have another form; forms stand between NULs."""
        for place, (character, form) in enumerate(zip(self.characters, forms.split("\0"), strict=True)):
            if character != form:
                yield place, character, form

    def set_piece(self, place: int, piece: str, kind: int) -> None:
        """Let a character become a piece of text."""
        encoded = piece.encode()
        if len(encoded) > min(LENGTH_MASK, GROWTH * len(self.characters[place].encode())):
            self.actions[place] = SLOW
            return
        self.actions[place] = kind | len(encoded) << LENGTH_SHIFT | len(self.pieces) << OFFSET_SHIFT
        self.pieces += encoded


def _basic(builder: _Builder) -> None:
    builder.set_class(f"[{CJK}]", KIND_ALONE)
    builder.set_class(r"\s", KIND_SPACE)
    composed = unicodedata.normalize("NFKC", "\0".join(builder.characters))
    for place, _, form in builder.changed(composed.casefold()):
        if form.isspace() and len(form) == 1:
            builder.actions[place] = KIND_SPACE
        elif CJK_CHARACTER.search(form):
            _set_alone(builder, place, form)
        elif any(map(str.isspace, form)):
            builder.actions[place] = SLOW
        else:
            builder.set_piece(place, form, KIND_MAP)
    _set_slow(builder, composed)


def _squad(builder: _Builder) -> None:
    builder.set_class(r"\s", KIND_SPACE)
    for place, character, form in builder.changed("\0".join(builder.characters).lower()):
        if len(form) > 1 or character == _CAPITAL_SIGMA:
            builder.actions[place] = SLOW
        else:
            builder.set_piece(place, form, KIND_MAP)
    # A letter and its lower case are both word characters, so the class of the character serves for its form.
    builder.set_class(r"[^\W_]", WORD)


def _rouge(builder: _Builder) -> None:
    builder.set_class(f"[{CJK}]", KIND_ALONE)
    builder.actions[builder.actions == 0] = KIND_SPACE
    composed = unicodedata.normalize("NFKC", "\0".join(builder.characters))
    for place, _, form in builder.changed(composed.lower()):
        plain = {part.isascii() and part.isalnum() for part in form}
        if CJK_CHARACTER.search(form):
            _set_alone(builder, place, form)
        elif plain == {True}:
            builder.set_piece(place, form, KIND_MAP)
        else:
            builder.actions[place] = SLOW if True in plain else KIND_SPACE
    _set_slow(builder, composed)
    builder.set_class(f"[{CJK}]", CJK_ITSELF)


def _set_alone(builder: _Builder, place: int, form: str) -> None:
    """Let a character become one Han, kana or hangul character; more than that needs the item form."""
    if len(form) == 1:
        builder.set_piece(place, form, KIND_ALONE)
    else:
        builder.actions[place] = SLOW


def _set_slow(builder: _Builder, composed: str) -> None:
    """Leave every character to the item form whose form can change with what stands before it."""
    first = [form[0] for form in composed.split("\0")]
    categories = map(unicodedata.category, first)
    combines = [
        category in _MARKS or character in _CONJOINING for category, character in zip(categories, first, strict=True)
    ]
    builder.actions[np.array(combines)] = SLOW


def _ascii_entry(name: TableName, character: str) -> int:
    if name == "rouge":
        return ord(character.lower()) if character.isalnum() else ASCII_SPACE
    if character.isspace():
        return ASCII_SPACE
    if name == "squad" and character in string.punctuation:
        return ASCII_DROP
    return ASCII_ODD if name == "squad" and not character.isalnum() else ord(character.lower())
