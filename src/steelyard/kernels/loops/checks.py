"""Rows that need a closer look: blank texts, texts with a tag of a reasoning block."""

from __future__ import annotations

import numpy as np
from numba import njit

from steelyard.kernels.loops.memory import OPTIONS, code_point, width_of

_SMALLER, _SLASH, _SMALL_R, _SMALL_T = 0x3C, 0x2F, 0x72, 0x74


@njit(**OPTIONS)
def is_space_point(point):
    """Return whether `str.strip` takes a character off."""
    if point < 0x80:
        return point == 0x20 or 0x09 <= point <= 0x0D or 0x1C <= point <= 0x1F
    return point in (0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000) or 0x2000 <= point <= 0x200A


def blank(data, starts, ends, found):
    """Fill `found` with 1 where a text is empty or white space alone."""
    for row in range(starts.shape[0]):
        position, end = starts[row], ends[row]
        found[row] = 1
        while position < end:
            byte = data[position]
            if not is_space_point(np.int64(byte) if byte < 0x80 else code_point(data, position)):
                found[row] = 0
                break
            position += width_of(byte)
    return 0


def reasoning(data, starts, ends, found):
    """Fill `found` with 1 where a text may have a tag such as `<think>` or `</reasoning>`."""
    for row in range(starts.shape[0]):
        found[row] = 0
        for place in range(starts[row], ends[row] - 1):
            if data[place] == _SMALLER:
                after = place + 1
                if data[after] == _SLASH and after + 1 < ends[row]:
                    after += 1
                if data[after] | 0x20 in (_SMALL_R, _SMALL_T):
                    found[row] = 1
                    break
    return 0
