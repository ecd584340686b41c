"""Sums that do not depend on order or partition, against `math.fsum`, which rounds once."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.bins import ExactSum, exact_sum

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@given(st.lists(FINITE, max_size=40))
def test_a_sum_is_rounded_once_like_fsum(values):
    assert exact_sum(np.array(values, np.float64)).value == math.fsum(values)


@given(st.lists(FINITE, max_size=40), st.randoms(use_true_random=False))
def test_order_and_partition_do_not_change_a_sum(values, random):
    whole = exact_sum(np.array(values, np.float64))
    shuffled = random.sample(values, len(values))
    cut = random.randint(0, len(values))
    parts = ExactSum()
    for part in (shuffled[:cut], shuffled[cut:]):
        parts.merge(exact_sum(np.array(part, np.float64)))
    assert parts == whole


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 10_000)), max_size=20))
def test_counts_stand_for_repeated_values(pairs):
    values = np.array([value for value, _ in pairs], np.float64)
    counts = np.array([count for _, count in pairs], np.int64)
    assert exact_sum(values, counts).value == math.fsum(np.repeat(values, counts).tolist())


def test_more_weight_than_can_be_added_without_rounding_is_refused():
    with pytest.raises(ValueError, match="without rounding"):
        exact_sum(np.array([1.0]), np.array([1 << 35]))


def test_subnormal_numbers_are_added_exactly():
    tiny = 5e-324
    assert exact_sum(np.array([tiny, 1.0, -1.0])).value == tiny
