"""The search for weak slices finds a planted one and stays quiet where there is none."""

import numpy as np
import pytest

from steelyard.aggregate.report import Report
from steelyard.aggregate.tallies import TagTallies
from steelyard.aggregate.worst_slices import WeakSlices
from steelyard.records.blocks import Labels
from steelyard.stats.binning import ValueCounts
from tests.made_blocks import plan, scored_block

KEYS = {"source": 4, "difficulty": 3, "topic": 8}


def sample(generator, size, rate, *, binary=True):
    tags = {key: generator.integers(0, count, size) for key, count in KEYS.items()}
    chance = rate(tags)
    kind = "rate" if binary else "bounded"
    scores = (generator.random(size) < chance) * 1.0 if binary else np.clip(generator.normal(chance, 0.2), 0, 1)
    return searched(scores, {key: [f"{key}{code}" for code in codes] for key, codes in tags.items()}, kind).worst()


def searched(scores, tags, kind="rate"):
    tallies = TagTallies()
    tallies.update(np.array(scores), {key: Labels.of(values) for key, values in tags.items()})
    return WeakSlices(tallies, ValueCounts(scores), kind)


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


def near_one(generator, shape):
    return np.where(generator.random(shape) < 0.95, 1.0, generator.random(shape))


DRAWS = {
    "0/1": lambda generator, size: (generator.random(size) < 0.7) * 1.0,
    "f1": lambda generator, size: np.round(generator.beta(0.8, 0.6, size), 1),
    "rouge": lambda generator, size: generator.beta(4, 1.2, size),
    "near 1": near_one,
}


@pytest.mark.slow
@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_data_without_weak_slices_alarms_in_at_most_5_percent_of_samples(draw):
    generator = np.random.default_rng(3)
    alarms = 0
    for _ in range(200):
        tags = {key: [f"{key}{code}" for code in generator.integers(0, count, 200)] for key, count in KEYS.items()}
        alarms += any(entry["p_value"] <= 0.05 for entry in searched(draw(generator, 200), tags).worst())
    # More than 20 of 200 has a chance below 1 in 1,000 where the level of 5 % is held.
    assert alarms <= 20


def test_small_slices_are_not_tested():
    found = searched([0.0] * 4 + [1.0] * 40, {"a": ["few"] * 4 + ["many"] * 40})
    assert (found.worst(), found.search()["n_slices"]) == ([], 0)


def test_untagged_items_are_no_slice_of_their_own():
    assert searched([0.0] * 20 + [1.0] * 20, {"a": [None] * 20 + ["x"] * 20}).worst() == []


def test_the_search_says_how_many_slices_it_had_and_what_they_could_show():
    found = searched([0.0, 1.0, 1.0, 1.0] * 50, {"a": ["x"] * 20 + ["y"] * 180, "b": ["u", "v"] * 100}).search()
    assert (found["n_slices"], found["smallest"]["n"], found["largest"]["n"]) == (8, 10, 100)
    assert found["largest"]["gap"] < 0.25 < found["smallest"]["gap"]


def test_scores_that_are_all_alike_have_no_weak_slice():
    assert searched([0.5] * 40, {"a": ["x", "y"] * 20}).worst() == []


def test_no_items_have_no_slices():
    nothing = WeakSlices(TagTallies(), ValueCounts([]))
    assert (nothing.worst(), nothing.search()["n_slices"]) == ([], 0)


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
