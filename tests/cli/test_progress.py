"""Progress in a log: nothing for short work, a line every ten seconds for long work, and a last one at its end."""

import pytest

from steelyard.cli import progress


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass only when a test says so, in a log."""
    now = [100.0]
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def told(clock, capfd, steps):
    with progress.asking_progress(shown=True) as asking:
        for seconds, done in steps:
            clock[0] += seconds
            asking(done, 40)
    return capfd.readouterr().err.splitlines()


def test_short_work_says_nothing(clock, capfd):
    assert told(clock, capfd, [(0, 0), (1, 20), (1, 40)]) == []


def test_long_work_says_how_far_it_is_and_when_it_is_done(clock, capfd):
    steps = [(0, 0), (5, 10), (5, 20), (5, 30), (5, 40), (0, 40)]
    assert told(clock, capfd, steps) == [
        "asking: 20 of 40 items, 2.0 a second, 10 s left",
        "asking: 40 of 40 items, 2.0 a second",
    ]


def test_what_a_run_had_before_it_was_resumed_does_not_count_for_its_rate(clock, capfd):
    assert told(clock, capfd, [(0, 30), (10, 35)]) == ["asking: 35 of 40 items, 0.5 a second, 10 s left"]


def test_json_is_not_disturbed():
    with progress.asking_progress(shown=False) as asking:
        assert asking is None
