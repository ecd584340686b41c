"""Steps and manifests."""

import pytest

from steelyard.research.faults import ArtifactError
from steelyard.research.outputs import StepLedger
from tests.research_artifacts import event, step


def ledger(events=(), manifests=()):
    found = StepLedger()
    for value in events:
        found.add_event(value)
    for value in manifests:
        found.add_manifest(value)
    return found


def test_a_step_with_many_events_is_one_step():
    assert ledger([event("r", 1), event("r", 1), event("r", 2)]).total == 2


def test_a_manifest_belongs_to_the_step_of_its_own_run():
    found = ledger([event("r", 1)], [step("other", 1)])
    assert (found.total, found.without_manifest, found.without_event) == (2, [("r", "s1")], [("other", "s1")])


def test_a_step_that_only_a_manifest_tells_of_is_a_step():
    assert ledger([], [step("r", 1)]).total == 1


@pytest.mark.parametrize(
    ("written", "listed"),
    [
        ([10, 9, 100], ["9", "10", "100"]),
        (["s10", "s2", "s"], ["s", "s2", "s10"]),
        (["2b", "plan-1", "10", "a", "2"], ["2", "2b", "10", "a", "plan-1"]),
        (["1" * 5000, "2"], ["2", "1" * 5000]),
    ],
)
def test_numbered_steps_are_listed_by_number(written, listed):
    events = [{"run_id": "r", "step_id": name, "event_type": "PLAN"} for name in written]
    assert [name for _, name in ledger(events).without_manifest] == listed


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x", "the event is the text 'x', expected an object"),
        ({"run_id": "r", "step_id": "1"}, "the event has no 'event_type'"),
        ({"run_id": "r", "step_id": "1", "event_type": "THINK"}, "expected one of COMPILE, PLAN, ACT"),
        ({"run_id": "r", "event_type": "ACT"}, "the event has no 'step_id'"),
        ({"run_id": "r", "step_id": None, "event_type": "ACT"}, "'step_id' of the event is null"),
    ],
)
def test_an_event_without_its_form_is_refused(value, message):
    with pytest.raises(ArtifactError, match=message):
        ledger([value])


def test_a_manifest_without_a_step_is_refused():
    with pytest.raises(ArtifactError, match="the manifest has no 'step_id'"):
        ledger([], [{"run_id": "r"}])
