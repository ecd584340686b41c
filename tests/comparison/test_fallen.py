"""Slices that fell: how often equal runs are said to have one."""

import numpy as np
import pytest

from steelyard.comparison.fallen import fallen_slices
from steelyard.comparison.measures import measure
from steelyard.comparison.pairing import pair_items
from steelyard.runs.stored import open_run
from tests.made_runs import make_run

SIMULATIONS = 300


@pytest.mark.parametrize("kind", ["rate", "graded"])
def test_at_most_one_pair_of_equal_runs_in_twenty_has_a_slice_that_fell(tmp_path, kind):
    generator = np.random.Generator(np.random.PCG64(11))
    tags = {"one": [f"v{row % 5}" for row in range(200)], "two": [f"w{row % 3}" for row in range(200)]}
    for name in ("a", "b"):
        make_run(tmp_path, name, generator.random(200), tags=tags)
    sides = tuple(open_run(tmp_path, name).columns for name in ("a", "b"))
    pairing = pair_items(*sides)
    measured = measure("score", "higher", *sides)
    found = 0
    for _ in range(SIMULATIONS):
        first, second = generator.random((2, 200))
        if kind == "rate":
            first, second = (first < 0.8).astype(float), (second < 0.8).astype(float)
        drawn = type(measured)(first, second, "higher", "rate" if kind == "rate" else "bounded", rounds=1000)
        found += bool(fallen_slices(drawn, pairing, sides))
    assert found / SIMULATIONS <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / SIMULATIONS)


def test_lower_is_better_where_the_metric_says_so(tmp_path):
    tags = {"source": ["a"] * 20 + ["b"] * 20}
    make_run(tmp_path, "a", [0.0] * 40, tags=tags)
    make_run(tmp_path, "b", [1.0] * 10 + [0.0] * 30, tags=tags)
    sides = tuple(open_run(tmp_path, name).columns for name in ("a", "b"))
    pairing = pair_items(*sides)
    measured = measure("score", "higher", *sides)
    assert fallen_slices(measured, pairing, sides) == []
    (found,) = fallen_slices(measured, pairing, sides, lower=True)
    assert (found.key, found.value, found.paired.n, found.slices) == ("source", "a", 20, 2)
    assert found.p_drop == pytest.approx(2**-10)
