"""Words of ordinary text, 64 bytes at a time: what needs no look at single characters to be normalised.

Ordinary are texts whose characters beyond ASCII stay as they are under the profile and, where punctuation is dropped,
whose punctuation stands at the ends of words. Everything else is told from it here and left to `tokens`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from steelyard.kernels.characters import FIRST_EMOJI, KIND_KEEP, KIND_MASK, LAST_EMOJI, WORD
from steelyard.kernels.loops.memory import OPTIONS, code_point, count_trailing_zeros
from steelyard.kernels.loops.tokens import add_token, is_article
from steelyard.kernels.loops.vectors import (
    WIDTH,
    below,
    lower_and_mark,
    mark_beyond_ascii,
    mark_spaces,
    mark_visible,
    readable,
)

_NONE, _ONE, _LAST = np.uint64(0), np.uint64(1), np.uint64(63)
_FIRST_LEAD = 0xC0


@njit(**OPTIONS)
def stay(data, start, marks, actions, articles):
    """Return whether all characters that begin at marked bytes stay as they are, and are letters where that matters."""
    while marks:
        position = start + np.int64(count_trailing_zeros(marks))
        marks &= marks - _ONE
        if data[position] < _FIRST_LEAD:
            continue
        point = code_point(data, position)
        if point >= 0x10000:
            if not FIRST_EMOJI <= point <= LAST_EMOJI:
                return False
            point = 0x10000 + point - FIRST_EMOJI
        action = np.int64(actions[point])
        if action & KIND_MASK != KIND_KEEP or (articles and action & WORD == 0):
            return False
    return True


@njit(**OPTIONS)
def end_of_word(text, tokens, number, token, place, articles):
    """Record a word, unless it is an article that goes, and return the number of the next."""
    if articles and is_article(text, token, place):
        return number
    return add_token(text, tokens, number, token, place)


@njit(**OPTIONS)
def ordinary_words(data, start, end, actions, text, tokens, first, number, articles, spare):
    """Write the words of `data[start:end]` in lower case from `first` on and record them as tokens.

    Return the end of the text and the number of the next token; the end is -1 where the text is not ordinary. With
    `articles`, punctuation is dropped and articles go, as under `squad`; else words are what stands between white
    space.
    """
    shift, token = first - start, -1
    word_before, open_punctuation = _NONE, False
    for chunk in range(start, end, WIDTH):
        source, index = readable(data, chunk, end, spare)
        inside = below(end - chunk)
        beyond = mark_beyond_ascii(source, index) & inside
        if beyond and not stay(data, chunk, beyond, actions, articles):
            return -1, number
        word = (lower_and_mark(source, index, text, chunk + shift) & inside) | beyond
        if articles:
            visible = mark_visible(source, index) & inside
            if (visible | beyond | (mark_spaces(source, index) & inside)) != inside:
                return -1, number
            punctuation = visible & ~word
            begins = punctuation & (word << _ONE | word_before)
            if open_punctuation:
                if word & _ONE:
                    return -1, number
                begins |= punctuation & _ONE
            run_past = punctuation + begins
            if run_past & ~punctuation & word:
                return -1, number
            open_punctuation = run_past < punctuation
        else:
            word = inside & ~mark_spaces(source, index)
        edges = word ^ (word << _ONE | word_before)
        word_before = word >> _LAST
        while edges:
            place = chunk + shift + np.int64(count_trailing_zeros(edges))
            edges &= edges - _ONE
            if token < 0:
                token = place
            else:
                number = end_of_word(text, tokens, number, token, place, articles)
                token = -1
    if token >= 0:
        number = end_of_word(text, tokens, number, token, end + shift, articles)
    return end + shift, number
