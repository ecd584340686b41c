"""`research_output.json`: what is read, and what makes a run unreadable."""

import pytest

from steelyard.research.faults import ArtifactError
from steelyard.research.outputs import parse_output
from tests.research_artifacts import claim, evidence, output


def test_a_claim_cites_by_id_inline_or_by_an_object_with_nothing_but_the_id():
    found = parse_output(
        output(claims=[claim("k1", "E1", {"evidence_id": "E1"}, evidence("E2"))], evidence=[evidence("E1")])
    )
    by_id, by_object, inline = found.claims[0].citations
    assert by_id.record is by_object.record is found.ledger["E1"]
    assert inline.record.fields["quote"] == "reached clay"
    assert "E2" not in found.ledger


def test_an_id_that_the_ledger_does_not_have_leads_to_no_record():
    found = parse_output(output(claims=[claim("k1", "E9")]))
    assert found.claims[0].citations[0].record is None


def test_whole_numbers_are_ids_as_text():
    found = parse_output(output(7, claims=[claim(1, 5)], evidence=[evidence(5)]))
    assert (found.run_id, found.claims[0].claim_id, list(found.ledger)) == ("7", "1", ["5"])


def test_a_record_that_stands_twice_is_one():
    assert len(parse_output(output(evidence=[evidence("E1"), evidence("E1")])).ledger) == 1


def test_summary_metadata_and_ledger_may_be_absent():
    values = output()
    for key in ("summary", "metadata", "evidence"):
        del values[key]
    assert parse_output(values).ledger == {}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "the output is a list of 0, expected an object"),
        (output(claims={}), "'claims' of the output is an object, expected a list"),
        ({key: value for key, value in output().items() if key != "claims"}, "the output has no 'claims'"),
        (output(objective=" "), "'objective' of the output is an empty text, expected a text"),
        (output(stop_reason="DONE"), "'stop_reason' of the output is the text 'DONE', expected one of OBJECTIVE_"),
        (output(stop_reason=None), "'stop_reason' of the output is null"),
        (output(run_id=True), "'run_id' of the output is true, expected an id"),
        (output(run_id=1.5), "'run_id' of the output is the number 1.5"),
        (output(summary=3), "'summary' of the output is the number 3, expected a text"),
        (output(metadata=[]), "'metadata' of the output is a list of 0, expected an object"),
        (output(evidence=[3]), "evidence 1 of the ledger is the number 3, expected an object"),
        (output(evidence=[evidence(None)]), "evidence 1 of the ledger has no 'evidence_id'"),
        (output(evidence=[evidence("E1"), evidence("E1", quote="x")]), "have the evidence_id 'E1' and differ"),
        (output(claims=["k1"]), "claim 1 is the text 'k1', expected an object"),
        (
            output(claims=[claim("k1", status="true")]),
            "'status' of claim 1 is the text 'true', expected one of verified",
        ),
        (output(claims=[claim("k1"), claim("k1")]), "two claims have the claim_id 'k1'"),
        (output(claims=[claim("k1", 1.5)]), "claim 1 cites the number 1.5, expected the id of evidence"),
        (output(claims=[claim("k1") | {"evidence": "E1"}]), "'evidence' of claim 1 is the text 'E1', expected a list"),
    ],
)
def test_what_has_not_the_form_of_an_output_is_named(values, message):
    with pytest.raises(ArtifactError) as raised:
        parse_output(values)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("stop_reason", "status", "abstained"),
    [
        ("NO_EVIDENCE", "candidate", True),
        ("NO_EVIDENCE", "retracted", True),
        ("NO_EVIDENCE", "verified", False),
        ("BUDGET_EXCEEDED", "candidate", False),
    ],
)
def test_a_run_abstains_when_it_stops_for_want_of_evidence_and_verifies_nothing(stop_reason, status, abstained):
    assert parse_output(output(stop_reason=stop_reason, claims=[claim(status=status)])).abstained is abstained
