"""Research artifacts that are cut or changed anywhere: a run is read or unreadable, and nothing else happens."""

import copy
import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.kinds.research.reading import RequirementError, RunReader, read_golden
from steelyard.reading.limits import Limits
from steelyard.research.faults import ArtifactError
from steelyard.research.golden import parse_golden
from steelyard.research.runs import RunUnderJudgement, run_facts
from tests.research_artifacts import TEXT, claim, event, evidence, golden, output, step, write_run

WHOLE = output(claims=[claim("k1", "E1", evidence("E2"))], evidence=[evidence("E1")])
CHUNK = {"chunk_id": "c1", "source_id": "s1", "text": TEXT}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def folder(tmp_path):
    return write_run(tmp_path, "run_1", WHOLE, events=[event("r1", 1)], manifests=[step("r1", 1)], chunks=[CHUNK])


@pytest.mark.parametrize("name", ["research_output.json", "events.jsonl", "manifests.jsonl", "chunks.jsonl"])
def test_an_artifact_cut_at_any_byte_is_unreadable_or_has_fewer_lines(folder, name):
    data = (folder / name).read_bytes()
    for length in range(len(data)):
        (folder / name).write_bytes(data[:length])
        found = RunReader(folder.parent, Limits()).read(folder)
        lines = name.endswith("l") and (length == 0 or data[:length] == data.rstrip(b"\n"))
        assert found.readable is lines, length


def test_golden_queries_cut_at_any_byte_are_refused(tmp_path):
    path = tmp_path / "golden.json"
    data = json.dumps([golden("a", "E1"), golden("b", sufficient=False)]).encode()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(RequirementError):
            read_golden(path, Limits())


def paths(value, place=()):
    """Yield the place of every value inside a JSON value."""
    yield place
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield from paths(inner, (*place, key))


def changed(value, place, other):
    if not place:
        return other
    found = copy.deepcopy(value)
    holder = found
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = other
    return found


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(list(paths(WHOLE))), anything)
def test_an_output_with_anything_anywhere_is_judged_or_refused(place, other):
    run = RunUnderJudgement("run_1")
    try:
        run.add_output(changed(WHOLE, place, other))
    except ArtifactError:
        return
    run.expect_chunks()
    run.add_chunk(CHUNK)
    facts = run_facts(run.judgement(), has_entry=True)
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(list(paths([golden("a", "E1"), golden("b")]))), anything)
def test_golden_queries_with_anything_anywhere_are_read_or_refused(place, other):
    entries, faults = parse_golden(changed([golden("a", "E1"), golden("b")], place, other))
    assert bool(entries) or bool(faults)


@settings(max_examples=300, deadline=None)
@given(anything)
def test_events_manifests_and_chunks_of_any_shape_are_taken_or_refused(value):
    run = RunUnderJudgement("run_1")
    run.expect_chunks()
    for take in (run.steps.add_event, run.steps.add_manifest, run.add_chunk):
        with suppress(ArtifactError):
            take(value)
