"""What holds for every set of research artifacts, found by generating them."""

from __future__ import annotations

import copy
import json
import random
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steelyard.kinds.research.order import ResearchOptions, evaluate_research
from steelyard.research.gates import GateVerdict
from steelyard.research.measures import EVIDENCE_COVERAGE, RATIOS, measure
from tests.research_artifacts import TEXT, claim, event, evidence, golden, output, step, write_run

OBJECTIVES = ("alpha", "beta", "gamma", "delta")
IDS = ("E1", "E2", "E3")
CHUNK = {"chunk_id": "c1", "source_id": "s1", "text": TEXT}

records = st.builds(
    evidence,
    st.sampled_from(IDS),
    quote=st.sampled_from(["reached clay", "reached sand", None]),
    span=st.sampled_from([{"start": 11, "end": 23}, None]),
    source_id=st.sampled_from(["s1", "s2", None]),
)
claims = st.lists(
    st.tuples(
        st.sampled_from(["verified", "candidate"]), st.lists(st.one_of(st.sampled_from(IDS), records), max_size=2)
    ),
    max_size=3,
)


@st.composite
def runs(draw, number: int = 0):
    """One run: its output, its events, its manifests, its chunks or None."""
    name = f"r{number}"
    ledger = {record["evidence_id"]: record for record in draw(st.lists(records, max_size=3))}
    content = output(
        name,
        draw(st.sampled_from(OBJECTIVES)),
        stop_reason=draw(st.sampled_from(["NO_EVIDENCE", "OBJECTIVE_ACHIEVED", "BUDGET_EXCEEDED"])),
        claims=[claim(f"k{place}", *cited, status=status) for place, (status, cited) in enumerate(draw(claims))],
        evidence=list(ledger.values()),
    )
    steps = draw(st.lists(st.integers(1, 4), max_size=4))
    manifests = draw(st.lists(st.integers(1, 5), max_size=4))
    return {
        "content": content,
        "events": [event(name, found) for found in steps],
        "manifests": [step(name, found) for found in manifests],
        "chunks": draw(st.sampled_from([None, [CHUNK]])),
    }


@st.composite
def evaluations(draw):
    entries = []
    for objective in draw(st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=3, unique=True)):
        sufficient = draw(st.booleans())
        required = draw(st.lists(st.sampled_from(IDS), max_size=3)) if sufficient else []
        entries.append(golden(objective, *required, sufficient=sufficient))
    return entries, [draw(runs(number)) for number in range(draw(st.integers(1, 4)))]


def judged(entries, found, names=None):
    """Return the report of artifacts, written in the order given, and the facts of runs."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "golden.json").write_text(json.dumps(entries))
        for place in names or range(len(found)):
            run = found[place]
            files = {name: run[name] for name in ("events", "manifests", "chunks")}
            write_run(root / "outputs", f"run_{place}", run["content"], **files)
        options = ResearchOptions(golden=root / "golden.json", outputs=root / "outputs", store=False)
        with evaluate_research(options) as evaluation:
            objectives = list(evaluation.objective_facts())
            return {**evaluation.report, "objectives": objectives}, list(evaluation.run_facts())


def value(report, name):
    return report["metrics"][name]["value"]


campaign = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@campaign
@given(evaluations())
def test_every_value_lies_between_0_and_1_or_is_null(evaluation):
    report, _ = judged(*evaluation)
    for ratio in RATIOS:
        facts = report["metrics"][ratio.name]
        assert 0 <= facts["numerator"] <= facts["denominator"]
        assert (facts["value"] is None) == (facts["denominator"] == 0)
        ends = (facts["ci_low"], facts["ci_high"])
        assert ends == (None, None) or 0 <= ends[0] <= ends[1] <= 1
    assert all(0 <= objective["score"] <= 1 for objective in report["objectives"])


@campaign
@given(evaluations(), st.randoms(use_true_random=False))
def test_the_order_in_which_files_are_written_does_not_matter(evaluation, shuffle: random.Random):
    entries, found = evaluation
    names = list(range(len(found)))
    shuffle.shuffle(names)
    assert judged(entries, found) == judged(entries, found, names)


@campaign
@given(evaluations(), st.integers(0, 3), records)
def test_adding_evidence_never_lowers_coverage_or_recall(evaluation, place, record):
    entries, found = evaluation
    more = copy.deepcopy(found)
    content = more[place % len(more)]["content"]
    if record["evidence_id"] not in {known["evidence_id"] for known in content["evidence"]}:
        content["evidence"].append(record)
    for cited in content["claims"]:
        cited["evidence"].append(record)
    before, after = judged(entries, found)[0], judged(entries, more)[0]
    for name in ("evidence_coverage_rate", "golden_recall"):
        assert value(before, name) is None or value(after, name) >= value(before, name)


@campaign
@given(evaluations(), st.data())
def test_removing_a_manifest_never_raises_integrity(evaluation, data):
    entries, found = evaluation
    written = [(run, place) for run in found for place in range(len(run["manifests"]))]
    before = judged(entries, found)[0]
    if written:
        run, place = data.draw(st.sampled_from(written))
        removed = run["manifests"].pop(place)
        after = judged(entries, found)[0]
        run["manifests"].insert(place, removed)
        name = "manifest_integrity"
        assert value(after, name) is None or value(after, name) <= value(before, name)


@campaign
@given(evaluations(), st.integers(0, 3))
def test_a_line_that_cannot_be_read_fails_integrity_and_raises_nothing(evaluation, place):
    entries, found = evaluation
    broken = copy.deepcopy(found)
    broken[place % len(broken)]["events"].append("not an event")
    before, after = judged(entries, found)[0], judged(entries, broken)[0]
    assert after["gates"][3]["status"] == "FAIL"
    for name in ("evidence_coverage_rate", "golden_recall", "abstention_accuracy", "manifest_integrity"):
        assert value(before, name) is None or value(after, name) <= value(before, name)


@campaign
@given(evaluations(), st.floats(0, 1), st.floats(0, 1))
def test_raising_a_threshold_never_turns_fail_into_pass(evaluation, first, second):
    entries, found = evaluation
    low, high = sorted((first, second))
    statuses = [_gate(entries, found, threshold) for threshold in (low, high)]
    assert statuses != ["FAIL", "PASS"]


def _gate(entries, found, threshold):
    counts = [objective["counts"] for objective in judged(entries, found)[0]["objectives"]]
    return GateVerdict(measure(EVIDENCE_COVERAGE, counts), threshold).status
