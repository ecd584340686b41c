"""Columns as codes: counted by group, they give what looking at each group's rows gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from steelyard.aggregate import groups as coded
from steelyard.aggregate.groups import Coded, TagGroups
from steelyard.aggregate.tallies import BlockMoments
from steelyard.records.blocks import Labels

SCORES = st.sampled_from([0.0, -0.0, 1.0, 1 / 3, 2 / 3, 0.1, 2**-25, 1 - 2**-53])


@st.composite
def blocks(draw, scores=SCORES):
    """Scores with one tag, which some items lack."""
    values = draw(hnp.arrays(np.float64, st.integers(1, 80), elements=scores))
    names = draw(st.lists(st.sampled_from(["x", "y", "z", None]), min_size=len(values), max_size=len(values)))
    return values, TagGroups({"a": Labels.of(names)}, len(values)).by(("a",))


@pytest.fixture(autouse=True)
def _short_blocks_too(monkeypatch):
    monkeypatch.setattr(coded, "FEWEST_ITEMS", 1)


@given(blocks(st.one_of(SCORES, st.just(np.nan))))
def test_counts_by_group_are_those_of_the_groups_rows(block):
    values, groups = block
    found = Coded.of(values)
    for rows, counts in zip(groups.rows(), found.by(groups), strict=True):
        part = values[rows]
        expected, times = np.unique(part[~np.isnan(part)] + 0.0, return_counts=True)
        held, counted = found.held(counts)
        assert held.tolist() == expected.tolist()
        assert counted.tolist() == times.tolist()


@given(blocks(), st.booleans())
def test_moments_by_codes_are_those_by_rows_to_the_last_bit(block, countable):
    values, groups = block
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coded, "MOST_CELLS", 1 << 18 if countable else 0)
        by_rows, by_codes = BlockMoments(values), BlockMoments(values, Coded.of(values))
        assert by_codes.whole().tolist() == by_rows.whole().tolist()
        assert by_codes.by(groups).tolist() == by_rows.by(groups).tolist()


def test_zeros_and_ones_are_their_own_codes():
    found = Coded.of(np.array([1.0, -0.0, 1.0]))
    assert (found.values.tolist(), found.codes.tolist()) == ([0.0, 1.0], [1, 0, 1])


def test_a_table_of_many_groups_is_not_made():
    groups = TagGroups({"id": Labels.of([str(number) for number in range(100)])}, 100).by(("id",))
    assert Coded.of(np.zeros(100)).is_countable_by(groups)
    wide = Coded(np.linspace(0, 1, 4000), np.zeros(100, np.int64))
    assert not wide.is_countable_by(groups)
