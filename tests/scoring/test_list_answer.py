"""`list@v1`: sentences, weights, and a large list in time."""

import time

import pytest

from steelyard.errors import ConfigurationError
from steelyard.records.answers import ListAnswer
from steelyard.scoring.list_answer import list_answer


@pytest.mark.parametrize("weight", [-0.1, 1.1])
def test_a_weight_lies_in_0_to_1(weight):
    with pytest.raises(ConfigurationError, match="order_weight"):
        list_answer(ListAnswer(("a",)), ListAnswer(("a",)), order_weight=weight)


def test_its_sentence_says_what_to_add_drop_and_reorder():
    score = list_answer(ListAnswer(("c", "b", "x", "x")), ListAnswer(("b", "c", "d"), ordered=True))
    assert score.explain == (
        "Expected 3 items, found 3; missing 'd'; not expected 'x'; the shared items stand in another order; "
        "repeated 'x'."
    )


def test_two_long_lists_in_opposite_order_take_no_time():
    items = tuple(str(number) for number in range(5000))
    start = time.perf_counter()
    score = list_answer(ListAnswer(items[::-1]), ListAnswer(items, ordered=True))
    assert score.sub_scores["order_score"] == 1 / 5000
    assert time.perf_counter() - start < 5
