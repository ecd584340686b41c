"""Metrics over repeats: held to the formula of the paper that defined pass@k, to simulation and to plain counting."""

from collections import Counter
from statistics import fmean

import numpy as np
import pytest

from steelyard.records.runs import RepeatOutcomes
from steelyard.registry import bind_metric
from steelyard.scoring.metrics_repeats import majority, pass_at_k, tied


def passing(counts, n):
    """Return items of which so many of n repeats pass."""
    passed = np.arange(n)[None, :] < np.asarray(counts)[:, None]
    return RepeatOutcomes(passed, passed.astype(float), passed.astype(np.int64))


def of_the_paper(n, c, k):
    """Return pass@k as "Evaluating Large Language Models Trained on Code" computes it."""
    return 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))


@pytest.mark.parametrize("n", [2, 3, 10, 200])
def test_pass_at_k_is_the_published_estimator(n):
    for k in {1, 2, n // 2, n}:
        found = pass_at_k(passing(range(n + 1), n), k=k)
        assert found == pytest.approx([of_the_paper(n, c, k) for c in range(n + 1)], abs=1e-12)


def test_pass_at_k_is_unbiased():
    generator = np.random.default_rng(5)
    n, k, rate = 6, 3, 0.3
    found = pass_at_k(passing(generator.binomial(n, rate, 200_000), n), k=k)
    assert found.mean() == pytest.approx(1 - (1 - rate) ** k, abs=4 * found.std() / np.sqrt(200_000))


def test_more_attempts_than_repeats_are_refused():
    with pytest.raises(ValueError, match="k is 4, and there are 3 repeats"):
        pass_at_k(passing([1], 3), k=4)


def test_the_majority_is_what_counting_gives():
    generator = np.random.default_rng(2)
    answers = generator.integers(-1, 3, (500, 5))
    scores = np.where(answers == 1, 1.0, np.where(answers == 0, 0.25, 0.0))
    outcomes = RepeatOutcomes(scores >= 0.5, scores, answers)
    expected, ties = [], []
    for own, values in zip(answers.tolist(), scores.tolist(), strict=True):
        votes = Counter(answer for answer in own if answer >= 0)
        best = [answer for answer, count in votes.items() if count == max(votes.values())]
        expected.append(fmean(values[own.index(answer)] for answer in best) if best else 0.0)
        ties.append(len(best) > 1)
    assert majority(outcomes) == pytest.approx(expected)
    assert tied(outcomes).tolist() == ties


def test_each_has_a_name_and_a_signature_of_its_own():
    assert [(bind_metric(name).name, bind_metric(name).signature) for name in ("pass@1", "pass@5", "majority")] == [
        ("pass@1", "pass_at_k@v1|k=1"),
        ("pass@5", "pass_at_k@v1|k=5"),
        ("majority", "majority@v1"),
    ]
    assert bind_metric("pass_at_k", {"k": 5}).name == "pass@5"
