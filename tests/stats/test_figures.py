"""Intervals of figures from draws: they hold the figure, and what so many units leave open."""

import numpy as np
import pytest

from steelyard.stats.matrices import figure_interval


def test_a_figure_that_every_draw_repeats_has_the_width_of_what_was_not_seen():
    found = figure_interval(np.full(1000, 100.0), 100.0, 50, "percent")
    # 1 - 0.025^(1/50) = 7.11 %: so frequent can an event be that none of 50 shows.
    assert (found.low, found.high) == (pytest.approx(92.89, abs=0.01), 100.0)
    found = figure_interval(np.zeros(1000), 0.0, 50, "bounded")
    assert (found.low, found.high) == (0.0, pytest.approx(0.0711, abs=1e-4))


def test_draws_that_all_lie_on_one_side_are_widened_to_the_figure():
    found = figure_interval(np.linspace(0.5, 0.6, 1000), 0.8, 100_000, "bounded")
    assert found.low == pytest.approx(0.5025, abs=1e-3)
    assert found.high >= 0.8


def test_a_figure_without_bounds_and_without_spread_has_none():
    found = figure_interval(np.full(1000, 3.0), 3.0, 50, "amount")
    assert (found.low, found.high, found.reason) == (None, None, "every resample gives the same figure")


@pytest.mark.parametrize("units", [0, 1])
def test_a_single_unit_shows_no_spread(units):
    assert figure_interval(np.full(10, 0.5), 0.5, units, "bounded").low is None
