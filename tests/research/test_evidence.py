"""When evidence counts, and what is named when it does not."""

import pytest

from steelyard.research.evidence import Chunks, judge_citation, judge_evidence
from steelyard.research.faults import ArtifactError
from steelyard.research.outputs import Citation, Evidence
from tests.research_artifacts import TEXT, evidence


def judged(fields, text=TEXT):
    record = Evidence(fields.get("evidence_id"), fields)
    if text is None:
        return judge_evidence(record, None)
    chunks = Chunks([record])
    chunks.add({"chunk_id": "c1", "source_id": "s1", "text": text})
    return judge_evidence(record, chunks)


@pytest.mark.parametrize(
    ("changes", "missing", "faults"),
    [
        ({}, (), ()),
        ({"span": None, "page": 3}, (), ()),
        ({"span": None, "page": "iv"}, (), ()),
        ({"chunk_id": 4, "source_id": 9}, (), ()),
        ({"quote": None}, ("quote",), ()),
        ({"quote": "  "}, ("quote",), ()),
        ({"span": None}, ("locator",), ()),
        ({"chunk_id": None}, ("chunk_id",), ()),
        ({"source_id": ""}, ("source_id",), ()),
        ({"quote": None, "span": None, "chunk_id": None}, ("quote", "locator", "chunk_id"), ()),
        ({"quote": 12}, (), ("type_mismatch",)),
        ({"quote": False}, (), ("type_mismatch",)),
        ({"source_id": ["s"]}, (), ("type_mismatch",)),
        ({"span": None, "page": [3]}, (), ("type_mismatch",)),
        ({"span": {"start": 5, "end": 5}}, (), ("bad_span",)),
        ({"span": {"start": -1, "end": 5}}, (), ("bad_span",)),
        ({"span": {"start": 0, "end": 5.0}}, (), ("bad_span",)),
        ({"span": {"start": True, "end": 5}}, (), ("bad_span",)),
        ({"span": {"start": 0}}, (), ("bad_span",)),
        ({"span": [0, 5], "page": 3}, (), ("bad_span",)),
    ],
)
def test_evidence_counts_with_quote_locator_and_provenance(changes, missing, faults):
    found = judged(evidence(**changes), text=None)
    assert (found.missing, found.faults, found.counts) == (missing, faults, not missing and not faults)
    assert bool(found.detail) is not found.counts


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({}, ""),
        ({"quote": "reached \n  clay"}, ""),
        ({"quote": "at 4.2 m under the", "span": {"start": 24, "end": 42}}, ""),
        ({"span": None, "page": 2, "quote": "4.2 m under"}, ""),
        ({"span": {"start": 10, "end": 23}}, ""),
        ({"span": {"start": 9, "end": 23}}, "at span 9 to 23; it stands elsewhere in the chunk"),
        ({"quote": "reached Clay"}, "at span 11 to 23 nor anywhere in the chunk"),
        ({"quote": "reached sand"}, "nor anywhere in the chunk"),
        ({"span": {"start": 11, "end": 900}}, "the span ends at 900, but the chunk has 56 characters"),
        ({"span": None, "page": 2, "quote": "sand"}, "the quote does not stand in the chunk"),
        ({"chunk_id": "c9"}, "chunk 'c9' of source 's1' is not among the run's chunks"),
        ({"source_id": "s9"}, "chunk 'c1' of source 's9' is not among the run's chunks"),
    ],
)
def test_a_quote_must_stand_in_its_chunk_at_the_span(changes, detail):
    found = judged(evidence(**changes))
    assert found.faults == (("quote_mismatch",) if detail else ())
    assert detail in found.detail


def test_a_quote_is_not_looked_up_while_something_is_missing():
    assert judged(evidence(source_id=None)).faults == ()


def test_an_id_without_a_record_is_missing_its_record():
    found = judge_citation(Citation("E9", None), None)
    assert (found.missing, found.counts, found.detail) == (("record",), False, "the ledger has no evidence of this id")


def test_chunks_that_nobody_cites_are_not_kept():
    chunks = Chunks([Evidence("E1", evidence())])
    chunks.add({"chunk_id": "c2", "source_id": "s1", "text": "x"})
    assert chunks.text(("s1", "c2")) is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"chunk_id": "c1", "source_id": "s1"}, "'text' of the chunk is null, expected a text"),
        ({"chunk_id": "c1", "source_id": "s1", "text": 5}, "'text' of the chunk is the number 5"),
        ({"chunk_id": "c1", "text": "x"}, "the chunk has no 'source_id'"),
        ({"chunk_id": "c1", "source_id": "s1", "text": "other"}, "chunk 'c1' of source 's1' stands twice"),
    ],
)
def test_a_chunk_without_its_form_is_refused(value, message):
    chunks = Chunks([Evidence("E1", evidence())])
    chunks.add({"chunk_id": "c1", "source_id": "s1", "text": TEXT})
    with pytest.raises(ArtifactError, match=message):
        chunks.add(value)
