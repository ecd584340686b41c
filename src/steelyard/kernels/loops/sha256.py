"""SHA-256 of short texts, by the processor's own instructions where it has them."""

from __future__ import annotations

import numpy as np
from llvmlite import binding, ir
from numba import njit, types
from numba.extending import intrinsic

from steelyard.kernels.loops.memory import OPTIONS

BLOCK = 64
_LENGTH_BYTES = 8
_WORD = ir.IntType(32)
_FOUR = ir.VectorType(_WORD, 4)


def _roots(count, power):
    """Return the first 32 bits of the fractional parts of roots of the first primes, as FIPS 180-4 defines them."""
    primes = [n for n in range(2, 312) if all(n % d for d in range(2, n))][:count]
    return [_root(prime << (32 * power), power) & 0xFFFFFFFF for prime in primes]


def _root(number, power):
    low, high = 0, 1 << 48
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**power <= number else (low, middle)
    return low


INITIAL = np.array(_roots(8, 2), np.uint32)
ROUNDS = np.array(_roots(64, 3), np.uint32)


def _native_block(builder, state, block):
    """Write the 64 rounds with the instructions of x86: two registers hold the state and take rounds in turn."""
    module = builder.module
    three = ir.FunctionType(_FOUR, [_FOUR, _FOUR, _FOUR])
    two = ir.FunctionType(_FOUR, [_FOUR, _FOUR])
    rounds = module.declare_intrinsic("llvm.x86.sha256rnds2", fnty=three)
    first = module.declare_intrinsic("llvm.x86.sha256msg1", fnty=two)
    second = module.declare_intrinsic("llvm.x86.sha256msg2", fnty=two)
    swap = module.declare_intrinsic("llvm.bswap.v4i32", fnty=ir.FunctionType(_FOUR, [_FOUR]))

    def shuffled(left, right, order):
        return builder.shuffle_vector(left, right, ir.Constant(ir.VectorType(_WORD, 4), order))

    def load(pointer, number):
        address = builder.gep(pointer, [ir.Constant(ir.IntType(64), number)])
        loaded = builder.load(address)
        loaded.align = 1
        return loaded

    halves = load(state, 0), load(state, 1)
    upper = shuffled(halves[0], halves[1], [5, 4, 1, 0])
    lower = shuffled(halves[0], halves[1], [7, 6, 3, 2])
    before = upper, lower
    words = [builder.call(swap, [load(block, number)]) for number in range(4)]
    for number in range(16):
        if number >= 4:
            shifted = shuffled(words[number - 2], words[number - 1], [1, 2, 3, 4])
            partial = builder.call(first, [words[number - 4], words[number - 3]])
            words.append(builder.call(second, [builder.add(partial, shifted), words[number - 1]]))
        constants = ir.Constant(_FOUR, ROUNDS[4 * number : 4 * number + 4].tolist())
        message = builder.add(words[number], constants)
        lower = builder.call(rounds, [lower, upper, message])
        upper = builder.call(rounds, [upper, lower, shuffled(message, message, [2, 3, 0, 0])])
    upper, lower = builder.add(upper, before[0]), builder.add(lower, before[1])
    for number, order in ((0, [3, 2, 7, 6]), (1, [1, 0, 5, 4])):
        stored = builder.store(shuffled(upper, lower, order), builder.gep(state, [ir.Constant(ir.IntType(64), number)]))
        stored.align = 1


@intrinsic
def native_block(_context, state, data, index):
    """Take 64 bytes into a state of eight 32-bit words."""

    def generate(context, builder, signature, arguments):
        words = context.make_array(signature.args[0])(context, builder, arguments[0])
        content = context.make_array(signature.args[1])(context, builder, arguments[1])
        block = builder.gep(content.data, [arguments[2]])
        pointer = _FOUR.as_pointer()
        _native_block(builder, builder.bitcast(words.data, pointer), builder.bitcast(block, pointer))
        return context.get_dummy_value()

    return types.void(state, data, types.int64), generate


@njit(**OPTIONS)
def turned(word, count):
    """Return a 32-bit word rotated to the right."""
    return np.uint32((word >> np.uint32(count)) | (word << np.uint32(32 - count)))


@njit(**OPTIONS)
def portable_block(state, data, index):
    """Take 64 bytes into a state of eight 32-bit words, whose 64 words of schedule stand behind it."""
    for word in range(16):
        value = np.uint32(0)
        for offset in range(4):
            value = np.uint32(value << np.uint32(8)) | np.uint32(data[index + 4 * word + offset])
        state[8 + word] = value
    for word in range(16, 64):
        late, early = state[8 + word - 2], state[8 + word - 15]
        small = turned(early, 7) ^ turned(early, 18) ^ (early >> np.uint32(3))
        large = turned(late, 17) ^ turned(late, 19) ^ (late >> np.uint32(10))
        state[8 + word] = np.uint32(state[8 + word - 16] + small + state[8 + word - 7] + large)
    a, b, c, d, e, f, g, h = state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7]
    for word in range(64):
        mixed = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
        one = np.uint32(h + mixed + ((e & f) ^ (~e & g)) + ROUNDS[word] + state[8 + word])
        two = np.uint32((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c)))
        a, b, c, d, e, f, g, h = np.uint32(one + two), a, b, c, np.uint32(d + one), e, f, g
    for word, value in enumerate((a, b, c, d, e, f, g, h)):
        state[word] = np.uint32(state[word] + value)


take_block = native_block if binding.get_host_cpu_features().get("sha") else portable_block


@njit(**OPTIONS)
def digest(state, data, size):
    """Leave the digest of `data[:size]` in `state[:8]`; up to 72 bytes behind the text are overwritten."""
    for word in range(8):
        state[word] = INITIAL[word]
    end = (size + _LENGTH_BYTES) // BLOCK * BLOCK + BLOCK
    data[size] = 0x80
    for place in range(size + 1, end - _LENGTH_BYTES):
        data[place] = 0
    for offset in range(_LENGTH_BYTES):
        data[end - 1 - offset] = (8 * size) >> (8 * offset) & 0xFF
    for start in range(0, end, BLOCK):
        take_block(state, data, start)
