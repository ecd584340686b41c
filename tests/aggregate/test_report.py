"""The report of a run: the same whatever the blocks, slices that add up, and an interval on every mean."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.aggregate.report import Report
from steelyard.records.blocks import ErrorTags, Labels
from steelyard.records.plans import CorpusFigure
from tests.made_blocks import plan, scored_block

GENERATOR = np.random.default_rng(0)
SIZE = 90
SCORES = GENERATOR.choice([0.0, 0.25, 2 / 3, 1.0], SIZE)
F1 = np.where(GENERATOR.random(SIZE) < 0.1, np.nan, GENERATOR.random(SIZE))
SOURCES = GENERATOR.choice(["human", "synthetic", ""], SIZE).tolist()
LEVELS = GENERATOR.choice(["easy", "hard"], SIZE).tolist()
STATES = GENERATOR.choice(["scored", "missing", "unparsed"], SIZE, p=[0.8, 0.1, 0.1]).tolist()
TRUTH = GENERATOR.choice(["a", "b", "c"], SIZE).tolist()
GUESS = [None if state == "missing" else TRUTH[-row] for row, state in enumerate(STATES)]
LOSSES = GENERATOR.random(SIZE).tolist()
TOKENS = GENERATOR.integers(1, 50, SIZE).tolist()
COUNTS = GENERATOR.integers(0, 9, (SIZE, 2))
CONVERSATIONS = [f"c{row // 4}" if row % 9 else None for row in range(SIZE)]


def ratio(sums):
    return sums[:, 0] / np.maximum(sums[:, 1], 1)


PLAN = plan(
    metrics=("f1",),
    directions={"f1": "higher", "ratio": "higher"},
    classification=("accuracy", "macro_f1", "f1_per_class", "confusion_matrix"),
    slice_by=(("source",), ("level",), ("source", "level")),
    corpus={"ratio": CorpusFigure(2, ratio)},
    rules=("short",),
    losses=True,
    hard_examples=7,
)


def block(start, stop):
    rows = slice(start, stop)
    return scored_block(
        SCORES[rows],
        start=start,
        tags={"source": [value or None for value in SOURCES[rows]], "level": LEVELS[rows]},
        states=STATES[rows],
        error_tags=[("wrong_choice",) if score < 1 else () for score in SCORES[rows]],
        classes=(TRUTH[rows], GUESS[rows]),
        clusters=CONVERSATIONS[rows],
        scores={"f1": F1[rows], "rule.short": (SCORES[rows] > 0.5) * 1.0},
        counts={"ratio": COUNTS[rows]},
        details={"loss": LOSSES[rows], "n_tokens": TOKENS[rows]},
    )


def report_of(blocks, chosen=PLAN):
    report = Report(chosen)
    for part in blocks:
        report.update(part)
    return report


WHOLE = report_of([block(0, SIZE)]).results()


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, SIZE - 1), max_size=5, unique=True), st.booleans(), st.booleans())
def test_blocks_order_and_merging_do_not_change_a_bit(cuts, merged, clustered):
    chosen = plan(**{name: getattr(PLAN, name) for name in PLAN.__slots__} | {"clustered": clustered})
    edges = [0, *sorted(cuts), SIZE]
    blocks = [block(start, stop) for start, stop in itertools.pairwise(edges)]
    if merged:
        report, *others = [report_of([part], chosen) for part in reversed(blocks)]
        for other in others:
            report.merge(other)
    else:
        report = report_of(blocks[::-1], chosen)
    expected = WHOLE if not clustered else report_of([block(0, SIZE)], chosen).results()
    assert report.results() == expected


def test_the_slices_of_one_key_add_up_to_all_items():
    for slices in WHOLE["slices"].values():
        assert sum(entry["n"] for entry in slices.values()) == SIZE
        total = sum(entry["n"] * entry["score"] for entry in slices.values())
        assert total == pytest.approx(math.fsum(SCORES), abs=1e-9)


def test_missing_tags_go_to_untagged_at_the_end():
    assert list(WHOLE["slices"]["source"]) == ["human", "synthetic", "_untagged"]
    assert WHOLE["slices"]["source"]["_untagged"]["n"] == SOURCES.count("")


def test_cross_slices_are_named_by_their_values():
    assert "source=human & level=hard" in WHOLE["slices"]["source & level"]
    assert sum(entry["n"] for entry in WHOLE["slices"]["source & level"].values()) == SIZE


def test_a_slice_is_the_report_of_its_items():
    rows = [row for row in range(SIZE) if LEVELS[row] == "hard"]
    own = report_of([block(row, row + 1) for row in rows]).results()
    entry = WHOLE["slices"]["level"]["hard"]
    for name in ("score", "f1", "accuracy", "macro_f1", "ratio", "eval_loss", "perplexity", "f1_per_class"):
        assert entry[name] == own["metrics"][name]
    assert (entry["ci_low"], entry["ci_high"]) == tuple(
        own["metric_details"]["score"][end] for end in ("ci_low", "ci_high")
    )


def test_every_single_number_has_n_an_interval_its_method_and_a_direction():
    for name, entry in WHOLE["metric_details"].items():
        assert entry["ci_low"] <= entry["value"] <= entry["ci_high"], name
        assert entry["method"], name
        assert entry["n"] > 0, name
        assert entry["direction"] in ("higher", "lower"), name


def test_the_loss_is_weighted_by_tokens():
    expected = math.fsum(loss * tokens for loss, tokens in zip(LOSSES, TOKENS, strict=True)) / sum(TOKENS)
    assert WHOLE["metrics"]["eval_loss"] == pytest.approx(expected, abs=1e-12)
    assert WHOLE["metrics"]["perplexity"] == pytest.approx(math.exp(expected))


def test_losses_that_are_not_there_are_unavailable_with_the_reason():
    results = report_of([scored_block([1.0, 0.0])], plan(losses=True)).results()
    assert set(results["unavailable"]) == {"eval_loss", "perplexity"}
    assert "`loss` and `n_tokens`" in results["unavailable"]["eval_loss"]
    assert "eval_loss" not in results["metrics"]


def test_a_perplexity_beyond_all_numbers_is_null_with_the_reason():
    given = scored_block([1.0, 0.0], details={"loss": [900.0, 800.0], "n_tokens": [1, 1]})
    results = report_of([given], plan(losses=True)).results()
    assert results["metrics"]["perplexity"] is None
    assert "too large" in results["unavailable"]["perplexity"]
    assert results["metrics"]["eval_loss"] == 850.0


def test_each_format_rule_has_its_pass_rate():
    rule = WHOLE["format_rules"]["short"]
    assert (rule["value"], rule["n"], rule["method"]) == (float(np.mean(SCORES > 0.5)), SIZE, "wilson")


def test_the_scorecard_counts_states_and_keeps_unanswered_items_in_the_mean():
    card = WHOLE["scorecard"]
    assert card["n_items"] == card["n_scored"] + card["n_skipped"] == SIZE
    assert card["n_skipped"] == STATES.count("missing")
    assert card["primary_score"] == pytest.approx(float(np.mean(SCORES)))
    assert card["stddev"] == pytest.approx(float(np.std(SCORES)))


def test_tags_that_no_item_has_are_not_reported():
    made = scored_block([1.0, 0.0])
    made = replace(made, error_tags=ErrorTags([("empty_text",), (), ("wrong_choice",)], np.array([1, 2], np.int32)))
    assert report_of([made], plan()).error_tags == {"wrong_choice": 1}


def test_every_attribution_carries_the_notice():
    assert "do not prove causation" in WHOLE["notice"]
    assert WHOLE["hard_examples"]["notice"] == WHOLE["notice"]


def test_a_metric_without_any_value_is_null_with_the_reason():
    given = scored_block([1.0, 1.0], scores={"f1": np.array([np.nan, np.nan])})
    detail = report_of([given], plan(metrics=("f1",))).results()["metric_details"]["f1"]
    assert (detail["value"], detail["ci_low"], detail["n"]) == (None, None, 0)
    assert detail["reason"]


def test_a_key_with_more_than_a_thousand_values_is_no_slice_and_says_so():
    given = scored_block(np.ones(1500), tags={"id": [str(row) for row in range(1500)]})
    results = report_of([given], plan(slice_by=(("id",),))).results()
    assert results["slices"] == {}
    assert "more than 1000 values" in results["slices_left_out"]["id"]


def test_clusters_widen_every_interval():
    clusters = [str(row // 30) for row in range(600)]
    scores = (np.arange(600) // 30 % 3 > 0) * 1.0
    given = scored_block(scores, tags={"half": ["x", "y"] * 300}, clusters=clusters)
    alone, clustered = (
        report_of([given], plan(clustered=known, slice_by=(("half",),))).results() for known in (False, True)
    )

    def width(entry):
        return entry["ci_high"] - entry["ci_low"]

    assert width(clustered["metric_details"]["score"]) > 4 * width(alone["metric_details"]["score"])
    assert width(clustered["slices"]["half"]["x"]) > 3 * width(alone["slices"]["half"]["x"])
    assert clustered["design_effect"] == pytest.approx(30, rel=0.1)


def test_clusters_that_stand_whole_in_their_block_are_counted_to_the_same_results():
    clusters = [str(row // 3) for row in range(90)]
    blocks = [
        scored_block(SCORES[rows], start=rows.start, scores={"f1": F1[rows]}, clusters=clusters[rows])
        for rows in (slice(0, 30), slice(30, 36), slice(36, 90))
    ]
    kept, counted = (
        report_of(blocks, plan(metrics=("f1",), clustered=True, whole_clusters=known)).results()
        for known in (False, True)
    )
    assert counted == kept


def test_labels_that_first_show_up_in_a_later_block_get_their_column():
    report = report_of(
        [
            scored_block([1.0], classes=(["a"], ["a"])),
            scored_block([0.0], start=1, classes=(["b"], ["a"])),
        ],
        plan(classification=("confusion_matrix",)),
    )
    results = report.results()
    assert results["labels"] == ["a", "b"]
    assert results["metrics"]["confusion_matrix"] == [[1, 0], [1, 0]]


def test_tags_of_labels_need_no_names_in_common_between_blocks():
    first = scored_block([1.0], tags={"a": ["x"]})
    second = scored_block([0.0], start=1)
    slices = report_of([first, second], plan(slice_by=(("a",),))).results()["slices"]["a"]
    assert {name: entry["n"] for name, entry in slices.items()} == {"x": 1, "_untagged": 1}
    assert Labels.of(["x"]).value(0) == "x"
