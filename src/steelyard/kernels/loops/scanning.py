"""The scan of a block of JSONL: where every value of every row stands, and which shape the row has.

A row's shape is the sequence of its keys with the kinds of their values, one level of objects included. Rows of one
shape have their values at the same places of `starts` and `ends`.

All of it stands in one file, because the machine code of a loop is kept under a name that spells its module's source.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from steelyard.kernels.loops.memory import OPTIONS, count_trailing_zeros, equal_runs, load_word
from steelyard.kernels.loops.vectors import WIDTH, mark_beyond_ascii, mark_line_feeds, mark_string_ends

ODD, BLANK = -1, -2
"""What stands in place of a shape: a line for the strict reader, a line without a row."""

TEXT, INTEGER, FRACTION, TRUE, FALSE, NULL, OBJECT, ARRAY, END = 1, 2, 3, 4, 5, 6, 7, 8, 9
"""Kinds of values in a shape; END closes an object."""

MEMBERS = 48
"""Values per row, those of inner objects counted."""
SHAPES = 64
SHAPE_BYTES = 4096
KEY_BYTES = 255
NUMBER_BYTES = 40
"""Longer numbers are left to the strict reader: they may overflow."""

_TAB, _RETURN, _SPACE, _QUOTE, _BACKSLASH = 0x09, 0x0D, 0x20, 0x22, 0x5C
_COMMA, _MINUS, _DOT, _COLON, _NINE, _ZERO = 0x2C, 0x2D, 0x2E, 0x3A, 0x39, 0x30
_OPEN, _CLOSE, _OPEN_LIST, _CLOSE_LIST = 0x7B, 0x7D, 0x5B, 0x5D
_LINE_FEED = 0x0A
_TRUE, _FALS, _NULL = 0x65757274, 0x736C6166, 0x6C6C756E
_ONE = np.uint64(1)

INLINED = {**OPTIONS, "forceinline": True}
"""For the steps of a row: as calls they cost a fifth of the speed on short rows, inlined nothing."""


@njit(**OPTIONS)
def skip_space(data, position):
    """Return the position of the next byte that is no white space within a line."""
    byte = data[position]
    while byte == _SPACE or byte == _TAB or byte == _RETURN:
        position += 1
        byte = data[position]
    return position


@njit(**OPTIONS)
def string_end(data, position):
    """Return where the string that begins at a position ends or needs care, and whether it has bytes beyond ASCII.

    What stands there is a quote, a backslash, or a control character: among them the line feed that ends every line.
    """
    beyond = False
    while True:
        special, high = mark_string_ends(data, position), mark_beyond_ascii(data, position)
        if special:
            offset = count_trailing_zeros(special)
            if high & ((_ONE << offset) - _ONE):
                beyond = True
            return position + np.int64(offset), beyond
        if high:
            beyond = True
        position += WIDTH


@njit(**OPTIONS)
def valid_utf8(data, position, end):
    """Return whether bytes are UTF-8, without surrogates and without longer forms than needed."""
    while position < end:
        lead = np.int64(data[position])
        if lead < 0x80:
            position += 1
            continue
        if lead < 0xC2 or lead > 0xF4:
            return False
        size = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        if position + size > end:
            return False
        second = np.int64(data[position + 1])
        low = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
        high = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
        if second < low or second > high:
            return False
        for offset in range(2, size):
            if data[position + offset] & 0xC0 != 0x80:
                return False
        position += size
    return True


@njit(**OPTIONS)
def hexadecimal(data, position):
    """Return the value of four hexadecimal digits, or -1."""
    value = 0
    for offset in range(4):
        byte = np.int64(data[position + offset])
        if _ZERO <= byte <= _NINE:
            digit = byte - _ZERO
        else:
            digit = (byte | 0x20) - 0x61 + 10
            if digit < 10 or digit > 15:
                return -1
        value = value * 16 + digit
    return value


@njit(**OPTIONS)
def write_point(data, target, point):
    """Write a character as UTF-8 and return the next position."""
    if point < 0x80:
        data[target] = point
        return target + 1
    if point < 0x800:
        data[target] = 0xC0 | point >> 6
        data[target + 1] = 0x80 | point & 0x3F
        return target + 2
    if point < 0x10000:
        data[target] = 0xE0 | point >> 12
        data[target + 1] = 0x80 | point >> 6 & 0x3F
        data[target + 2] = 0x80 | point & 0x3F
        return target + 3
    data[target] = 0xF0 | point >> 18
    data[target + 1] = 0x80 | point >> 12 & 0x3F
    data[target + 2] = 0x80 | point >> 6 & 0x3F
    data[target + 3] = 0x80 | point & 0x3F
    return target + 4


@njit(**OPTIONS)
def escaped_point(data, position):
    """Return the character of an escape whose letter stands at a position, and the position after it.

    The character is -1 for what is no escape, and for half a pair, which only the strict reader takes.
    """
    letter = data[position]
    if letter == _QUOTE or letter == _BACKSLASH or letter == 0x2F:
        return np.int64(letter), position + 1
    if letter == 0x6E:
        return 0x0A, position + 1
    if letter == 0x74:
        return 0x09, position + 1
    if letter == 0x72:
        return 0x0D, position + 1
    if letter == 0x62:
        return 0x08, position + 1
    if letter == 0x66:
        return 0x0C, position + 1
    if letter != 0x75:
        return -1, position
    point = hexadecimal(data, position + 1)
    position += 5
    if point < 0xD800 or point > 0xDFFF:
        return point, position
    if point > 0xDBFF or data[position] != _BACKSLASH or data[position + 1] != 0x75:
        return -1, position
    second = hexadecimal(data, position + 2)
    if second < 0xDC00 or second > 0xDFFF:
        return -1, position
    return 0x10000 + ((point - 0xD800) << 10) + (second - 0xDC00), position + 6


@njit(**OPTIONS)
def unescape(data, start, position, side):
    """Write the text of a string with escapes behind the block; `position` is at its first backslash.

    Return the position after the closing quote (-1 where the string is not plain) and the end of the text.
    """
    target = side
    while True:
        for offset in range(start, position):
            data[target] = data[offset]
            target += 1
        byte = data[position]
        if byte == _QUOTE:
            return position + 1, target
        if byte != _BACKSLASH:
            return -1, target
        point, start = escaped_point(data, position + 1)
        if point < 0:
            return -1, target
        target = write_point(data, target, point)
        position, _ = string_end(data, start)


@njit(**OPTIONS)
def number_end(data, position):
    """Return the position after a JSON number (-1 where there is none) and its kind."""
    start = position
    if data[position] == _MINUS:
        position += 1
    first = data[position]
    if first < _ZERO or first > _NINE:
        return -1, INTEGER
    position += 1
    if first != _ZERO:
        while _ZERO <= data[position] <= _NINE:
            position += 1
    kind = INTEGER
    if data[position] == _DOT:
        kind = FRACTION
        position += 1
        digits = position
        while _ZERO <= data[position] <= _NINE:
            position += 1
        if position == digits:
            return -1, kind
    if data[position] | 0x20 == 0x65 or position - start > NUMBER_BYTES:
        return -1, kind
    if first == _ZERO and data[start] == _MINUS:
        kind = FRACTION  # -0 is the integer 0, whose text is another
    return position, kind


@njit(**OPTIONS)
def word_end(data, position):
    """Return the position after `true`, `false` or `null` (-1 where none stands there) and its kind."""
    word = np.int64(load_word(data, position) & np.uint64(0xFFFFFFFF))
    if word == _TRUE:
        return position + 4, TRUE
    if word == _NULL:
        return position + 4, NULL
    if word == _FALS and data[position + 4] == 0x65:
        return position + 5, FALSE
    return -1, NULL


@njit(**OPTIONS)
def list_end(data, position):
    """Return the position after a list of plain texts that opens at a position, or -1."""
    position = skip_space(data, position + 1)
    if data[position] == _CLOSE_LIST:
        return position + 1
    while True:
        if data[position] != _QUOTE:
            return -1
        start = position + 1
        position, beyond = string_end(data, start)
        if data[position] != _QUOTE or (beyond and not valid_utf8(data, start, position)):
            return -1
        position = skip_space(data, position + 1)
        if data[position] == _CLOSE_LIST:
            return position + 1
        if data[position] != _COMMA:
            return -1
        position = skip_space(data, position + 1)


@njit(**OPTIONS)
def add_key(data, start, end, shape, size):
    """Append a key to a row's shape, its kind still open; return the shape's size, -1 where the key is not plain."""
    length = end - start
    if length > KEY_BYTES or size + length + 4 > SHAPE_BYTES:
        return -1
    shape[size + 1] = length
    for offset in range(length):
        shape[size + 2 + offset] = data[start + offset]
    return size + 2 + length


@njit(**INLINED)
def read_key(data, position, shape, size):
    """Append the key at a position to a row's shape.

    Return the shape's size (-1 where the key is odd) and the position of the key's value.
    """
    if data[position] != _QUOTE:
        return -1, position
    start = position + 1
    position, beyond = string_end(data, start)
    if data[position] != _QUOTE or (beyond and not valid_utf8(data, start, position)):
        return -1, position
    size = add_key(data, start, position, shape, size)
    position = skip_space(data, position + 1)
    if data[position] != _COLON:
        return -1, position
    return size, skip_space(data, position + 1)


@njit(**INLINED)
def read_text(data, start, side):
    """Read a string whose text begins at `start`.

    Return where its text stands, the position after it (-1 where it is odd), and the end of the texts behind the block.
    """
    position, beyond = string_end(data, start)
    if data[position] == _QUOTE and not beyond:
        return start, position, position + 1, side
    after, end = position + 1, position
    if data[position] != _QUOTE:
        after, end = unescape(data, start, position, side)
        start, side = side, end
    if after < 0 or not valid_utf8(data, start, end):
        return start, end, -1, side
    return start, end, after, side


@njit(**INLINED)
def read_plain(data, position):
    """Return the position after a list, a word or a number (-1 where it is odd) and its kind."""
    byte = data[position]
    if byte == _OPEN_LIST:
        return list_end(data, position), ARRAY
    if byte > _NINE:
        return word_end(data, position)
    return number_end(data, position)


@njit(**OPTIONS)
def row_shape(data, position, shape, starts, ends, first, side):
    """Read one row: its shape, and where its values stand from `first` on.

    Return the size of the shape (-1 where the row is odd), how many values there are, the end of the texts behind the
    block, and the line feed after the row.
    """
    size, member, inner = 0, 0, False
    if data[position] != _OPEN:
        return -1, 0, side, position
    position = skip_space(data, position + 1)
    while member < MEMBERS:
        kind_place = size
        size, position = read_key(data, position, shape, size)
        if size < 0:
            return -1, 0, side, position
        byte = data[position]
        if byte == _OPEN and inner:
            return -1, 0, side, position
        if byte == _OPEN:
            shape[kind_place] = OBJECT
            inner = True
            member += 1
            position = skip_space(data, position + 1)
            if data[position] != _CLOSE:
                continue
        else:
            start = position
            if byte == _QUOTE:
                kind = TEXT
                start, end, position, side = read_text(data, start + 1, side)
            else:
                position, kind = read_plain(data, start)
                end = position
            if position < 0:
                return -1, 0, side, position
            starts[first + member] = start
            ends[first + member] = end
            shape[kind_place] = kind
            member += 1
            position = skip_space(data, position)
        if inner and data[position] == _CLOSE:
            inner = False
            shape[size] = END
            size += 1
            position = skip_space(data, position + 1)
        if data[position] != _COMMA:
            break
        position = skip_space(data, position + 1)
    if inner or data[position] != _CLOSE:
        return -1, 0, side, position
    position = skip_space(data, position + 1)
    return size if data[position] == _LINE_FEED else -1, member, side, position


@njit(**OPTIONS)
def shape_number(shape, size, shapes, sizes, known, last):
    """Return the number of a shape, adding it where it is not known yet; ODD where there is no room."""
    if last >= 0 and sizes[last] == size and equal_runs(shape, 0, shapes, last * SHAPE_BYTES, size):
        return last
    for number in range(known):
        if sizes[number] == size and equal_runs(shape, 0, shapes, number * SHAPE_BYTES, size):
            return number
    if known == SHAPES:
        return ODD
    for offset in range(size):
        shapes[known * SHAPE_BYTES + offset] = shape[offset]
    sizes[known] = size
    return known


@njit(**OPTIONS)
def line_feed(data, position):
    """Return the position of the next line feed."""
    while True:
        found = mark_line_feeds(data, position)
        if found:
            return position + np.int64(count_trailing_zeros(found))
        position += WIDTH


def scan(
    data, size, longest_line, shapes, shape_sizes, shape, state,
    line_starts, line_ends, row_shapes, firsts, starts, ends,
):  # fmt: skip
    """Scan lines of `data[:size]`, which ends in a line feed and has 64 bytes behind it, while there is room for rows.

    `state` holds the position to go on from, the end of the texts behind the block, and the number of known shapes.
    The values of a row stand from `firsts[row]` on in `starts` and `ends`. Return how many lines were scanned.
    """
    position, side, known, last = state[0], state[1], state[2], -1
    row = member = 0
    while position < size and row < row_shapes.shape[0] and member + MEMBERS <= starts.shape[0]:
        start = skip_space(data, position)
        row_shapes[row] = BLANK
        end = start
        if data[start] != _LINE_FEED:
            row_shapes[row] = ODD
            shape_size, members, after, end = row_shape(data, start, shape, starts, ends, member, side)
            if shape_size < 0:
                end = line_feed(data, start)
            elif end - position <= longest_line:
                last = shape_number(shape, shape_size, shapes, shape_sizes, known, last)
                known = max(known, last + 1)
                row_shapes[row] = last
                firsts[row] = member
                member += members
                side = after
        line_starts[row] = position
        line_ends[row] = end
        position = end + 1
        row += 1
    state[0], state[1], state[2] = position, side, known
    return row
