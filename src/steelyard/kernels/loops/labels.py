"""Texts as codes: equal texts get equal codes, in order of first appearance."""

from __future__ import annotations

import numpy as np

from steelyard.kernels.loops.memory import equal_runs, hash_run


def encode(data, starts, ends, table, rows, codes, empty):
    """Fill `codes`, and `rows` with the row where each code first stands. Return how many there are, -1 if too many.

    `table` has a power of two of slots, all -1. An empty text gets the code -1 where `empty` is 0.
    """
    mask = table.shape[0] - 1
    known = 0
    for row in range(starts.shape[0]):
        start, size = starts[row], ends[row] - starts[row]
        if size == 0 and empty == 0:
            codes[row] = -1
            continue
        slot = np.int64(hash_run(data, start, start + size)) & mask
        while table[slot] >= 0:
            first = rows[table[slot]]
            if ends[first] - starts[first] == size and equal_runs(data, starts[first], data, start, size):
                break
            slot = (slot + 1) & mask
        if table[slot] < 0:
            if known == rows.shape[0]:
                return -1
            table[slot] = known
            rows[known] = row
            known += 1
        codes[row] = table[slot]
    return known


def hashes(data, starts, ends, found):
    """Fill `found` with a 64-bit hash of each text."""
    for row in range(starts.shape[0]):
        found[row] = np.int64(hash_run(data, starts[row], ends[row]))
    return 0


def same(data, starts, ends, other, other_starts, other_ends):
    """Return how many rows from the first on have equal texts."""
    for row in range(starts.shape[0]):
        size = ends[row] - starts[row]
        if size != other_ends[row] - other_starts[row]:
            return row
        if not equal_runs(data, starts[row], other, other_starts[row], size):
            return row
    return starts.shape[0]
