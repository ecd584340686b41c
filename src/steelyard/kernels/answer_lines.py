"""Columns of text to the answers after their last answer markers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steelyard.kernels.compiled import BYTES, INTEGER, INTEGERS, Loop
from steelyard.kernels.memory import arrays
from steelyard.records.blocks import TextColumn

answer_lines_loop = Loop(
    "steelyard.kernels.loops.answer_lines",
    "answer_lines",
    (BYTES, INTEGERS, INTEGERS, INTEGER, INTEGERS, INTEGERS),
)


def answer_lines_block(
    column: TextColumn, *, marker_in_prompt: bool = False
) -> tuple[TextColumn, npt.NDArray[np.bool_]]:
    """Return what `canonical.answer_line` finds in texts, and in which of them this form can say so.

    >>> answers, found = answer_lines_block(TextColumn.of(["Answer: 4", "So the answer is 5.", "no answer"]))
    >>> list(answers), found.tolist()
    (['4', '5', ''], [True, True, False])
    """
    firsts, lasts = np.empty(len(column), np.int64), np.empty(len(column), np.int64)
    answer_lines_loop(*arrays(column), int(marker_in_prompt), firsts, lasts)
    found = firsts >= 0
    return TextColumn(column.data, np.where(found, firsts, 0), np.where(found, lasts, 0)), found
