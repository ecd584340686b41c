"""Holm's correction against statsmodels."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from steelyard.stats.flips import holm


@settings(max_examples=10)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_equals_statsmodels(p_values):
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1], abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_an_undefined_p_is_no_test(p_values):
    with_none = [entry for p in p_values for entry in (p, None)]
    assert holm(with_none)[::2] == holm(p_values)
    assert holm(with_none)[1::2] == [None] * len(p_values)
