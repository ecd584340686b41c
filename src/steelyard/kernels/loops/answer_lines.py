"""The last answer marker of a text and the answer after it, for texts that need none of Unicode's tables.

`canonical.answer_line` is the rule. Where a byte beyond ASCII stands at a place that decides, where Markdown or `<eoa>`
stands in the answer, or where a full stop may be an abbreviation's, the loop says that it does not know.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from steelyard.kernels.loops.checks import is_space_point
from steelyard.kernels.loops.memory import OPTIONS, code_point, width_of

_TAB, _LINE_FEED, _RETURN, _SPACE, _HASH, _DOLLAR, _PERCENT = 0x09, 0x0A, 0x0D, 0x20, 0x23, 0x24, 0x25
_QUOTE, _STAR, _PLUS, _COMMA, _MINUS, _STOP, _COLON = 0x27, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x3A
_SMALLER, _UNDERSCORE, _BEYOND = 0x3C, 0x5F, 0x80
_A, _N, _S, _W, _E, _R, _I = 0x61, 0x6E, 0x73, 0x77, 0x65, 0x72, 0x69
_NONE, _UNSURE = -1, -2


@njit(**OPTIONS)
def _lower(data, place):
    return np.int64(data[place]) | 0x20


@njit(**OPTIONS)
def _is_letter(byte):
    return 0x61 <= (byte | 0x20) <= 0x7A


@njit(**OPTIONS)
def _begins_a_marker(data, place, end):
    """Return whether a character may begin 答案 or 【答案】, or is İ, ı or ſ, which are letters of `answer is` too."""
    lead = data[place]
    if place + 1 >= end:
        return False
    second = data[place + 1]
    if lead == 0xC4:
        return second == 0xB0 or second == 0xB1
    if lead == 0xC5:
        return second == 0xBF
    if lead == 0xE7:
        return second == 0xAD and data[place + 2] == 0x94
    return lead == 0xE3 and second == 0x80 and data[place + 2] == 0x90


@njit(**OPTIONS)
def _after_answer(data, place, start, end):
    """Return where a marker of the word `answer` ends, doubled, and one more where a sentence goes on after it."""
    after = place + 6
    if after > end or _lower(data, place) != _A or _lower(data, place + 1) != _N or _lower(data, place + 2) != _S:
        return _NONE
    if _lower(data, place + 3) != _W or _lower(data, place + 4) != _E or _lower(data, place + 5) != _R:
        return _NONE
    if place > start:
        before = data[place - 1]
        if before >= _BEYOND:
            return _UNSURE
        if _is_letter(before) or 0x30 <= before <= 0x39 or before == _UNDERSCORE:
            return _NONE
    there = after
    while there < end and there < after + 3 and (data[there] == _STAR or data[there] == _UNDERSCORE):
        there += 1
    if there < end and (data[there] == _SPACE or data[there] == _TAB):
        there += 1
    if there < end and data[there] >= _BEYOND:
        return _UNSURE
    if there < end and data[there] == _COLON:
        there += 1
        last = min(end, there + 3)
        while there < last and (data[there] == _STAR or data[there] == _UNDERSCORE):
            there += 1
        return 2 * there
    there = after + 3
    if there > end or data[after] != _SPACE or _lower(data, after + 1) != _I or _lower(data, after + 2) != _S:
        return _NONE
    if there < end:
        if data[there] >= _BEYOND:
            return _UNSURE
        if _is_letter(data[there]) or data[there] == _QUOTE:
            return _NONE
        if data[there] == _COLON:
            there += 1
    return 2 * there + 1


@njit(**OPTIONS)
def _after_hashes(data, place, start, end):
    """Return where `####` ends, doubled, that begins a line which is a number and nothing else."""
    after = place + 4
    if after > end or (place > start and data[place - 1] != _LINE_FEED):
        return _NONE
    for there in range(place, after):
        if data[there] != _HASH:
            return _NONE
    there = after
    while there < end and (data[there] == _SPACE or data[there] == _TAB):
        there += 1
    if there < end and (data[there] == _MINUS or data[there] == _PLUS or data[there] == _DOLLAR):
        there += 1
    first = there
    while there < end and (0x30 <= data[there] <= 0x39 or data[there] == _STOP or data[there] == _COMMA):
        there += 1
    if there < end and data[there] >= _BEYOND:
        return _UNSURE
    if there == first:
        return _NONE
    if there < end and data[there] == _PERCENT:
        there += 1
    while there < end and (data[there] == _SPACE or data[there] == _TAB or data[there] == _RETURN):
        there += 1
    return 2 * after if there == end or data[there] == _LINE_FEED else _NONE


@njit(**OPTIONS)
def _last_marker(data, start, end):
    """Return where the last marker ends, doubled, and one more for a sentence's."""
    for place in range(end - 1, start - 1, -1):
        byte, found = data[place], np.int64(_NONE)
        if byte >= _BEYOND:
            if _begins_a_marker(data, place, end):
                return np.int64(_UNSURE)
        elif byte | 0x20 == _A:
            found = _after_answer(data, place, start, end)
        elif byte == _HASH:
            found = _after_hashes(data, place, start, end)
        if found != _NONE:
            return found
    return np.int64(_NONE)


@njit(**OPTIONS)
def _without_space_before(data, first, last):
    while first < last:
        byte = data[first]
        if not is_space_point(np.int64(byte) if byte < _BEYOND else code_point(data, first)):
            break
        first += width_of(byte)
    return first


@njit(**OPTIONS)
def _without_space_behind(data, first, last):
    while first < last:
        place = last - 1
        while place > first and (data[place] & 0xC0) == 0x80:
            place -= 1
        if not is_space_point(np.int64(data[place]) if data[place] < _BEYOND else code_point(data, place)):
            break
        last = place
    return last


@njit(**OPTIONS)
def _without_full_stop(data, first, last):
    """Return where an answer ends without the full stop of its sentence."""
    if data[last - 1] >= _BEYOND:
        return np.int64(_UNSURE)
    if data[last - 1] != _STOP:
        return last
    last = _without_space_behind(data, first, last - 1)
    place = last - 1
    while place >= first and not is_space_point(np.int64(data[place])):
        if data[place] == _STOP:
            return np.int64(_UNSURE)
        place -= 1
    return last


def answer_lines(data, starts, ends, in_prompt, firsts, lasts):
    """Fill `firsts` and `lasts` with where the answer of each text stands; -1 where only the rule itself can say."""
    for row in range(starts.shape[0]):
        firsts[row] = lasts[row] = -1
        start, end = starts[row], ends[row]
        marker = _last_marker(data, start, end)
        if marker == _UNSURE or (marker == _NONE and in_prompt == 0):
            continue
        first = _without_space_before(data, start, end) if marker == _NONE else marker >> 1
        last = first
        odd = False
        while last < end and data[last] != _LINE_FEED and data[last] != _RETURN:
            if last + 1 < end and data[last] == _STAR and data[last + 1] == _STAR:
                odd = True
            if last + 1 < end and data[last] == _SMALLER and data[last + 1] == _E:
                odd = True
            last += 1
        first = _without_space_before(data, first, last)
        last = _without_space_behind(data, first, last)
        if odd or first == last:
            continue
        if marker != _NONE and marker & 1:
            last = _without_full_stop(data, first, last)
        if last > first:
            firsts[row], lasts[row] = first, last
    return 0
