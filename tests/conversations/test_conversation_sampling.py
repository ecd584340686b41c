"""Stratified samples."""

import hashlib
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from steelyard.conversations.dataset import draw

POPULATION = [(f"c{number}", (2 + number % 3, number % 5 == 0)) for number in range(300)]


def test_strata_keep_their_share():
    sample = draw(POPULATION, 60, 42)
    chosen = Counter(stratum for identity, stratum in POPULATION if identity in sample.chosen)
    available = Counter(stratum for _, stratum in POPULATION)
    assert sum(chosen.values()) == len(sample.chosen) == 60
    assert all(abs(chosen[stratum] - 60 * count / 300) < 1 for stratum, count in available.items())


def test_a_seed_fixes_the_sample_whatever_the_order_of_the_file():
    assert draw(POPULATION, 60, 42).chosen == draw(POPULATION[::-1], 60, 42).chosen
    assert draw(POPULATION, 60, 42).chosen != draw(POPULATION, 60, 43).chosen


def test_a_sample_larger_than_the_dataset_is_the_dataset():
    sample = draw(POPULATION, 1000, 1)
    assert len(sample.chosen) == 300
    assert not sample.passed_over


def test_the_record_says_what_was_drawn_from_what():
    content = draw(POPULATION, 30, 7).as_dict()
    assert (content["size"], content["seed"], content["available"]) == (30, 7, 300)
    assert sum(entry["chosen"] for entry in content["strata"]) == 30
    assert sum(entry["available"] for entry in content["strata"]) == 300


@given(st.lists(st.integers(1, 4), min_size=1, max_size=40), st.integers(1, 50), st.integers(0, 5))
def test_a_sample_has_the_size_that_was_asked_for(turns, size, seed):
    sample = draw([(f"c{number}", (length, False)) for number, length in enumerate(turns)], size, seed)
    assert len(sample.chosen) == min(size, len(turns))


def test_every_conversation_is_chosen_or_passed_over_and_no_other_is_known():
    sample = draw(POPULATION, 60, 42)
    assert all((identity in sample.chosen) != (identity in sample.passed_over) for identity, _ in POPULATION)
    assert not any(f"d{number}" in sample.passed_over for number in range(300))


def test_the_lowest_ranks_of_each_stratum_are_chosen():
    sample = draw(POPULATION, 60, 42)
    for stratum, _, count in sample.strata:
        members = [identity for identity, found in POPULATION if found == stratum]
        ranked = sorted(members, key=lambda one: hashlib.blake2b(f"42:{one}".encode(), digest_size=8).digest())
        assert [identity in sample.chosen for identity in ranked] == [True] * count + [False] * (len(ranked) - count)
