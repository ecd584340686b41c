"""ROUGE-1, ROUGE-2 and ROUGE-L over rows of two columns.

Tokens of a row get small numbers, so that pairs are single integers and a subsequence is found by bit-parallel dynamic
programming (Hyyrö 2004, as in `text.lcs`), 64 tokens of the reference to a word.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from steelyard.kernels.characters import CJK_ITSELF, FIRST_EMOJI, KIND_ALONE, KIND_MASK, KIND_SPACE, LAST_EMOJI, SLOW
from steelyard.kernels.loops.counting import f_measure, is_free, number_in, occupy, slot_of, table_mask
from steelyard.kernels.loops.memory import (
    OPTIONS,
    code_point,
    count_ones,
    count_trailing_zeros,
    equal_runs,
    mix,
    width_of,
)
from steelyard.kernels.loops.tokens import add_token, hash_tokens, write_character
from steelyard.kernels.loops.vectors import WIDTH, below, lower_and_mark, mark_beyond_ascii, readable

NOTHING, BEYOND, HAS_CJK, UNKNOWN = 0, 1, 2, 3
"""What a text has: ASCII alone, other characters too, Han, kana or hangul among them, or what no table judges."""
NO_PREDICTED, NO_EXPECTED = 1, 2
"""Bits of a row's flags: a side without a token."""
_LOWERS_TO_I, _LOWERS_TO_K = 0x130, 0x212A
"""The only characters beyond ASCII whose lower case has an ASCII letter."""
_WORD_BITS = 64
_ONE, _LAST = np.uint64(1), np.uint64(63)
_FIRST_LEAD = 0xC0
"""Bytes from here on begin a character."""


@njit(**OPTIONS)
def script_at(data, position, actions):
    """Return what the character at a position that is no ASCII tells about the script of a text."""
    point = code_point(data, position)
    if point >= 0x10000:
        return BEYOND if FIRST_EMOJI <= point <= LAST_EMOJI else UNKNOWN
    if point in (_LOWERS_TO_I, _LOWERS_TO_K):
        return UNKNOWN
    return HAS_CJK if actions[point] & CJK_ITSELF else BEYOND


@njit(**OPTIONS)
def script_among(data, start, marks, actions):
    """Return the script that the marked bytes tell: UNKNOWN before HAS_CJK before BEYOND."""
    found = NOTHING
    while marks:
        position = start + np.int64(count_trailing_zeros(marks))
        marks &= marks - _ONE
        if data[position] >= _FIRST_LEAD:
            found = max(found, script_at(data, position, actions))
    return found


@njit(**OPTIONS)
def plain_tokens(data, start, end, actions, text, tokens, first, number, spare):
    """Write the tokens of `data[start:end]`, where everything beyond ASCII separates.

    Return the script that was met, the end of the text and the number of the next token. The text keeps its length.
    """
    script = NOTHING
    before = np.uint64(0)
    shift = first - start
    token = -1
    for chunk in range(start, end, WIDTH):
        source, index = readable(data, chunk, end, spare)
        inside = below(end - chunk)
        beyond = mark_beyond_ascii(source, index) & inside
        if beyond:
            script = max(script, script_among(data, chunk, beyond, actions))
        word = lower_and_mark(source, index, text, chunk + shift) & inside
        edges = word ^ (word << _ONE | before)
        before = word >> _LAST
        while edges:
            place = chunk + shift + np.int64(count_trailing_zeros(edges))
            edges &= edges - _ONE
            if token < 0:
                token = place
            else:
                tokens[3 * number] = token
                tokens[3 * number + 1] = place
                number += 1
                token = -1
    if token >= 0:
        number = add_token(text, tokens, number, token, end + shift)
    return script, end + shift, number


@njit(**OPTIONS)
def mixed_tokens(data, start, end, rules, text, tokens, first, number):
    """Write the tokens of a text that has Han, kana or hangul; the end is -1 where a table cannot judge a character."""
    ascii_table, actions, pieces = rules
    position = token = first
    while start < end:
        byte = data[start]
        if byte < 0x80:
            becomes = ascii_table[byte]
            if becomes < 0x80:
                text[position] = becomes
                position += 1
            else:
                number = add_token(text, tokens, number, token, position)
                token = position
            start += 1
            continue
        point = code_point(data, start)
        action = np.int64(actions[point if point < 0x10000 else 0x10000 + point - FIRST_EMOJI])
        kind = action & KIND_MASK
        if kind == SLOW:
            return -1, number
        if kind in (KIND_SPACE, KIND_ALONE):
            number = add_token(text, tokens, number, token, position)
            token = position
        if kind != KIND_SPACE:
            position = write_character(data, start, action, pieces, text, position)
        if kind == KIND_ALONE:
            number = add_token(text, tokens, number, token, position)
            token = position
        start += width_of(byte)
    return position, add_token(text, tokens, number, token, position)


@njit(**OPTIONS)
def rouge_tokens(data, start, end, rules, text, tokens, first, number, spare):
    """Write the tokens that ROUGE counts; the end is -1 where the row needs the item form. Return the script too."""
    script, size, after = plain_tokens(data, start, end, rules[1], text, tokens, first, number, spare)
    if script == UNKNOWN:
        return -1, number, script
    if script == HAS_CJK:
        size, after = mixed_tokens(data, start, end, rules, text, tokens, first, number)
    return size, after, script


@njit(**OPTIONS)
def number_tokens(text, tokens, predicted, total, table, names, stamp):
    """Give equal tokens equal numbers in `names`: those of the reference from 0 on, others in the prediction -1."""
    mask = table_mask(total - predicted)
    distinct = 0
    for token in range(predicted, total):
        slot = slot_of(text, tokens, token, table, mask, stamp)
        if is_free(table, slot, stamp):
            occupy(table, slot, stamp, token)
            names[token] = distinct
            distinct += 1
        else:
            names[token] = names[number_in(table, slot)]
    for token in range(predicted):
        slot = slot_of(text, tokens, token, table, mask, stamp)
        names[token] = -1 if is_free(table, slot, stamp) else names[number_in(table, slot)]
    return distinct


@njit(**OPTIONS)
def shared_names(names, predicted, total, distinct, counts):
    """Count the tokens that both have, each as often as both have it."""
    for name in range(distinct):
        counts[name] = 0
    for token in range(predicted, total):
        counts[names[token]] += 1
    shared = 0
    for token in range(predicted):
        name = names[token]
        if name >= 0 and counts[name] > 0:
            counts[name] -= 1
            shared += 1
    return shared


@njit(**OPTIONS)
def pair_slot(pair, keys, mask):
    """Return the slot of a pair of tokens, or the free slot (-1) where it belongs."""
    slot = np.int64(mix(np.uint64(pair))) & mask
    while keys[slot] not in (-1, pair):
        slot = (slot + 1) & mask
    return slot


@njit(**OPTIONS)
def shared_pairs(names, predicted, total, keys, counts):
    """Count the pairs of neighbours that both have, each as often as both have it."""
    mask = table_mask(total - predicted)
    for slot in range(mask + 1):
        keys[slot] = -1
    for token in range(predicted, total - 1):
        pair = names[token] << 32 | names[token + 1]
        slot = pair_slot(pair, keys, mask)
        counts[slot] = counts[slot] + 1 if keys[slot] == pair else 1
        keys[slot] = pair
    shared = 0
    for token in range(predicted - 1):
        if names[token] >= 0 and names[token + 1] >= 0:
            slot = pair_slot(names[token] << 32 | names[token + 1], keys, mask)
            if keys[slot] >= 0 and counts[slot] > 0:
                counts[slot] -= 1
                shared += 1
    return shared


@njit(**OPTIONS)
def short_subsequence(names, predicted, total, distinct, places):
    """Return the length of the longest common subsequence with a reference of at most 64 tokens."""
    for name in range(distinct):
        places[name] = 0
    for token in range(predicted, total):
        places[names[token]] |= np.int64(_ONE << np.uint64(token - predicted))
    column = ~np.uint64(0)
    for token in range(predicted):
        if names[token] >= 0:
            matched = column & np.uint64(places[names[token]])
            column = (column + matched) | (column - matched)
    size = total - predicted
    inside = ~np.uint64(0) if size == _WORD_BITS else (_ONE << np.uint64(size)) - _ONE
    return size - np.int64(count_ones(column & inside))


@njit(**OPTIONS)
def long_subsequence(names, predicted, total, distinct, places, column):
    """Return the length of the longest common subsequence, several words to a column of the table."""
    size = total - predicted
    words = (size + _WORD_BITS - 1) // _WORD_BITS
    for place in range(distinct * words):
        places[place] = 0
    for token in range(size):
        place = names[predicted + token] * words + (token >> 6)
        places[place] |= np.int64(_ONE << np.uint64(token & 63))
    for word in range(words):
        column[word] = -1
    for token in range(predicted):
        if names[token] < 0:
            continue
        base, carry = names[token] * words, np.uint64(0)
        for word in range(words):
            old = np.uint64(column[word])
            matched = old & np.uint64(places[base + word])
            total_sum = old + matched
            over = total_sum < old
            with_carry = total_sum + carry
            carry = np.uint64(over or with_carry < total_sum)
            column[word] = np.int64(with_carry | (old - matched))
    rest = np.uint64(size & 63)
    if rest:
        column[words - 1] &= np.int64((_ONE << rest) - _ONE)
    left = 0
    for word in range(words):
        left += np.int64(count_ones(np.uint64(column[word])))
    return size - left


def rouge(
    data, starts, ends, other, other_starts, other_ends, ascii_table, actions, pieces, pairs, together,
    text, tokens, table, names, counts, keys, places, column, spare, rouge1, rouge2, rouge_l, flags, slow,
):  # fmt: skip
    """Fill the measures and flags; return how many rows need the item form, their numbers in `slow`.

    `pairs` is 0 where ROUGE-2 is not wanted. `together` is 1 where both texts are read by one rule: a row with Han,
    kana or hangul on one side alone needs the item form then, unless the other side is ASCII, which both rules read
    alike.
    """
    left = 0
    rules = (ascii_table, actions, pieces)
    for row in range(starts.shape[0]):
        start, end, other_start, other_end = starts[row], ends[row], other_starts[row], other_ends[row]
        rouge1[row] = rouge2[row] = rouge_l[row] = 0.0
        flags[row] = 0
        size, predicted, script = rouge_tokens(data, start, end, rules, text, tokens, 0, 0, spare)
        if size >= 0 and end - start == other_end - other_start:
            if equal_runs(data, start, other, other_start, end - start):
                if predicted > 0:
                    rouge1[row] = rouge_l[row] = 1.0
                else:
                    flags[row] = NO_PREDICTED | NO_EXPECTED
                rouge2[row] = 1.0 if predicted > 1 else 0.0
                continue
        whole, total = -1, 0
        if size >= 0:
            whole, total, other_script = rouge_tokens(
                other, other_start, other_end, rules, text, tokens, size, predicted, spare
            )
            if together != 0 and script + other_script == BEYOND + HAS_CJK:
                whole = -1
        expected = total - predicted
        words = (expected + _WORD_BITS - 1) // _WORD_BITS
        if whole < 0 or expected * words > places.shape[0]:
            slow[left] = row
            left += 1
            continue
        flags[row] = (NO_PREDICTED if predicted == 0 else 0) | (NO_EXPECTED if expected == 0 else 0)
        if flags[row] != 0:
            continue
        hash_tokens(text, tokens, total)
        distinct = number_tokens(text, tokens, predicted, total, table, names, row + 1)
        rouge1[row] = f_measure(shared_names(names, predicted, total, distinct, counts), predicted, expected)
        if words == 1:
            common = short_subsequence(names, predicted, total, distinct, places)
        else:
            common = long_subsequence(names, predicted, total, distinct, places, column)
        rouge_l[row] = f_measure(common, predicted, expected)
        if pairs != 0 and predicted > 1 and expected > 1:
            rouge2[row] = f_measure(shared_pairs(names, predicted, total, keys, counts), predicted - 1, expected - 1)
    return left
