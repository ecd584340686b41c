"""Tags as the baseline had them: worked by hand over a few items."""

import numpy as np

from steelyard.comparison.pairing import Pairing
from steelyard.comparison.retagging import StandingTags
from steelyard.records.blocks import Labels

NOTHING = np.zeros(0, np.int64)


class Items:
    """Items that have tags and nothing else."""

    def __init__(self, **tags):
        self._tags = {key: Labels.of(values) for key, values in tags.items()}
        self._length = len(next(iter(tags.values())))

    def __len__(self):
        return self._length

    @property
    def tag_keys(self):
        return list(self._tags)

    def tag(self, key):
        return self._tags.get(key, Labels((), np.full(self._length, -1, np.int32)))


def paired(baseline, candidate, *, added=()):
    rows = np.array(candidate), np.array(baseline)
    return Pairing(rows[1], rows[0], NOTHING, NOTHING, np.array(added, np.int64), NOTHING)


def values(found):
    return [None if code < 0 else found.names[code] for code in found.codes.tolist()]


def test_a_paired_item_stands_where_the_baseline_had_it_and_a_new_one_where_it_is():
    baseline = Items(source=["a", "a", "b", None])
    candidate = Items(source=["z", "b", "b", "c", "d"])  # in another order: row 1 is the baseline's first item
    standing = StandingTags(baseline, candidate, paired([1, 0, 2, 3], [0, 1, 2, 3], added=[4]))
    assert values(standing.tag("source")) == ["a", "a", "b", None, "d"]
    assert {key: rows.tolist() for key, rows in standing.changed.items()} == {"source": [0, 1, 3]}
    before, after = standing.values("source")
    assert [(before[row], after[row]) for row in (0, 3, 4)] == [("a", "z"), (None, "c"), ("d", "d")]


def test_a_tag_that_the_baseline_never_had_is_the_runs_own():
    standing = StandingTags(Items(source=["a"]), Items(source=["a"], level=["1"]), paired([0], [0]))
    assert values(standing.tag("level")) == ["1"]
    assert not standing.changed


def test_a_tag_that_the_run_lost_stands_as_it_was():
    standing = StandingTags(Items(source=["a", "b"]), Items(level=["1", "1"]), paired([0, 1], [0, 1]))
    assert values(standing.tag("source")) == ["a", "b"]
    assert standing.changed["source"].tolist() == [0, 1]
