"""Exact match and token F1 over rows of two columns."""
# ruff: noqa: ANN001, ANN201 - numba infers types from the calls; annotations would say nothing it reads

from __future__ import annotations

from numba import njit

from steelyard.text.kernels.loops.counting import f_measure, is_free, number_in, occupy, slot_of, table_mask
from steelyard.text.kernels.loops.memory import OPTIONS, equal_runs
from steelyard.text.kernels.loops.tokens import hash_tokens, normal_form


@njit(**OPTIONS)
def shared_tokens(text, tokens, predicted, total, table, counts, stamp):
    """Count the tokens that both have, each as often as both have it; prediction first, reference from `predicted` on."""
    mask = table_mask(total - predicted)
    for number in range(predicted, total):
        slot = slot_of(text, tokens, number, table, mask, stamp)
        if is_free(table, slot, stamp):
            occupy(table, slot, stamp, number)
            counts[number] = 1
        else:
            counts[number_in(table, slot)] += 1
    shared = 0
    for number in range(predicted):
        slot = slot_of(text, tokens, number, table, mask, stamp)
        if not is_free(table, slot, stamp) and counts[number_in(table, slot)] > 0:
            counts[number_in(table, slot)] -= 1
            shared += 1
    return shared


def overlap(
    data, starts, ends, other, other_starts, other_ends, ascii_table, actions, pieces, articles,
    text, tokens, table, counts, exact, f1, slow,
):  # fmt: skip
    """Fill `exact` and `f1`; return how many rows need the item form, their numbers in `slow`."""
    left = 0
    rules = (ascii_table, actions, pieces)
    for row in range(starts.shape[0]):
        start, end, other_start, other_end = starts[row], ends[row], other_starts[row], other_ends[row]
        exact[row] = f1[row] = 1.0
        if end - start == other_end - other_start and equal_runs(data, start, other, other_start, end - start):
            continue
        size, predicted = normal_form(data, start, end, rules, text, tokens, 0, 0, articles != 0)
        whole, total = -1, 0
        if size >= 0:
            whole, total = normal_form(
                other, other_start, other_end, rules, text, tokens, size, predicted, articles != 0
            )
        if whole < 0:
            slow[left] = row
            left += 1
        elif whole != 2 * size or not equal_runs(text, 0, text, size, size):
            exact[row] = 0.0
            hash_tokens(text, tokens, total)
            shared = shared_tokens(text, tokens, predicted, total, table, counts, row + 1)
            f1[row] = f_measure(shared, predicted, total - predicted)
    return left
