"""Exact match and token F1 over a block, equal to `text.overlap` to the last bit.

The loops compare hashes of tokens and, beyond eight bytes, the bytes: a hash of a shorter token determines it. So no
collision can count. A row with a character that depends on its neighbours takes the item form.

Beside them ROUGE, equal to `text.rouge`.
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
from steelyard.text.rouge import ngrams, pair_tokens, rouge_tokens, sequence_lcs
from steelyard.text.tokens import exact_match, token_f1, tokens

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


# ROUGE-1, ROUGE-2 and ROUGE-L over a block, equal to `text.rouge` (and so to rouge-score) to the last bit.
#
# A row with a character that the tables cannot judge by itself, or with a reference of many thousand tokens, takes
# the item form. So does everything with a stemmer: callers ask the item form for it.


_PLACES = 1 << 19
"""Room for the positions of each distinct token: references of up to 5,792 tokens, in four megabytes."""

rouge_loop = Loop(
    "steelyard.kernels.loops.rouge",
    "rouge",
    (
        *(BYTES, INTEGERS, INTEGERS),
        *(BYTES, INTEGERS, INTEGERS),
        *(BYTES, "uint32[::1]", BYTES, INTEGER, INTEGER),
        *(BYTES, INTEGERS, INTEGERS, INTEGERS, INTEGERS, INTEGERS, INTEGERS, INTEGERS, BYTES),
        *(FLOATS, FLOATS, FLOATS, BYTES, INTEGERS),
    ),
)


@dataclass(frozen=True, slots=True)
class RougeBlock:
    """The F-measures of each row, and which rows have no token on either side."""

    rouge1: Floats
    rouge2: Floats
    rouge_l: Floats
    nothing: npt.NDArray[np.bool_]
    """Whether neither text has a token that ROUGE counts."""


def rouge_block(
    predictions: TextColumn, references: TextColumn, *, pairs: bool = True, together: bool = True
) -> RougeBlock:
    """Return the measures of each prediction against its reference; without `pairs`, ROUGE-2 is not computed.

    `together` says whether both texts of a row are read by one rule, as in version 2.

    >>> column = TextColumn.of
    >>> rouge_block(column(["the cat sat on the mat"]), column(["the cat lay on a mat"])).rouge_l.tolist()
    [0.6666666666666666]
    """
    count = len(predictions)
    rouge1, rouge2, rouge_l = np.empty(count), np.empty(count), np.empty(count)
    flags, slow = np.empty(count, np.uint8), np.empty(count, np.int64)
    table = character_table("rouge")
    left = rouge_loop(
        *arrays(predictions),
        *arrays(references),
        *(table.ascii, table.actions, table.pieces, int(pairs), int(together)),
        *_room(longest(predictions), longest(references)),
        *(rouge1, rouge2, rouge_l, flags, slow),
    )
    nothing = flags == 3
    for row in slow[:left].tolist():
        texts = predictions[row], references[row]
        found, wanted = pair_tokens(*texts) if together else (rouge_tokens(texts[0]), rouge_tokens(texts[1]))
        rouge1[row] = ngrams(found, wanted, 1).fmeasure
        rouge2[row] = ngrams(found, wanted, 2).fmeasure if pairs else 0.0
        rouge_l[row] = sequence_lcs(found, wanted).fmeasure
        nothing[row] = not found and not wanted
    return RougeBlock(rouge1, rouge2, rouge_l, nothing)


def _room(longest_prediction: int, longest_reference: int) -> tuple[npt.NDArray[np.generic], ...]:
    """Return room for one row: text, tokens, hash table, names, counts, pairs, positions, a column."""
    size = longest_prediction + longest_reference
    slots = 1 << max(3, (2 * (longest_reference + 2)).bit_length())
    return (
        np.empty(GROWTH * size + 2 * 64, np.uint8),
        np.empty(3 * (size + 4), np.int64),
        np.zeros(slots, np.int64),
        np.empty(size + 4, np.int64),
        np.empty(max(slots, size + 4), np.int64),
        np.empty(slots, np.int64),
        np.empty(min(_PLACES, (longest_reference + 1) * (longest_reference // 64 + 1)), np.int64),
        np.empty(longest_reference // 64 + 1, np.int64),
        np.empty(64, np.uint8),
    )
