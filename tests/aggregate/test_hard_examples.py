"""Hard examples: seed 001's keys, the lowest first, ties in dataset order, and which tags they have too often."""

import hashlib
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.aggregate.report import Report
from steelyard.records.blocks import Labels
from tests.made_blocks import plan, scored_block

SEED_KEYS = [
    "rank", "primary_metric", "primary_metric_name", "prediction", "reference", "input", "tags", "input_hash",
]  # fmt: skip


def report_of(*blocks, **given):
    report = Report(plan(**given))
    for block in blocks:
        report.update(block)
    return report


def test_an_entry_has_the_seeds_keys_first_and_in_order():
    block = scored_block([0.25], tags={"source": ["human"]}, inputs=["x" * 700])
    entry = report_of(block).hard.entries()[0]
    assert list(entry)[:8] == SEED_KEYS
    assert (entry["rank"], entry["primary_metric"], entry["primary_metric_name"]) == (1, 0.25, "score")
    assert entry["input"] == "x" * 500
    assert entry["input_hash"] == "sha256:" + hashlib.sha256(b"x" * 700).hexdigest()
    assert entry["tags"] == {"source": "human"}


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=40), st.lists(st.integers(0, 40), max_size=4), st.randoms())
def test_the_lowest_are_kept_in_dataset_order_whatever_the_order_of_blocks(scores, cuts, random):
    edges = sorted({0, len(scores), *(cut for cut in cuts if cut < len(scores))})
    blocks = [scored_block(scores[start:stop], start=start) for start, stop in itertools.pairwise(edges)]
    random.shuffle(blocks)
    found = [entry["item_id"] for entry in report_of(*blocks, hard_examples=5).hard.entries()]
    order = sorted(range(len(scores)), key=lambda row: (scores[row], row))
    assert found == [f"item-{row}" for row in order[:5]]


def test_none_are_kept_where_none_are_wanted():
    assert report_of(scored_block([0.0]), hard_examples=0).hard.entries() == []


def test_text_is_ranked_by_f1():
    block = scored_block([1.0, 0.0], scores={"f1": np.array([0.1, 0.9])})
    entry = report_of(block, metrics=("f1",), hard_by="f1").hard.entries()[0]
    assert (entry["item_id"], entry["primary_metric"], entry["primary_metric_name"]) == ("item-0", 0.1, "f1")


def test_a_classification_is_ranked_by_the_probability_of_the_true_label():
    block = scored_block(
        [1.0, 0.0, 0.0],
        confidence=np.array([0.4, 0.3, np.nan]),
        confidence_kind=Labels.of(["true_label_probability", "confidence", None]),
    )
    entries = report_of(block, hard_by="confidence").hard.entries()
    assert [(entry["item_id"], entry["primary_metric"], entry["primary_metric_name"]) for entry in entries] == [
        ("item-2", 0.0, "accuracy"),
        ("item-1", 0.3, "confidence"),
        ("item-0", 0.4, "true_label_probability"),
    ]


def test_a_classification_without_confidences_is_ranked_by_correctness():
    block = scored_block([1.0, 0.0], confidence=np.array([np.nan, np.nan]), confidence_kind=Labels.of([None, None]))
    report = report_of(block, hard_by="confidence")
    assert [entry["item_id"] for entry in report.hard.entries()] == ["item-1", "item-0"]
    assert report.results()["hard_examples"]["primary_metric_name"] == "accuracy"


def test_the_summary_states_which_tags_are_over_represented():
    # 35 of 100 items are synthetic, and 4 of the 5 hardest are.
    sources = ["synthetic"] * 35 + ["human"] * 65
    scores = [0.0] * 4 + [1.0] * 31 + [0.0] + [1.0] * 64
    report = report_of(scored_block(scores, tags={"source": sources}), hard_examples=5)
    summary = report.results()["hard_examples"]
    assert summary["over_represented"] == [
        {
            "tag": "source=synthetic",
            "tied_share": 0.8,
            "n_hard": 4,
            "hard_share": 0.8,
            "item_share": 0.35,
            "lift": pytest.approx(0.8 / 0.35),
        }
    ]
    assert "do not prove causation" in summary["notice"]


def test_a_pair_of_tags_that_holds_most_hard_examples_is_named():
    tags = {
        "difficulty": ["hard"] * 20 + ["hard"] * 20 + ["easy"] * 60,
        "length": ["long"] * 20 + ["short"] * 20 + ["long"] * 60,
    }
    report = report_of(scored_block([0.0] * 20 + [1.0] * 80, tags=tags), hard_examples=20)
    assert report.results()["hard_examples"]["over_represented"][0]["tag"] == "difficulty=hard & length=long"


def test_a_share_that_only_the_order_of_the_dataset_makes_is_left_out():
    # Every second item is wrong in both halves; the five listed are all from the first half.
    halves = ["first"] * 50 + ["second"] * 50
    summary = report_of(scored_block([0.0, 1.0] * 50, tags={"half": halves}), hard_examples=5).results()[
        "hard_examples"
    ]
    assert (summary["n"], summary["n_tied"]) == (5, 45)
    assert summary["over_represented"] == []


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=40), st.lists(st.integers(0, 40), max_size=4), st.randoms())
def test_items_as_low_as_the_last_are_counted_whatever_the_order_of_blocks(scores, cuts, random):
    edges = sorted({0, len(scores), *(cut for cut in cuts if cut < len(scores))})
    blocks = [scored_block(scores[start:stop], start=start) for start, stop in itertools.pairwise(edges)]
    random.shuffle(blocks)
    reports = [report_of(block, hard_examples=5) for block in blocks]
    whole = report_of(*blocks, hard_examples=5)
    first = reports[0] if reports else report_of(hard_examples=5)
    for other in reports[1:]:
        first.merge(other)
    bound = sorted(scores)[4] if len(scores) >= 5 else None
    expected = scores.count(bound) - sorted(scores)[:5].count(bound) if bound is not None else 0
    assert whole.hard.tied.total.n == first.hard.tied.total.n == expected
