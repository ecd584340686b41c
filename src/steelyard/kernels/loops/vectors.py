"""Sixty-four bytes at once: one bit per byte says what it is. LLVM maps these to what the processor has.

The caller answers for 64 bytes being readable at the index (and writable, where something is stored).
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from steelyard.kernels.loops.memory import OPTIONS

WIDTH = 64
_VECTOR = ir.VectorType(ir.IntType(8), WIDTH)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)


def _address(context, builder, kind, array, index):
    struct = context.make_array(kind)(context, builder, array)
    return builder.bitcast(builder.gep(struct.data, [index]), _VECTOR.as_pointer())


def _load(context, builder, kind, array, index):
    loaded = builder.load(_address(context, builder, kind, array, index))
    loaded.align = 1
    return loaded


def _all(value):
    return ir.Constant(_VECTOR, [value] * WIDTH)


def _between(builder, vector, first, last):
    shifted = builder.sub(vector, _all(ord(first)))
    return builder.icmp_unsigned("<=", shifted, _all(ord(last) - ord(first)))


def _bits(builder, flags):
    return builder.bitcast(flags, ir.IntType(WIDTH))


@intrinsic
def lower_and_mark(_context, source, index, target, place):
    """Copy 64 bytes with ASCII letters in lower case, and return which of them are ASCII letters or digits."""

    def generate(context, builder, signature, arguments):
        vector = _load(context, builder, signature.args[0], arguments[0], arguments[1])
        upper = _between(builder, vector, "A", "Z")
        lowered = builder.select(upper, builder.or_(vector, _all(0x20)), vector)
        stored = builder.store(lowered, _address(context, builder, signature.args[2], arguments[2], arguments[3]))
        stored.align = 1
        word = builder.or_(_between(builder, lowered, "a", "z"), _between(builder, lowered, "0", "9"))
        return _bits(builder, word)

    return types.uint64(source, types.int64, target, types.int64), generate


@intrinsic
def mark_beyond_ascii(_context, source, index):
    """Return which of 64 bytes are 128 or more."""

    def generate(context, builder, signature, arguments):
        vector = _load(context, builder, signature.args[0], arguments[0], arguments[1])
        return _bits(builder, builder.icmp_signed("<", vector, _all(0)))

    return types.uint64(source, types.int64), generate


@intrinsic
def mark_spaces(_context, source, index):
    """Return which of 64 bytes `str.split` takes for white space, as far as they are ASCII."""

    def generate(context, builder, signature, arguments):
        vector = _load(context, builder, signature.args[0], arguments[0], arguments[1])
        blank = builder.icmp_unsigned("==", vector, _all(0x20))
        breaks = builder.or_(_between(builder, vector, "\t", "\r"), _between(builder, vector, "\x1c", "\x1f"))
        return _bits(builder, builder.or_(blank, breaks))

    return types.uint64(source, types.int64), generate


@intrinsic
def mark_visible(_context, source, index):
    """Return which of 64 bytes are visible ASCII characters: letters, digits and `string.punctuation`."""

    def generate(context, builder, signature, arguments):
        vector = _load(context, builder, signature.args[0], arguments[0], arguments[1])
        return _bits(builder, _between(builder, vector, "!", "~"))

    return types.uint64(source, types.int64), generate


@intrinsic
def mark_string_ends(_context, source, index):
    """Return which of 64 bytes end a JSON string or need care in it: quotes, backslashes, control characters."""

    def generate(context, builder, signature, arguments):
        vector = _load(context, builder, signature.args[0], arguments[0], arguments[1])
        quote = builder.icmp_unsigned("==", vector, _all(0x22))
        backslash = builder.icmp_unsigned("==", vector, _all(0x5C))
        control = builder.icmp_unsigned("<", vector, _all(0x20))
        return _bits(builder, builder.or_(builder.or_(quote, backslash), control))

    return types.uint64(source, types.int64), generate


@intrinsic
def mark_line_feeds(_context, source, index):
    """Return which of 64 bytes are line feeds."""

    def generate(context, builder, signature, arguments):
        vector = _load(context, builder, signature.args[0], arguments[0], arguments[1])
        return _bits(builder, builder.icmp_unsigned("==", vector, _all(0x0A)))

    return types.uint64(source, types.int64), generate


@njit(**OPTIONS)
def below(count):
    """Return a word whose lowest `count` bits are set, all of them from 64 on."""
    return _ALL if count >= WIDTH else (_ONE << np.uint64(count)) - _ONE


@njit(**OPTIONS)
def readable(data, start, end, spare):
    """Return an array and an index at which 64 bytes from `start` on can be read: the array itself, or a copy."""
    if start + WIDTH <= data.shape[0]:
        return data, start
    for offset in range(min(WIDTH, end - start)):
        spare[offset] = data[start + offset]
    return spare, 0
