"""Exact match and token F1 over a block, equal to `text.overlap` to the last bit.

The loops compare hashes of tokens and, beyond eight bytes, the bytes: a hash of a shorter token determines it. So no
collision can count. A row with a character that depends on its neighbours takes the item form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from steelyard.kernels.characters import GROWTH, character_table
from steelyard.kernels.compiled import BYTES, FLOATS, INTEGER, INTEGERS, Loop
from steelyard.kernels.memory import arrays, longest
from steelyard.records.blocks import Floats, TextColumn
from steelyard.text.overlap import exact_match, token_f1
from steelyard.text.tokens import tokens

overlap_loop = Loop(
    "steelyard.kernels.loops.overlap",
    "overlap",
    (
        *(BYTES, INTEGERS, INTEGERS),
        *(BYTES, INTEGERS, INTEGERS),
        *(BYTES, "uint32[::1]", BYTES, INTEGER),
        *(BYTES, INTEGERS, INTEGERS, INTEGERS, BYTES),
        *(FLOATS, FLOATS, BYTES, INTEGERS),
    ),
)
same_loop = Loop(
    "steelyard.kernels.loops.overlap",
    "same_stripped",
    (BYTES, INTEGERS, INTEGERS, BYTES, INTEGERS, INTEGERS, FLOATS, INTEGERS),
)


@dataclass(frozen=True, slots=True)
class OverlapBlock:
    """Exact match and token F1 of each row."""

    exact_match: Floats
    f1: Floats
    empty: npt.NDArray[np.bool_]
    """Whether a prediction has no token."""


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
    flags, slow = np.empty(count, np.uint8), np.empty(count, np.int64)
    table = character_table(normalize)
    left = overlap_loop(
        *arrays(predictions),
        *arrays(references),
        *(table.ascii, table.actions, table.pieces, int(normalize == "squad")),
        *_memory(longest(predictions), longest(references)),
        *(exact, f1, flags, slow),
    )
    for row in slow[:left].tolist():
        prediction, reference = predictions[row], references[row]
        exact[row] = exact_match(prediction, reference, normalize=normalize)
        f1[row] = token_f1(prediction, reference, normalize=normalize)
        flags[row] = not tokens(prediction, normalize)
    return OverlapBlock(exact, f1, flags.astype(np.bool_))


def same_stripped_block(predictions: TextColumn, references: TextColumn) -> Floats:
    """Return 1 for each pair that is equal under the profile `strip_lower`, else 0.

    >>> same_stripped_block(TextColumn.of([" Paris", "a  b"]), TextColumn.of(["paris", "a b"])).tolist()
    [1.0, 0.0]
    """
    same, slow = np.empty(len(predictions)), np.empty(len(predictions), np.int64)
    left = same_loop(*arrays(predictions), *arrays(references), same, slow)
    for row in slow[:left].tolist():
        same[row] = exact_match(predictions[row], references[row], normalize="strip_lower")
    return same


def _memory(longest_prediction: int, longest_reference: int) -> tuple[npt.NDArray[np.generic], ...]:
    """Return room for one row: text, tokens, hash table, counts, 64 bytes to spare."""
    size = longest_prediction + longest_reference
    room = GROWTH * size + 2 * 64
    slots = 1 << max(3, (2 * (longest_reference + 2)).bit_length())
    return (
        np.empty(room, np.uint8),
        np.empty(3 * (size + 4), np.int64),
        np.zeros(slots, np.int64),
        np.empty(size + 4, np.int64),
        np.empty(64, np.uint8),
    )
