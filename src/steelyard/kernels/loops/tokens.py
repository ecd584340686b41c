"""Bytes of a text to its normal form and its tokens, by tables that `characters` makes from Python's own rules.

A text with a character that a table cannot judge by itself gives -1: its row takes the item form.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from steelyard.kernels.characters import (
    ASCII_DROP,
    ASCII_ODD,
    FIRST_EMOJI,
    KIND_ALONE,
    KIND_MASK,
    KIND_SPACE,
    LAST_EMOJI,
    LENGTH_MASK,
    LENGTH_SHIFT,
    OFFSET_SHIFT,
    SLOW,
    WORD,
)
from steelyard.kernels.loops.memory import OPTIONS, code_point, hash_run, width_of

_SPACE = 0x20
_A, _N, _T, _H, _E = 0x61, 0x6E, 0x74, 0x68, 0x65


@njit(**OPTIONS)
def add_token(text, tokens, number, start, end):
    """Record a token, unless it is empty, and return the number of the next."""
    if end > start:
        tokens[3 * number] = start
        tokens[3 * number + 1] = end
        return number + 1
    return number


@njit(**OPTIONS)
def hash_tokens(text, tokens, count):
    """Give each token its hash, after all are written: words read from fresh bytes would wait for the stores."""
    for number in range(count):
        tokens[3 * number + 2] = np.int64(hash_run(text, tokens[3 * number], tokens[3 * number + 1]))


@njit(**OPTIONS)
def is_article(text, start, end):
    """Return whether a run of lower-case letters is `a`, `an` or `the`."""
    size = end - start
    if size > 3 or size < 1:
        return False
    if size == 3:
        return text[start] == _T and text[start + 1] == _H and text[start + 2] == _E
    return text[start] == _A and (size == 1 or text[start + 1] == _N)


@njit(**OPTIONS)
def separate(text, first, position):
    """Write one space after what is there, unless there is nothing or a space; return the next position."""
    if position > first and text[position - 1] != _SPACE:
        text[position] = _SPACE
        return position + 1
    return position


@njit(**OPTIONS)
def action_of(data, position, actions):
    """Return what to do with the character at a position that is no ASCII."""
    point = code_point(data, position)
    if point < 0x10000:
        return np.int64(actions[point])
    if FIRST_EMOJI <= point <= LAST_EMOJI:
        return np.int64(actions[0x10000 + point - FIRST_EMOJI])
    return SLOW


@njit(**OPTIONS)
def write_character(data, position, action, pieces, text, target):
    """Write what a character becomes and return the next position."""
    size = (action >> LENGTH_SHIFT) & LENGTH_MASK
    if size == 0:
        size = width_of(data[position])
        for offset in range(size):
            text[target + offset] = data[position + offset]
        return target + size
    origin = action >> OFFSET_SHIFT
    for offset in range(size):
        text[target + offset] = pieces[origin + offset]
    return target + size


@njit(**OPTIONS)
def end_word(text, tokens, number, place):
    """End a token and separate it from what follows, without the article that it may end in.

    `place` is (first position of the text, start of the token, start of its last run of word characters, position); the
    third is -1 where articles stay. Returns the next position and the number of the next token.
    """
    first, token, run, position = place
    if run >= 0 and is_article(text, run, position):
        position = run
    number = add_token(text, tokens, number, token, position)
    return separate(text, first, position), number


@njit(**OPTIONS)
def ends_in_article(text, run, position):
    """Return whether the last run of word characters is an article; never where articles stay."""
    return run >= 0 and is_article(text, run, position)


@njit(**OPTIONS)
def normal_form(data, start, end, table, text, tokens, first, number, articles):
    """Write the normal form of `data[start:end]` from `first` on and its tokens from `number` on.

    Return the end of the text and the number of the next token; the end is -1 where the table cannot judge a character.
    """
    ascii_table, actions, pieces = table
    position = token = first
    run = first if articles else -1
    while start < end:
        byte = data[start]
        if byte < 0x80:
            start += 1
            becomes = ascii_table[byte]
            if becomes < 0x80:
                text[position] = becomes
                position += 1
                continue
            if becomes == ASCII_DROP:
                continue
            if becomes != ASCII_ODD or ends_in_article(text, run, position):
                position, number = end_word(text, tokens, number, (first, token, run, position))
                token = position
            if becomes == ASCII_ODD:
                text[position] = byte
                position += 1
        else:
            action = action_of(data, start, actions)
            kind = action & KIND_MASK
            if kind == SLOW:
                return -1, number
            if kind == KIND_SPACE or (action & WORD == 0 and ends_in_article(text, run, position)):
                position, number = end_word(text, tokens, number, (first, token, run, position))
                token = position
            if kind == KIND_ALONE:
                number = add_token(text, tokens, number, token, position)
                token = position
            if kind != KIND_SPACE:
                position = write_character(data, start, action, pieces, text, position)
            if kind == KIND_ALONE:
                number = add_token(text, tokens, number, token, position)
                token = position
            start += width_of(byte)
            if action & WORD:
                continue
        if articles:
            run = position
    position, number = end_word(text, tokens, number, (first, token, run, position))
    if position > first and text[position - 1] == _SPACE:
        position -= 1
    return position, number
