"""The line of a run that hardly answered."""

import pytest

from steelyard.show.unanswered import hardly_answered, results_warnings

LINE = "nightly has no answer to 2 of its 3 items: more than half is unanswered"


def results(scored, items):
    return {"scorecard": {"n_items": items, "states": {"scored": scored}}}


@pytest.mark.parametrize(("scored", "lines"), [(3, []), (2, []), (1, [LINE])])
def test_more_than_half_without_an_answer_is_a_line(scored, lines):
    assert results_warnings("nightly", results(scored, 3)) == lines


def test_half_is_not_more_than_half():
    assert not hardly_answered("nightly", 40, 20)


def test_a_dry_run_says_itself_that_it_answered_nothing():
    assert results_warnings("nightly", results(0, 3), dry=True) == []


def test_a_hostile_name_stays_on_its_line():
    assert "\n" not in hardly_answered("a\n::error::", 2, 0)
