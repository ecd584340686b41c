"""What so many items are said to show, against the power that scipy's binomials give the exact test."""

import numpy as np
import pytest
from scipy.stats import binom

from steelyard.stats.detectable import TOO_FEW
from steelyard.stats.paired import compare_pairs


def compared(n, won, lost):
    return compare_pairs([0] * won + [1] * (n - won), [1] * (n - lost) + [0] * lost, kind="rate")


def power_of_mcnemar(n, changed, delta):
    """Return how often the two-sided exact test is under 5 %, counted over changed and lost items."""
    found = 0.0
    for discordant in range(n + 1):
        lost = np.arange(discordant + 1)
        p = np.minimum(1, 2 * binom.cdf(np.minimum(lost, discordant - lost), discordant, 0.5))
        chances = binom.pmf(lost, discordant, (changed + delta) / (2 * changed))
        found += binom.pmf(discordant, n, changed) * chances[p < 0.05].sum()
    return found


@pytest.mark.parametrize(
    ("n", "won", "lost"), [(10, 1, 3), (20, 2, 8), (50, 3, 8), (100, 1, 2), (200, 4, 10), (200, 8, 10), (400, 60, 60)]
)
def test_a_difference_that_so_many_items_can_show_is_found_in_four_of_five_cases(n, won, lost):
    shown = compared(n, won, lost).minimum_detectable
    changed = max((won + lost) / n, 0.1, shown)  # few changes seen prove little: one item in ten may change
    assert power_of_mcnemar(n, changed, shown) == pytest.approx(0.8, abs=0.01)


def test_a_run_that_changed_nothing_still_says_what_could_have_been_shown():
    assert compared(200, 0, 0).minimum_detectable == compared(200, 10, 10).minimum_detectable


@pytest.mark.parametrize("kind", ["rate", "bounded", "unbounded"])
@pytest.mark.parametrize("n", [2, 5])
def test_items_of_which_no_test_can_be_significant_show_nothing(n, kind):
    """All of five worse has a two-sided p of 2 / 32."""
    found = compare_pairs([1.0] * n, [0.0] * (n - 1) + [1.0], kind=kind)
    assert found.minimum_detectable is None
    assert found.reason == TOO_FEW


def test_values_without_bounds_that_do_not_differ_tell_nothing_of_what_could_be_shown():
    assert compare_pairs(np.arange(50.0), np.arange(50.0), kind="unbounded").minimum_detectable is None


@pytest.mark.parametrize("n", [8, 20, 60])
def test_sign_flips_find_what_other_values_are_said_to_show(n):
    generator = np.random.default_rng(n)

    def results(delta):
        changes = generator.normal(delta, 1.0, (400, n))
        return [compare_pairs(np.zeros(n), row, kind="unbounded", rounds=500) for row in changes]

    shown = float(np.median([found.minimum_detectable for found in results(0.0)]))
    assert np.mean([found.p_value < 0.05 for found in results(shown)]) == pytest.approx(0.8, abs=0.09)
