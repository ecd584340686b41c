"""Searches for fixed sequences of characters, as patterns without repetition are."""

from __future__ import annotations

from numba import njit

from steelyard.kernels.loops.memory import OPTIONS, width_of

NOWHERE, LINE_END, TEXT_END = 0, 1, 2
"""Where a sequence must end: anywhere, before a last line feed or at the end, at the end."""
NO, YES, UNKNOWN = 0, 1, 2
"""Whether a position takes a character beyond ASCII; UNKNOWN needs the item form."""
_LINE_FEED = 0x0A


@njit(**OPTIONS)
def matched_end(data, position, end, classes, beyond, first, last):
    """Return where a sequence that begins at a position ends; -1 where it does not match, -2 where that is unknown."""
    for place in range(first, last):
        if position >= end:
            return -1
        byte = data[position]
        if byte < 0x80:
            if classes[128 * place + byte] == 0:
                return -1
            position += 1
        else:
            if beyond[place] != YES:
                return -1 if beyond[place] == NO else -2
            position += width_of(byte)
    return position


@njit(**OPTIONS)
def step_back(data, start, position, count):
    """Return where the `count` characters before a position begin; -1 where there are fewer."""
    while count > 0:
        if position <= start:
            return -1
        position -= 1
        while data[position] & 0xC0 == 0x80 and position > start:
            position -= 1
        count -= 1
    return position


@njit(**OPTIONS)
def found_at_end(data, start, end, classes, beyond, sequence, only_end):
    """Return whether a sequence stands at the end of a text (1), does not (0), or that is unknown (-2)."""
    first, last, at_start = sequence
    stops = 1 if only_end or end == start or data[end - 1] != _LINE_FEED else 2
    for back in range(stops):
        begin = step_back(data, start, end - back, last - first)
        if begin < 0 or (at_start and begin != start):
            continue
        matched = matched_end(data, begin, end - back, classes, beyond, first, last)
        if matched == -2:
            return -2
        if matched == end - back:
            return 1
    return 0


@njit(**OPTIONS)
def found_anywhere(data, start, end, classes, beyond, sequence):
    """Return whether a sequence stands in a text (1), does not (0), or that is unknown (-2)."""
    first, last, at_start = sequence
    position = start
    while position <= end:
        matched = matched_end(data, position, end, classes, beyond, first, last)
        if matched != -1:
            return 1 if matched >= 0 else -2
        if at_start or position == end:
            return 0
        position += width_of(data[position])
    return 0


def search(data, starts, ends, classes, beyond, lasts, at_start, at_end, found, slow):
    """Fill `found` with whether one of the sequences stands in a text; return how many rows need the item form.

    Sequence `i` has the positions from the end of the one before to `lasts[i]`; a position has 128 flags in `classes`.
    """
    left = 0
    for row in range(starts.shape[0]):
        found[row] = 0
        first = 0
        for number in range(lasts.shape[0]):
            sequence = (first, lasts[number], at_start[number] != 0)
            if at_end[number] == NOWHERE:
                answer = found_anywhere(data, starts[row], ends[row], classes, beyond, sequence)
            else:
                only_end = at_end[number] == TEXT_END
                answer = found_at_end(data, starts[row], ends[row], classes, beyond, sequence, only_end)
            if answer == -2:
                slow[left] = row
                left += 1
                break
            if answer == 1:
                found[row] = 1
                break
            first = lasts[number]
    return left
