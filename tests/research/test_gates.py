"""Gates: thresholds, equality by counts, statuses."""

import math

import pytest

from steelyard.errors import ConfigurationError
from steelyard.research.gates import DEFAULT_THRESHOLDS, GateVerdict, decide, overall, parse_thresholds
from steelyard.research.measures import EVIDENCE_COVERAGE, MANIFEST_INTEGRITY, RATIOS, measure


def verdict(good, total, threshold, ratio=EVIDENCE_COVERAGE):
    return GateVerdict(measure(ratio, [{ratio.numerator: good, ratio.denominator: total}]), threshold)


@pytest.mark.parametrize(
    ("good", "total", "threshold", "status"),
    [
        (19, 20, 0.95, "PASS"),
        (94, 100, 0.95, "FAIL"),
        (9, 10, 0.9, "PASS"),
        (3, 10, 0.3, "PASS"),  # 3 / 10 and 0.1 + 0.2 differ as floats
        (1, 3, 1 / 3, "PASS"),  # 0.3333333333333333 lies below a third
        (2, 3, 2 / 3, "PASS"),
        (10**16 - 1, 10**16, 1.0, "FAIL"),  # the quotient rounds to 1.0 as a float
        (10**17, 10**17, 1.0, "PASS"),
        (0, 5, 0.0, "PASS"),
        (0, 0, 0.0, "NOT_APPLICABLE"),
    ],
)
def test_a_gate_is_decided_by_counts(good, total, threshold, status):
    assert verdict(good, total, threshold).status == status


def test_a_threshold_prints_as_the_seed_writes_it():
    assert verdict(1, 1, 0.95).condition == ">= 0.95"
    assert verdict(1, 1, 1.0, MANIFEST_INTEGRITY).condition == "= 1.00"
    assert verdict(1, 1, 0.995, MANIFEST_INTEGRITY).condition == ">= 0.995"


@pytest.mark.parametrize(
    ("counts", "status"),
    [
        ([(1, 1), (1, 1), (1, 1), (1, 1)], "PASS"),
        ([(1, 1), (0, 0), (0, 0), (1, 1)], "PASS"),
        ([(1, 1), (1, 1), (1, 1), (0, 1)], "FAIL"),
        ([(0, 0), (0, 0), (0, 0), (0, 0)], "UNDECIDED"),
    ],
)
def test_one_gate_that_fails_fails_all_and_nothing_is_no_pass(counts, status):
    gated = RATIOS[:4]
    unit = {name: 0 for ratio in RATIOS for name in (ratio.numerator, ratio.denominator)}
    for ratio, (good, total) in zip(gated, counts, strict=True):
        unit |= {ratio.numerator: good, ratio.denominator: total}
    measured = {ratio.name: measure(ratio, [unit]) for ratio in gated}
    assert overall(decide(measured, DEFAULT_THRESHOLDS)) == status


def test_a_gates_file_is_a_mapping_or_a_list_of_rules():
    assert parse_thresholds({"golden_recall": 0.7, "manifest_integrity": 1}) == {
        "golden_recall": 0.7,
        "manifest_integrity": 1.0,
    }
    assert parse_thresholds({"gates": [{"metric": "golden_recall", "min": 0.7}]}) == {"golden_recall": 0.7}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"recall": 0.7}, "there is no gate 'recall'"),
        ({"golden_recall": 1.01}, "the number 1.01, expected a number from 0 to 1"),
        ({"golden_recall": -0.1}, "the number -0.1"),
        ({"golden_recall": math.nan}, "the number nan"),
        ({"golden_recall": True}, "true, expected a number"),
        ({"golden_recall": "0.7"}, "the text '0.7'"),
        ({"gates": [{"metric": "golden_recall", "max_drop": 0.1}]}, "expected an object with 'metric' and 'min'"),
        ({"gates": 3}, "a gate is the number 3"),
        ({"gates": [{"metric": "golden_recall", "min": 0.7}] * 2}, "the gate golden_recall stands twice"),
    ],
)
def test_a_threshold_that_cannot_be_meant_is_refused_at_load(values, message):
    with pytest.raises(ConfigurationError, match=message.replace("(", r"\(")):
        parse_thresholds(values)
