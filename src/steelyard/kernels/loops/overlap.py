"""Exact match and token F1 over rows of two columns."""

from __future__ import annotations

from numba import njit

from steelyard.kernels.loops.counting import f_measure, is_free, number_in, occupy, same_token, slot_of, table_mask
from steelyard.kernels.loops.memory import OPTIONS, equal_runs
from steelyard.kernels.loops.tokens import hash_tokens, normal_form
from steelyard.kernels.loops.words import ordinary_words

_ZERO, _NINE = 0x30, 0x39
_A, _E, _H, _N, _T, _Z = 0x61, 0x65, 0x68, 0x6E, 0x74, 0x7A


@njit(**OPTIONS)
def shared_tokens(text, tokens, predicted, total, table, counts, stamp):
    """Count the tokens that both have, each as often as both have it; the reference's stand from `predicted` on."""
    mask = table_mask(total - predicted)
    for number in range(predicted, total):
        slot = slot_of(text, tokens, number, table, mask, stamp)
        if is_free(table, slot, stamp):
            occupy(table, slot, stamp, number)
            counts[number] = 1
        else:
            counts[number_in(table, slot)] += 1
    shared = 0
    for number in range(predicted):
        slot = slot_of(text, tokens, number, table, mask, stamp)
        if not is_free(table, slot, stamp) and counts[number_in(table, slot)] > 0:
            counts[number_in(table, slot)] -= 1
            shared += 1
    return shared


@njit(**OPTIONS)
def surely_has_token(data, start, end):
    """Return whether a text has an ASCII letter or digit that no article has: then a token is left in any profile."""
    while start < end:
        byte = data[start]
        if _ZERO <= byte <= _NINE:
            return True
        letter = byte | 0x20
        if _A <= letter <= _Z and letter != _A and letter != _N and letter != _T and letter != _H and letter != _E:
            return True
        start += 1
    return False


@njit(**OPTIONS)
def same_words(text, tokens, count):
    """Return whether the first `count` tokens are the `count` after them, in order."""
    for number in range(count):
        if not same_token(text, tokens, number, count + number):
            return False
    return True


def overlap(
    data, starts, ends, other, other_starts, other_ends, ascii_table, actions, pieces, articles,
    text, tokens, table, counts, spare, exact, f1, empty, slow,
):  # fmt: skip
    """Fill `exact`, `f1` and `empty` (no predicted token); return how many need the item form, listed in `slow`."""
    left = 0
    rules = (ascii_table, actions, pieces)
    for row in range(starts.shape[0]):
        start, end, other_start, other_end = starts[row], ends[row], other_starts[row], other_ends[row]
        exact[row] = f1[row] = 1.0
        empty[row] = 0
        same = end - start == other_end - other_start and equal_runs(data, start, other, other_start, end - start)
        if same and surely_has_token(data, start, end):
            continue
        size, predicted = ordinary_words(data, start, end, actions, text, tokens, 0, 0, articles != 0, spare)
        whole, total = -1, 0
        if size >= 0:
            whole, total = ordinary_words(
                other, other_start, other_end, actions, text, tokens, size, predicted, articles != 0, spare
            )
        ordinary = whole >= 0
        if not ordinary:
            size, predicted = normal_form(data, start, end, rules, text, tokens, 0, 0, articles != 0)
            if size >= 0:
                whole, total = normal_form(
                    other, other_start, other_end, rules, text, tokens, size, predicted, articles != 0
                )
        empty[row] = predicted == 0
        if whole < 0:
            slow[left] = row
            left += 1
            continue
        hash_tokens(text, tokens, total)
        if ordinary:
            same = total == 2 * predicted and same_words(text, tokens, predicted)
        else:
            same = whole == 2 * size and equal_runs(text, 0, text, size, size)
        if not same:
            exact[row] = 0.0
            shared = shared_tokens(text, tokens, predicted, total, table, counts, row + 1)
            f1[row] = f_measure(shared, predicted, total - predicted)
    return left


@njit(**OPTIONS)
def stripped(data, start, end):
    """Return the ends of a text without the ASCII white space around it."""
    while start < end and is_space(data[start]):
        start += 1
    while end > start and is_space(data[end - 1]):
        end -= 1
    return start, end


@njit(**OPTIONS)
def is_space(byte):
    """Return whether Python's `strip` takes an ASCII byte off."""
    return byte == 0x20 or 0x09 <= byte <= 0x0D or 0x1C <= byte <= 0x1F


@njit(**OPTIONS)
def lowered(byte):
    """Return a byte with an ASCII letter in lower case."""
    return byte | 0x20 if 0x41 <= byte <= 0x5A else byte


def same_stripped(data, starts, ends, other, other_starts, other_ends, same, slow):
    """Fill `same` with whether texts are equal but for case and white space at the ends; list rows beyond ASCII."""
    left = 0
    for row in range(starts.shape[0]):
        start, end = stripped(data, starts[row], ends[row])
        other_start, other_end = stripped(other, other_starts[row], other_ends[row])
        equal, beyond = end - start == other_end - other_start, 0
        for place in range(start, end):
            beyond |= data[place]
        for place in range(other_start, other_end):
            beyond |= other[place]
        if equal:
            for offset in range(end - start):
                if lowered(data[start + offset]) != lowered(other[other_start + offset]):
                    equal = False
                    break
        same[row] = 1.0 if equal else 0.0
        if beyond >= 0x80:
            slow[left] = row
            left += 1
    return left
