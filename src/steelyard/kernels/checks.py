"""Which rows of a column need a closer look."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steelyard.kernels.compiled import BYTES, INTEGERS, Loop
from steelyard.kernels.memory import arrays
from steelyard.records.blocks import TextColumn

_MODULE = "steelyard.kernels.loops.checks"

blank_loop = Loop(_MODULE, "blank", (BYTES, INTEGERS, INTEGERS, BYTES))
reasoning_loop = Loop(_MODULE, "reasoning", (BYTES, INTEGERS, INTEGERS, BYTES))

Flags = npt.NDArray[np.bool_]


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
