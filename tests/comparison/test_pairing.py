"""Items paired by id and hash, in order and out of it."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.comparison.pairing import LISTED_ITEMS, listed_ids, pair_items
from steelyard.store.columns import StoredColumns
from tests.made_runs import make_run


class Keys:
    """Columns of ids and hashes only."""

    def __init__(self, pairs: list[tuple[str, str | None]]) -> None:
        import pyarrow as pa

        self._ids = pa.array([key for key, _ in pairs], pa.large_string())
        self._hashes = pa.array([content for _, content in pairs], pa.string())

    def __len__(self) -> int:
        return len(self._ids)

    def ids(self):
        return self._ids

    def hashes(self):
        return self._hashes

    def key_batches(self):
        yield self._ids, self._hashes


def plainly(first: list[tuple[str, str]], second: list[tuple[str, str]]) -> tuple[set, set, set, set]:
    """Pair in the obvious way."""
    before, after = dict(first), dict(second)
    shared = before.keys() & after.keys()
    paired = {key for key in shared if before[key] == after[key]}
    return paired, shared - paired, after.keys() - before.keys(), before.keys() - after.keys()


rows = st.dictionaries(st.text("abcd", min_size=1, max_size=2), st.sampled_from(["h1", "h2"]), max_size=8)


@given(first=rows, second=rows, mixed=st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_pairs_are_those_of_the_obvious_way(first, second, mixed):
    listed = [list(first.items()), list(second.items())]
    mixed.shuffle(listed[1])
    baseline, candidate = Keys(listed[0]), Keys(listed[1])
    found = pair_items(baseline, candidate)
    names = [key for key, _ in listed[1]]
    assert plainly(*listed) == (
        {names[row] for row in found.candidate_rows},
        {names[row] for row in found.edited_candidate},
        {names[row] for row in found.added},
        {listed[0][row][0] for row in found.removed},
    )
    for before, after in zip(found.baseline_rows, found.candidate_rows, strict=True):
        assert listed[0][before] == listed[1][after]


def test_an_item_without_a_hash_is_never_paired():
    found = pair_items(Keys([("a", None), ("b", "h")]), Keys([("a", None), ("b", "h")]))
    assert (found.baseline_rows.tolist(), found.edited_baseline.tolist()) == ([1], [0])


def test_as_many_ids_as_are_listed_are_listed():
    many = Keys([(f"{row}", "h") for row in range(LISTED_ITEMS + 5)])
    assert len(listed_ids(many, np.arange(len(many)))) == LISTED_ITEMS


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_stored_runs_of_several_row_groups_pair(tmp_path: Path, order: slice):
    size = 70_000
    names = [f"item-{row}" for row in range(size)]
    make_run(tmp_path, "a", np.zeros(size), ids=names)
    make_run(tmp_path, "b", np.zeros(size), ids=names[order])
    sides = [StoredColumns(tmp_path / name / "eval" / "items.parquet", primary="score") for name in "ab"]
    found = pair_items(*sides)
    assert found.whole
    assert (found.baseline_rows == np.arange(size)[order]).all()
