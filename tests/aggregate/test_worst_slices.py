"""The search for weak slices finds a planted one and stays quiet where there is none."""

import numpy as np
import pytest
from made_blocks import plan, scored_block

from steelyard.aggregate import Report
from steelyard.aggregate.tallies import TagTallies
from steelyard.aggregate.worst_slices import worst_slices
from steelyard.records.blocks import Labels

KEYS = {"source": 4, "difficulty": 3, "topic": 8}


def sample(generator, size, rate, *, binary=True):
    tags = {key: generator.integers(0, count, size) for key, count in KEYS.items()}
    chance = rate(tags)
    scores = (generator.random(size) < chance) * 1.0 if binary else np.clip(generator.normal(chance, 0.2), 0, 1)
    tallies = TagTallies()
    tallies.update(scores, {key: Labels.of([f"{key}{code}" for code in codes]) for key, codes in tags.items()})
    return worst_slices(tallies)


@pytest.mark.parametrize("binary", [True, False])
def test_a_planted_weak_slice_is_found_first(binary):
    def rate(tags):
        return np.where(tags["topic"] == 5, 0.5, 0.8)

    worst = sample(np.random.default_rng(1), 2000, rate, binary=binary)[0]
    assert worst["slice"] == "topic=topic5"
    assert worst["p_value"] < 0.001
    assert worst["ci_low"] < worst["difference"] < worst["ci_high"] < 0


def test_a_planted_pair_is_found_where_neither_tag_alone_is_weak():
    def rate(tags):
        return np.where((tags["source"] == 1) & (tags["difficulty"] == 2), 0.3, 0.8)

    worst = sample(np.random.default_rng(2), 3000, rate)[0]
    assert worst["slice"] == "difficulty=difficulty2 & source=source1"
    assert worst["keys"] == ["difficulty", "source"]


@pytest.mark.slow
@pytest.mark.parametrize("binary", [True, False])
def test_data_without_weak_slices_alarms_in_at_most_5_percent_of_samples(binary):
    generator = np.random.default_rng(3)
    alarms = 0
    for _ in range(200):
        found = sample(generator, 600, lambda tags: np.full(600, 0.7), binary=binary)
        alarms += any(entry["p_value"] is not None and entry["p_value"] <= 0.05 for entry in found)
    # Holm holds the level at 5 %: more than 20 of 200 has a chance below 1 in 1,000.
    assert alarms <= 20


def test_small_slices_are_not_tested():
    tallies = TagTallies()
    tallies.update(np.array([0.0] * 4 + [1.0] * 40), {"a": Labels.of(["few"] * 4 + ["many"] * 40)})
    assert worst_slices(tallies) == []


def test_untagged_items_are_no_slice_of_their_own():
    tallies = TagTallies()
    tallies.update(np.array([0.0] * 20 + [1.0] * 20), {"a": Labels.of([None] * 20 + ["x"] * 20)})
    assert [entry["slice"] for entry in worst_slices(tallies)] == []


def test_clustered_items_count_for_less():
    generator = np.random.default_rng(4)
    conversations = np.arange(60).repeat(20)
    easy = (generator.random(60) < np.where(np.arange(60) < 20, 0.6, 0.8)).repeat(20) * 1.0
    tags = {"half": ["low" if name < 20 else "high" for name in conversations]}

    def p_value(**given):
        report = Report(plan(**given))
        report.update(scored_block(easy, tags=tags, clusters=[str(name) for name in conversations]))
        return report.results()["worst_slices"][0]["p_value"]

    assert p_value() < 1e-6
    assert p_value(clustered=True) > 0.01
