"""Lines picked out of bytes that were read in pieces."""

from __future__ import annotations

from numba import njit

from steelyard.kernels.loops.memory import OPTIONS, load_word, store_word

_LINE_FEED = 0x0A


@njit(**OPTIONS)
def copy_exactly(source, start, target, position, size):
    """Copy a run of bytes and nothing behind it: the source may end there."""
    offset = 0
    while offset + 8 <= size:
        store_word(target, position + offset, load_word(source, start + offset))
        offset += 8
    while offset < size:
        target[position + offset] = source[start + offset]
        offset += 1


def pick(data, starts, sizes, target):
    """Write lines one after the other, each with a line feed; return where they end. A size of 0 is a blank line."""
    position = 0
    for row in range(starts.shape[0]):
        copy_exactly(data, starts[row], target, position, sizes[row])
        position += sizes[row]
        target[position] = _LINE_FEED
        position += 1
    return position
