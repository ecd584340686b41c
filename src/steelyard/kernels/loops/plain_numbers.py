"""The loop that reads plainly spelled numbers: sign, dollar sign, digits in right groups, decimals, percent sign."""

from __future__ import annotations

import numpy as np
from numba import njit

from steelyard.kernels.loops.memory import OPTIONS

_PERCENT, _DOLLAR, _PLUS, _COMMA, _MINUS, _DOT, _ZERO, _NINE = 0x25, 0x24, 0x2B, 0x2C, 0x2D, 0x2E, 0x30, 0x39
DIGITS = 15
"""Digits that count; so many are exact in a double, and its shortest decimal is the written one."""
NONE, PERCENT, DOLLAR = 0, 1, 2
"""Units."""


@njit(**OPTIONS)
def is_space(byte):
    """Return whether `str.strip` takes an ASCII character off."""
    return byte == 0x20 or 0x09 <= byte <= 0x0D or 0x1C <= byte <= 0x1F


@njit(**OPTIONS)
def is_digit(byte):
    """Return whether a byte is an ASCII digit."""
    return _ZERO <= byte <= _NINE


@njit(**OPTIONS)
def whole_end(data, position, end):
    """Return where the digits before the decimal point end, or -1 where their commas are not in groups of three."""
    first = position
    while position < end and is_digit(data[position]):
        position += 1
    if position == end or data[position] != _COMMA:
        return position if position > first else -1
    if position == first or position - first > 3 or data[first] == _ZERO:
        return -1
    while position < end and data[position] == _COMMA:
        if position + 4 > end:
            return -1
        for offset in range(1, 4):
            if not is_digit(data[position + offset]):
                return -1
        position += 4
    return position if position == end or not is_digit(data[position]) else -1


@njit(**OPTIONS)
def read_digits(data, position, end, value):
    """Return a value continued by digits, commas passed over, or -1 where more digits count than fit."""
    for place in range(position, end):
        if data[place] != _COMMA:
            value = value * 10 + np.int64(data[place]) - _ZERO
            if value >= 10**DIGITS:
                return -1
    return value


@njit(**OPTIONS)
def read_affixes(data, position, end):
    """Return the position of the digits, their end, whether a minus stands before them, and the unit."""
    negative, unit = False, NONE
    if position < end and data[position] == _DOLLAR:
        unit = DOLLAR
        position += 1
    if position < end and (data[position] == _MINUS or data[position] == _PLUS):
        negative = data[position] == _MINUS
        position += 1
        if unit == NONE and position < end and data[position] == _DOLLAR:
            unit = DOLLAR
            position += 1
    if unit == NONE and position < end and data[end - 1] == _PERCENT:
        unit = PERCENT
        end -= 1
    return position, end, negative, unit


@njit(**OPTIONS)
def read_number(data, position, end):
    """Return mantissa, decimals and unit of a text without white space at its ends; decimals are -1 for no number."""
    position, end, negative, unit = read_affixes(data, position, end)
    whole = whole_end(data, position, end)
    if whole < 0:
        return np.int64(0), np.int64(-1), unit
    value = read_digits(data, position, whole, np.int64(0))
    decimals = np.int64(0)
    if whole < end:
        decimals = np.int64(end - whole - 1)
        if data[whole] != _DOT or decimals < 1 or decimals > DIGITS:
            return np.int64(0), np.int64(-1), unit
        for place in range(whole + 1, end):
            if not is_digit(data[place]):
                return np.int64(0), np.int64(-1), unit
        if value >= 0:
            value = read_digits(data, whole + 1, end, value)
    if value < 0 or (negative and value == 0):
        return np.int64(0), np.int64(-1), unit
    return -value if negative else value, decimals, unit


def read_numbers(data, starts, ends, mantissas, decimals, units):
    """Fill the three columns for each text; decimals are -1 where it is not a plainly spelled number."""
    for row in range(starts.shape[0]):
        position, end = starts[row], ends[row]
        while position < end and is_space(data[position]):
            position += 1
        while end > position and is_space(data[end - 1]):
            end -= 1
        mantissas[row], decimals[row], units[row] = read_number(data, position, end)
    return 0
