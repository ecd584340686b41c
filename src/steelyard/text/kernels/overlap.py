"""Exact match and token F1 over a block, equal to `text.overlap` to the last bit.

The loops compare hashes of tokens and, beyond eight bytes, the bytes: a hash of a shorter token determines it. So no
collision can count. A row with a character that depends on its neighbours takes the item form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import Floats, TextColumn
from steelyard.text.kernels.characters import GROWTH, character_table
from steelyard.text.kernels.compiled import Loop
from steelyard.text.overlap import exact_match, token_f1

_BYTES, _INTEGERS, _FLOATS = "uint8[::1]", "int64[::1]", "float64[::1]"

_overlap = Loop(
    "steelyard.text.kernels.loops.overlap",
    "overlap",
    (
        *(_BYTES, _INTEGERS, _INTEGERS),
        *(_BYTES, _INTEGERS, _INTEGERS),
        *(_BYTES, "uint32[::1]", _BYTES, "int64"),
        *(_BYTES, _INTEGERS, _INTEGERS, _INTEGERS),
        *(_FLOATS, _FLOATS, _INTEGERS),
    ),
)


@dataclass(frozen=True, slots=True)
class OverlapBlock:
    """Exact match and token F1 of each row."""

    exact_match: Floats
    f1: Floats


def overlap_block(
    predictions: TextColumn, references: TextColumn, *, normalize: Literal["basic", "squad"] = "basic"
) -> OverlapBlock:
    """Return exact match and token F1 of each prediction against its reference.

    >>> column = TextColumn.of
    >>> overlap_block(column(["The cat", "cats"]), column(["cat", "a dog"]), normalize="squad").f1.tolist()
    [1.0, 0.0]
    """
    count = len(predictions)
    exact, f1 = np.empty(count), np.empty(count)
    slow = np.empty(count, np.int64)
    table = character_table(normalize)
    left = _overlap(
        *arrays(predictions),
        *arrays(references),
        *(table.ascii, table.actions, table.pieces, int(normalize == "squad")),
        *_memory(longest(predictions), longest(references)),
        *(exact, f1, slow),
    )
    for row in slow[:left].tolist():
        prediction, reference = predictions[row], references[row]
        exact[row] = exact_match(prediction, reference, normalize=normalize)
        f1[row] = token_f1(prediction, reference, normalize=normalize)
    return OverlapBlock(exact, f1)


def arrays(column: TextColumn) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the arrays of a column as loops take them, without gaps between entries."""
    return column.data, np.ascontiguousarray(column.starts), np.ascontiguousarray(column.ends)


def longest(column: TextColumn) -> int:
    """Return the bytes of the longest row."""
    return int((column.ends - column.starts).max(initial=0))


def _memory(longest_prediction: int, longest_reference: int) -> tuple[npt.NDArray[np.generic], ...]:
    """Return room for one row: text, tokens, hash table, counts."""
    size = longest_prediction + longest_reference
    room = GROWTH * size + 32
    slots = 1 << max(3, (2 * (longest_reference + 2)).bit_length())
    return (
        np.empty(room, np.uint8),
        np.empty(3 * (size + 4), np.int64),
        np.zeros(slots, np.int64),
        np.empty(size + 4, np.int64),
    )
