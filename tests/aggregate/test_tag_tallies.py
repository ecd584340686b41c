"""Moments by tag: exact, whatever the blocks, and adding up to all items."""

import itertools
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.aggregate.tallies import MAX_KEYS, MAX_VALUES, TagTallies
from steelyard.records.blocks import Labels

SCORES = st.one_of(st.sampled_from([0.0, 1.0]), st.integers(0, 400).map(lambda count: 2 * count / 801))
ROWS = st.lists(st.tuples(SCORES, st.sampled_from(["x", "y", None]), st.sampled_from(["u", None])), max_size=60)


def tallies_of(rows, cuts=()):
    tallies = TagTallies()
    edges = sorted({0, len(rows), *cuts})
    for start, stop in itertools.pairwise(edges):
        part = rows[start:stop]
        tags = {"a": Labels.of([row[1] for row in part]), "b": Labels.of([row[2] for row in part])}
        tallies.update(np.array([row[0] for row in part]), tags)
    return tallies


@given(ROWS, st.lists(st.integers(0, 60), max_size=4))
def test_means_are_exact_and_parts_add_up(rows, cuts):
    tallies = tallies_of(rows, [cut for cut in cuts if cut < len(rows)])
    grouped = defaultdict(list)
    for score, value, _ in rows:
        grouped[value or "_untagged"].append(score)
    breakdown = tallies.breakdown("a") if rows else {}
    assert {name: (moments.n, moments.mean) for name, moments in breakdown.items()} == {
        name: (len(scores), float(sum(map(Fraction, scores)) / len(scores))) for name, scores in grouped.items()
    }
    assert sum(moments.n for moments in breakdown.values()) == len(rows) == tallies.total.n


@given(ROWS, st.integers(0, 60))
def test_merged_parts_equal_the_whole(rows, cut):
    first, second, whole = tallies_of(rows[:cut]), tallies_of(rows[cut:]), tallies_of(rows)
    second.merge(first)
    assert sums_of(second) == sums_of(whole)


def sums_of(tallies):
    return {
        keys: {values: moments.sums.tolist() for values, moments in found.items()}
        for keys, found in tallies.searched().items()
    }


def test_a_block_without_the_tag_is_untagged():
    tallies = TagTallies()
    tallies.update(np.array([1.0, 0.0]), {"a": Labels.of(["x", "x"])})
    tallies.update(np.array([1.0]), {})
    assert {name: moments.n for name, moments in tallies.breakdown("a").items()} == {"x": 2, "_untagged": 1}


def test_a_key_with_too_many_values_is_left_out_and_named():
    tallies = TagTallies()
    for start in range(0, MAX_VALUES + 50, 50):
        values = [str(start + row) for row in range(50)]
        tallies.update(np.ones(50), {"id": Labels.of(values), "kind": Labels.of(["k"] * 50)})
    assert tallies.left_out == {"id"}
    assert list(tallies.searched()) == [("kind",)]


def test_only_the_first_keys_are_crossed():
    tallies = TagTallies()
    keys = [f"key{number:02}" for number in range(MAX_KEYS + 3)]
    tallies.update(np.ones(3), {key: Labels.of(["v"] * 3) for key in keys})
    pairs = [found for found in tallies.searched() if len(found) == 2]
    assert len(pairs) == MAX_KEYS * (MAX_KEYS - 1) // 2


def test_squares_serve_the_variance():
    values = np.random.default_rng(0).random(1000)
    tallies = TagTallies()
    tallies.update(values, {})
    assert tallies.total.squares == pytest.approx(float(np.sum(values**2)), rel=1e-12)
