"""A repeated run is the runs that were evaluated together, and no others."""

import shutil

import pytest

from steelyard.errors import IncomparableError, InputError
from steelyard.runs.repeated import with_repeats
from steelyard.runs.stored import open_run
from tests.made_runs import make_repeats, make_run


def test_a_run_without_repeats_stays_what_it_is(tmp_path):
    make_run(tmp_path, "a", [1, 0])
    run = open_run(tmp_path, "a")
    assert with_repeats(run) is run
    assert len(run.members) == 1


def test_a_repeat_that_is_not_there_is_told(tmp_path):
    make_repeats(tmp_path, "a", [[1, 0], [0, 1]])
    shutil.rmtree(tmp_path / "a.r2")
    with pytest.raises(InputError, match=r"\[run-damaged\].*a\.r2 is not there"):
        with_repeats(open_run(tmp_path, "a"))


def test_another_run_in_the_place_of_a_repeat_is_told(tmp_path):
    make_repeats(tmp_path, "a", [[1, 0], [0, 1]])
    shutil.rmtree(tmp_path / "a.r2")
    make_run(tmp_path, "a.r2", [1, 1])
    with pytest.raises(InputError, match="and another run is here"):
        with_repeats(open_run(tmp_path, "a"))


def test_repeats_that_were_not_judged_alike_are_refused(tmp_path):
    other = {"signatures": {"scorers": ["score@v2"], "metrics": [], "canonical": []}}
    make_repeats(tmp_path, "a", [[1, 0], [0, 1]], each=[{}, other])
    with pytest.raises(IncomparableError, match="differ in scorer") as caught:
        with_repeats(open_run(tmp_path, "a"))
    assert "steelyard rescore a.r2" in caught.value.problems[0].hint
