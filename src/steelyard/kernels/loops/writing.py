"""Rows written as bytes: JSON lines, sentences, hashes, and texts gathered side by side."""

from __future__ import annotations

import numpy as np
from numba import njit

from steelyard.kernels.characters import FIRST_EMOJI, LAST_EMOJI
from steelyard.kernels.loops.memory import OPTIONS, code_point, copy_run, count_trailing_zeros, width_of
from steelyard.kernels.loops.sha256 import digest
from steelyard.kernels.loops.vectors import WIDTH, below, mark_beyond_ascii, mark_string_ends

ESCAPED, RAW = 0, 1
"""How a value is written into a JSON line: as a text in quotes, or as it stands."""
CONSTANT, FIRST, SECOND, VALUE = 0, 1, 2, 3
"""What the parts of a sentence are: words, an excerpt of either column, a number with three decimals."""

_QUOTE, _BACKSLASH, _ZERO, _A, _DOT = 0x22, 0x5C, 0x30, 0x61, 0x2E
_SMALL_U, _COLON, _HASH = 0x75, 0x3A, 0x23
_EXCERPT = 80
_PREFIX = 7
_TIE = 1e-7


@njit(**OPTIONS)
def hex_digit(value):
    """Return the lower-case hexadecimal digit of a value below 16."""
    return _ZERO + value if value < 10 else _A + value - 10


@njit(**OPTIONS)
def write_unicode(target, position, unit):
    """Write a code unit as a JSON escape of six bytes."""
    target[position] = _BACKSLASH
    target[position + 1] = _SMALL_U
    for digit in range(4):
        target[position + 2 + digit] = hex_digit(unit >> (12 - 4 * digit) & 15)
    return position + 6


@njit(**OPTIONS)
def write_escape(byte, target, position):
    """Write a quote, backslash or control character as JSON does, in its short form where it has one."""
    short = 0
    if byte == _QUOTE or byte == _BACKSLASH:
        short = byte
    elif byte == 0x0A:
        short = 0x6E
    elif byte == 0x0D:
        short = 0x72
    elif byte == 0x09:
        short = 0x74
    elif byte == 0x08:
        short = 0x62
    elif byte == 0x0C:
        short = 0x66
    if short == 0:
        return write_unicode(target, position, np.int64(byte))
    target[position] = _BACKSLASH
    target[position + 1] = short
    return position + 2


@njit(**OPTIONS)
def write_text(data, start, end, target, position):
    """Write a text as the inside of a JSON string; beyond ASCII it stays as it is. `data` is readable 64 bytes on."""
    while start < end:
        inside = below(end - start)
        special = mark_string_ends(data, start) & inside
        size = np.int64(count_trailing_zeros(special)) if special else min(WIDTH, end - start)
        copy_run(data, start, target, position, size)
        start += size
        position += size
        if special:
            position = write_escape(data[start], target, position)
            start += 1
    return position


@njit(**OPTIONS)
def write_ascii(data, start, end, target, position):
    """Write a text as the inside of a JSON string in ASCII, everything else escaped."""
    while start < end:
        inside = below(end - start)
        special = (mark_string_ends(data, start) | mark_beyond_ascii(data, start)) & inside
        size = np.int64(count_trailing_zeros(special)) if special else min(WIDTH, end - start)
        for offset in range(size):
            byte = data[start + offset]
            if byte == 0x7F:
                position = write_unicode(target, position, 0x7F)
            else:
                target[position] = byte
                position += 1
        start += size
        if special:
            byte = data[start]
            if byte < 0x80:
                position = write_escape(byte, target, position)
                start += 1
                continue
            point = code_point(data, start)
            start += width_of(byte)
            if point >= 0x10000:
                position = write_unicode(target, position, 0xD800 + ((point - 0x10000) >> 10))
                point = 0xDC00 + ((point - 0x10000) & 0x3FF)
            position = write_unicode(target, position, point)
    return position


def json_lines(
    data, firsts, starts, ends, words, word_ends, members, modes, target, offsets
):  # fmt: skip
    """Write a line for each row: words before each member, the member, and the last words. Return the end.

    Row `i` has its members from `firsts[i]` on, and its line begins at `offsets[i]`.
    """
    position = 0
    for row in range(firsts.shape[0]):
        offsets[row] = position
        word = 0
        for part in range(members.shape[0]):
            copy_run(words, word, target, position, word_ends[part] - word)
            position += word_ends[part] - word
            word = word_ends[part]
            member = firsts[row] + members[part]
            if modes[part] == ESCAPED:
                position = write_text(data, starts[member], ends[member], target, position)
            else:
                copy_run(data, starts[member], target, position, ends[member] - starts[member])
                position += ends[member] - starts[member]
        copy_run(words, word, target, position, words.shape[0] - 64 - word)
        position += words.shape[0] - 64 - word
    offsets[firsts.shape[0]] = position
    return position


def item_hashes(data, starts, ends, other, other_starts, other_ends, text, state, target):
    """Write `sha256:` and the digest of `["input","reference"]` for each row; returns the end."""
    position = 0
    for row in range(starts.shape[0]):
        text[0] = 0x5B
        text[1] = _QUOTE
        size = write_ascii(data, starts[row], ends[row], text, 2)
        text[size] = _QUOTE
        text[size + 1] = 0x2C
        text[size + 2] = _QUOTE
        size = write_ascii(other, other_starts[row], other_ends[row], text, size + 3)
        text[size] = _QUOTE
        text[size + 1] = 0x5D
        digest(state, text, size + 2)
        for place, letter in enumerate((0x73, 0x68, 0x61, 0x32, 0x35, 0x36, 0x3A)):
            target[position + place] = letter
        position += _PREFIX
        for word in range(8):
            value = np.int64(state[word])
            for digit in range(8):
                target[position + digit] = hex_digit(value >> (28 - 4 * digit) & 15)
            position += 8
    return position


@njit(**OPTIONS)
def is_unsafe(point, unsafe):
    """Return whether a message spells a character out, or that is unknown because the table does not have it."""
    if point < 0x10000:
        return unsafe[point] != 0
    return not FIRST_EMOJI <= point <= LAST_EMOJI or unsafe[0x10000 + point - FIRST_EMOJI] != 0


@njit(**OPTIONS)
def write_excerpt(data, start, end, target, position, unsafe):
    """Write at most 80 characters of a text, the last an ellipsis where there are more; -1 where one is unsafe."""
    count, cut = 0, position
    while start < end and count <= _EXCERPT:
        byte = data[start]
        width = width_of(byte)
        if is_unsafe(np.int64(byte) if byte < 0x80 else code_point(data, start), unsafe):
            return -1
        if count > 0 and byte == data[start - 1] and (byte == _COLON or byte == _HASH):
            return -1  # two of these may be a command to a CI, which messages spell out
        if count == _EXCERPT - 1:
            cut = position
        for offset in range(width):
            target[position + offset] = data[start + offset]
        position += width
        start += width
        count += 1
    if count <= _EXCERPT:
        return position
    target[cut] = 0xE2
    target[cut + 1] = 0x80
    target[cut + 2] = 0xA6
    return cut + 3


@njit(**OPTIONS)
def write_decimals(value, target, position):
    """Write a number in [0, 1] with three decimals; -1 where it is so near to a tie that rounding needs care."""
    scaled = value * 1000.0
    whole = np.int64(scaled)
    rest = scaled - whole
    if abs(rest - 0.5) < _TIE:
        binary = value * 1024.0
        if binary != np.floor(binary):
            return -1
        # A tie for certain: the number has few binary digits, so the product is exact. It goes to the even neighbour.
        whole += whole & 1
    elif rest > 0.5:
        whole += 1
    target[position] = _ZERO + whole // 1000
    target[position + 1] = _DOT
    target[position + 2] = _ZERO + whole // 100 % 10
    target[position + 3] = _ZERO + whole // 10 % 10
    target[position + 4] = _ZERO + whole % 10
    return position + 5


def sentences(
    data, starts, ends, other, other_starts, other_ends, values, forms, words, parts, unsafe, target, offsets, slow
):  # fmt: skip
    """Write a sentence for each row, in the form that `forms[row]` names; return how many rows need the item form.

    `parts` has for each form eight parts of three integers: kind, and for words where they begin and end; -1 ends it.
    Row `i` stands between `offsets[i]` and `offsets[i + 1]`; a row of the item form is empty.
    """
    position = left = 0
    for row in range(starts.shape[0]):
        offsets[row] = position
        part = 24 * forms[row]
        at = position
        while at >= 0 and parts[part] >= 0:
            if parts[part] == CONSTANT:
                size = parts[part + 2] - parts[part + 1]
                copy_run(words, parts[part + 1], target, at, size)
                at += size
            elif parts[part] == FIRST:
                at = write_excerpt(data, starts[row], ends[row], target, at, unsafe)
            elif parts[part] == SECOND:
                at = write_excerpt(other, other_starts[row], other_ends[row], target, at, unsafe)
            else:
                at = write_decimals(values[row], target, at)
            part += 3
        if at < 0:
            slow[left] = row
            left += 1
        else:
            position = at
    offsets[starts.shape[0]] = position
    return left


def gather(data, starts, ends, target, offsets):
    """Copy texts side by side; text `i` stands between `offsets[i]` and `offsets[i + 1]`."""
    position = 0
    for row in range(starts.shape[0]):
        offsets[row] = position
        size = ends[row] - starts[row]
        copy_run(data, starts[row], target, position, size)
        position += size
    offsets[starts.shape[0]] = position
    return position
