"""Words of memory: eight bytes at a time, hashes of byte runs, equality of byte runs.

Eight bytes are read as one little-endian integer, as on every processor that numba compiles for.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

OPTIONS = {"nogil": True, "_nrt": False, "error_model": "numpy"}
"""No reference counts and no exceptions: the machine code then needs nothing of numba's at run time."""

_ODD_ONE = np.uint64(0x9E3779B97F4A7C15)
_ODD_TWO = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@intrinsic
def load_word(_context, array, index):
    """Read `array[index:index + 8]` at any address; the caller answers for the bytes being there."""
    signature = types.uint64(array, types.int64)

    def generate(context, builder, signature, arguments):
        struct = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.gep(struct.data, [arguments[1]])
        loaded = builder.load(builder.bitcast(address, ir.IntType(64).as_pointer()))
        loaded.align = 1
        return loaded

    return signature, generate


@intrinsic
def store_word(_context, array, index, word):
    """Write eight bytes at any address; the caller answers for the room being there."""
    signature = types.void(array, types.int64, types.uint64)

    def generate(context, builder, signature, arguments):
        struct = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.gep(struct.data, [arguments[1]])
        stored = builder.store(arguments[2], builder.bitcast(address, ir.IntType(64).as_pointer()))
        stored.align = 1
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def count_ones(_context, word):
    """Count the bits of a word that are set."""

    def generate(_context, builder, _signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic
def count_trailing_zeros(_context, word):
    """Count the zero bits below the lowest set bit; 64 for zero."""

    def generate(_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


@njit(**OPTIONS)
def mix(word):
    """Spread the bits of a word; distinct words stay distinct."""
    word = (word ^ (word >> _HALF)) * _ODD_ONE
    word = (word ^ (word >> _HALF)) * _ODD_TWO
    return word ^ (word >> _HALF)


@njit(**OPTIONS)
def load_up_to(data, start, end):
    """Read at most eight bytes of `data[start:end]`, the missing ones as zero, and never past the array."""
    size = end - start
    if size >= 8:
        return load_word(data, start)
    if start + 8 <= data.shape[0]:
        return load_word(data, start) & ~(_ALL << np.uint64(8 * size)) if size > 0 else np.uint64(0)
    word = np.uint64(0)
    for offset in range(size):
        word |= np.uint64(data[start + offset]) << np.uint64(8 * offset)
    return word


@njit(**OPTIONS)
def hash_run(data, start, end):
    """Return a hash of a run of bytes. Runs of one length up to eight have the same hash only if they are equal."""
    total = mix(load_up_to(data, start, end) ^ (np.uint64(end - start) * _ODD_TWO))
    start += 8
    while start < end:
        total = mix(total ^ load_up_to(data, start, end))
        start += 8
    return total


@njit(**OPTIONS)
def equal_runs(left, left_start, right, right_start, size):
    """Return whether two runs of bytes are the same."""
    position = 0
    while position + 8 <= size:
        if load_word(left, left_start + position) != load_word(right, right_start + position):
            return False
        position += 8
    while position < size:
        if left[left_start + position] != right[right_start + position]:
            return False
        position += 1
    return True


@njit(**OPTIONS)
def copy_run(source, start, target, position, size):
    """Copy a run of bytes, eight at a time: up to seven bytes behind either run are read or overwritten."""
    offset = 0
    while offset < size:
        store_word(target, position + offset, load_word(source, start + offset))
        offset += 8


@njit(**OPTIONS)
def code_point(data, position):
    """Decode the character at a position of valid UTF-8 that is no ASCII; surrogates may stand in their own form."""
    lead = np.int64(data[position])
    second = np.int64(data[position + 1]) & 0x3F
    if lead < 0xE0:
        return ((lead & 0x1F) << 6) | second
    third = np.int64(data[position + 2]) & 0x3F
    if lead < 0xF0:
        return ((lead & 0x0F) << 12) | (second << 6) | third
    return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | (np.int64(data[position + 3]) & 0x3F)


@njit(**OPTIONS)
def width_of(lead):
    """Return how many bytes the character with this first byte has."""
    if lead < 0x80:
        return 1
    if lead < 0xE0:
        return 2
    return 3 if lead < 0xF0 else 4
