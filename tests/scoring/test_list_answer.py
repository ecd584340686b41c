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


def test_a_synonym_counts_as_its_item_whoever_names_it():
    wanted = ListAnswer(("ai", "earnings"), aliases=(("ai", ("人工智能", "Artificial Intelligence")),))
    assert list_answer(ListAnswer(("人工智能", "earnings")), wanted).primary == 1.0
    assert list_answer(ListAnswer(("artificial  intelligence", "AI")), wanted).sub_scores["f1"] == 2 / 3
    shared = list_answer(ListAnswer(("profits", "ai")), ListAnswer(("ai", "earnings")), aliases=("profits=earnings",))
    assert shared.primary == 1.0


def test_a_synonym_of_two_items_is_refused():
    wanted = ListAnswer(("a", "b"), aliases=(("a", ("x",)), ("b", ("x",))))
    with pytest.raises(ConfigurationError, match="means two answers"):
        list_answer(ListAnswer(("x",)), wanted)
