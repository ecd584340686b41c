"""Columns of text as codes and as hashes.

Beside them: picked lines, and checks of bytes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steelyard.kernels.compiled import BYTES, INTEGER, INTEGERS, Loop
from steelyard.kernels.memory import Bytes, Integers, arrays
from steelyard.records.blocks import Labels, TextColumn

Flags = npt.NDArray[np.bool_]

_MODULE = "steelyard.kernels.loops.labels"
_NAMES = 4096
"""Distinct texts up to which codes are made by the loop; beyond, a column is no set of labels."""

encode_loop = Loop(_MODULE, "encode", (BYTES, INTEGERS, INTEGERS, INTEGERS, INTEGERS, INTEGERS, INTEGER))
same_loop = Loop(_MODULE, "same", (BYTES, INTEGERS, INTEGERS, BYTES, INTEGERS, INTEGERS))
hash_loop = Loop(_MODULE, "hashes", (BYTES, INTEGERS, INTEGERS, INTEGERS))


def labels_block(column: TextColumn, *, empty: bool = True) -> Labels:
    """Return a column as codes into its distinct texts, equal to `Labels.of`; with `empty` false, no text is no value.

    >>> labels_block(TextColumn.of(["b", "", "a", "b"]), empty=False)
    Labels(names=['b', 'a'], codes=array([ 0, -1,  1,  0], dtype=int32))
    """
    found = codes_block(column, empty=empty)
    if found is None:
        return Labels.of([text if text or empty else None for text in column])
    firsts, codes = found
    return Labels([column[row] for row in firsts.tolist()], codes.astype(np.int32))


def codes_block(column: TextColumn, *, empty: bool = True) -> tuple[Integers, Integers] | None:
    """Return the row where each distinct text first stands, and the code of each row; None where there are too many."""
    codes, rows = np.empty(len(column), np.int64), np.empty(_NAMES, np.int64)
    known = encode_loop(*arrays(column), np.full(4 * _NAMES, -1, np.int64), rows, codes, int(empty))
    return None if known < 0 else (rows[:known], codes)


def text_hashes(column: TextColumn) -> Integers:
    """Return a 64-bit hash of each text: unequal hashes are unequal texts, and nothing more."""
    found = np.empty(len(column), np.int64)
    hash_loop(*arrays(column), found)
    return found


def are_same(first: TextColumn, second: TextColumn) -> bool:
    """Return whether two columns have the same texts in the same order."""
    return len(first) == len(second) and same_loop(*arrays(first), *arrays(second)) == len(first)


def differing_rows(first: TextColumn, second: TextColumn) -> Flags:
    """Return which rows of two columns of one length have different texts; fast where few do.

    >>> differing_rows(TextColumn.of(["a", "b", "c"]), TextColumn.of(["a", "B", "c"])).tolist()
    [False, True, False]
    """
    flags, row = np.zeros(len(first), np.bool_), 0
    while (row := row + same_loop(*arrays(first[row:]), *arrays(second[row:]))) < len(first):
        flags[row] = True
        row += 1
    return flags


# Lines picked out of bytes, in any order.


pick_loop = Loop("steelyard.kernels.loops.lines", "pick", (BYTES, INTEGERS, INTEGERS, BYTES))


def picked_lines(data: Bytes, starts: Integers, sizes: Integers, target: Bytes) -> int:
    r"""Write lines into `target`, each with a line feed behind it; return where they end.

    >>> target = np.zeros(16, np.uint8)
    >>> end = picked_lines(np.frombuffer(b"one two", np.uint8), np.array([4, 0, 0]), np.array([3, 0, 3]), target)
    >>> target[:end].tobytes()
    b'two\n\none\n'
    """
    return pick_loop(data, starts, sizes, target)


# Which rows of a column need a closer look.


_MODULE_of_checks = "steelyard.kernels.loops.checks"

blank_loop = Loop(_MODULE_of_checks, "blank", (BYTES, INTEGERS, INTEGERS, BYTES))
reasoning_loop = Loop(_MODULE_of_checks, "reasoning", (BYTES, INTEGERS, INTEGERS, BYTES))


def blank_rows(column: TextColumn) -> Flags:
    """Return which texts are empty or white space alone.

    >>> blank_rows(TextColumn.of(["a", " \u3000", ""])).tolist()
    [False, True, True]
    """
    found = np.empty(len(column), np.uint8)
    blank_loop(*arrays(column), found)
    return found.astype(np.bool_)


def reasoning_rows(column: TextColumn) -> Flags:
    """Return which texts may have a tag of a reasoning block; all that have one are among them.

    >>> reasoning_rows(TextColumn.of(["<think>no</think> 4", "4 < 5"])).tolist()
    [True, False]
    """
    found = np.empty(len(column), np.uint8)
    reasoning_loop(*arrays(column), found)
    return found.astype(np.bool_)
