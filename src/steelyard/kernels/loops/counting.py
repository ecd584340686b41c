"""Counting tokens in a small open-addressing table that needs no clearing between rows.

A token is three integers: start, end, hash. A slot holds the row's stamp and a token's number; a slot with another
stamp is free. Two tokens are the same when hash, length and (beyond eight bytes) bytes agree, so no collision can
count.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from steelyard.kernels.loops.memory import OPTIONS, equal_runs

_STAMP_SHIFT = 32
_NUMBER = (1 << _STAMP_SHIFT) - 1


@njit(**OPTIONS)
def table_mask(count):
    """Return the mask of a table of at least twice as many slots."""
    size = 8
    while size < 2 * count:
        size *= 2
    return size - 1


@njit(**OPTIONS)
def same_token(text, tokens, left, right):
    """Return whether two tokens are the same."""
    if tokens[3 * left + 2] != tokens[3 * right + 2]:
        return False
    start, other = tokens[3 * left], tokens[3 * right]
    size = tokens[3 * left + 1] - start
    if size != tokens[3 * right + 1] - other:
        return False
    return size <= 8 or equal_runs(text, start, text, other, size)


@njit(**OPTIONS)
def slot_of(text, tokens, number, table, mask, stamp):
    """Return the slot that holds an equal token, or the free slot where it belongs."""
    slot = tokens[3 * number + 2] & mask
    while table[slot] >> _STAMP_SHIFT == stamp and not same_token(text, tokens, table[slot] & _NUMBER, number):
        slot = (slot + 1) & mask
    return slot


@njit(**OPTIONS)
def is_free(table, slot, stamp):
    """Return whether a slot holds nothing of this row."""
    return table[slot] >> _STAMP_SHIFT != stamp


@njit(**OPTIONS)
def occupy(table, slot, stamp, number):
    """Put a number into a slot for this row."""
    table[slot] = (stamp << _STAMP_SHIFT) | number


@njit(**OPTIONS)
def number_in(table, slot):
    """Return the number that a slot holds."""
    return table[slot] & _NUMBER


@njit(**OPTIONS)
def f_measure(shared, found, wanted):
    """Return F1 in the order of operations of the item forms, so that no bit differs."""
    if shared == 0:
        return 0.0
    precision = np.float64(shared) / np.float64(found)
    recall = np.float64(shared) / np.float64(wanted)
    return 2 * precision * recall / (precision + recall)
