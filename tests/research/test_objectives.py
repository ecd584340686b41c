"""Runs gathered by objective: the rules of page 50 for what is missing, extra or unreadable."""

import pytest

from steelyard.errors import Problem
from steelyard.research.golden import parse_golden
from steelyard.research.objectives import Objectives
from steelyard.research.runs import RunUnderJudgement, run_facts
from steelyard.research.wording import expected_text, explain, output_text, predicted_text
from tests.research_artifacts import claim, event, evidence, golden, output, step

BROKEN = Problem("bad-json", "cut")


def run(content=None, *, steps=0, recorded=0, folder="run_1", broken=False):
    found = RunUnderJudgement(folder)
    if content is not None:
        found.add_output(content)
    for number in range(steps):
        found.steps.add_event(event("r1", number))
    for number in range(recorded):
        found.steps.add_manifest(step("r1", number))
    found.problems += [BROKEN] if broken else []
    return found.judgement()


def gathered(entry, *runs):
    board = Objectives(parse_golden([entry])[0])
    for found in runs:
        board.add(found, 0)
    return board.closed()


def counts(objective, *names):
    return tuple(objective.counts[name] for name in names)


def test_only_verified_claims_ask_for_evidence():
    content = output(claims=[claim("a"), claim("b", status="candidate"), claim("c", evidence())])
    (found,) = gathered(golden(), run(content))
    assert counts(found, "covered_claims", "verified_claims") == (1, 2)


def test_required_ids_are_found_in_the_ledgers_of_all_runs_and_count_once():
    first = run(output(evidence=[evidence("E1"), evidence("E2")]))
    second = run(output(evidence=[evidence("E2")]), folder="run_2")
    (found,) = gathered(golden("How deep is it?", "E1", "E2", "E3"), first, second)
    assert counts(found, "matched_ids", "required_ids") == (2, 3)
    assert found.missing_ids == ["E3"]


def test_evidence_that_stands_inline_only_is_not_in_the_ledger():
    (found,) = gathered(golden("How deep is it?", "E1"), run(output(claims=[claim("a", evidence("E1"))])))
    assert (found.missing_ids, found.inline) == (["E1"], {"E1"})


def test_a_required_id_with_a_defect_is_found_and_named():
    (found,) = gathered(golden("How deep is it?", "E1"), run(output(evidence=[evidence("E1", quote=None)])))
    assert (found.counts["matched_ids"], found.defective) == (1, {"E1"})


@pytest.mark.parametrize(
    ("stops", "abstained", "runs"),
    [
        (["NO_EVIDENCE"], 1, 1),
        (["NO_EVIDENCE", "NO_EVIDENCE"], 2, 2),
        (["NO_EVIDENCE", "BUDGET_EXCEEDED", "NO_EVIDENCE"], 2, 3),
        (["BUDGET_EXCEEDED"], 0, 1),
        ([], 0, 1),
    ],
)
def test_abstention_counts_runs_and_an_entry_without_a_run_is_one_miss(stops, abstained, runs):
    made = [run(output(stop_reason=stop), folder=f"run_{number}") for number, stop in enumerate(stops)]
    (found,) = gathered(golden(sufficient=False), *made)
    assert counts(found, "abstaining_runs", "runs_to_abstain") == (abstained, runs)


def test_runs_for_sufficient_evidence_have_nothing_to_abstain_from():
    (found,) = gathered(golden(), run(output(stop_reason="NO_EVIDENCE")))
    assert counts(found, "abstaining_runs", "runs_to_abstain") == (0, 0)


def test_a_piece_of_evidence_counts_once_however_often_it_is_cited():
    good, bad = evidence("E1"), evidence("E2", quote=None)
    content = output(claims=[claim("a", "E1", "E1"), claim("b", "E1", "E2")], evidence=[good, bad])
    (found,) = gathered(golden(), run(content))
    assert counts(found, "good_citations", "citations") == (1, 2)


def test_inline_evidence_without_an_id_is_one_piece_where_it_says_the_same():
    def nameless(**given):
        return {name: value for name, value in evidence("E", **given).items() if name != "evidence_id"}

    content = output(claims=[claim("a", nameless()), claim("b", nameless(), nameless(quote=None))])
    (found,) = gathered(golden(), run(content))
    assert counts(found, "good_citations", "citations") == (1, 2)


def test_a_piece_that_counts_in_one_place_only_is_not_good():
    content = output(claims=[claim("a", evidence("E1")), claim("b", evidence("E1", quote=None))])
    (found,) = gathered(golden(), run(content))
    assert counts(found, "good_citations", "citations") == (0, 1)


def test_pieces_of_two_runs_are_two():
    content = output(claims=[claim("a", evidence("E1"))])
    (found,) = gathered(golden(), run(content), run(content, folder="run_2"))
    assert counts(found, "good_citations", "citations") == (2, 2)


def test_over_abstention_and_false_assertion_are_counted_by_run():
    silent, talking = run(output(stop_reason="NO_EVIDENCE")), run(output(claims=[claim()]), folder="run_2")
    (sufficient,) = gathered(golden(), silent, talking)
    (insufficient,) = gathered(golden(sufficient=False), silent, talking)
    assert counts(sufficient, "over_abstained_runs", "sufficient_runs") == (1, 2)
    assert counts(insufficient, "asserting_runs", "insufficient_runs") == (1, 2)


def test_an_entry_without_a_run_is_a_miss_everywhere_it_counts():
    (found,) = gathered(golden("How deep is it?", "E1"))
    assert (found.score, found.passed, found.missing_ids, found.error_tags) == (
        0.0,
        False,
        ["E1"],
        ("no_run", "missing_evidence_id"),
    )


def test_a_run_without_an_entry_counts_for_coverage_and_manifests_only():
    _, found = gathered(golden("another"), run(output(claims=[claim()]), steps=2, recorded=1))
    assert counts(found, "verified_claims", "steps", "recorded_steps") == (1, 2, 1)
    assert counts(found, "required_ids", "runs_to_abstain", "sufficient_runs", "insufficient_runs") == (0, 0, 0, 0)


def test_an_unreadable_run_fails_with_all_that_is_known_of_it():
    content = output(claims=[claim("a", evidence("E1")), claim("b", evidence("E1"))], evidence=[evidence("E1")])
    (found,) = gathered(golden("How deep is it?", "E1"), run(content, steps=3, recorded=3, broken=True))
    assert counts(found, "covered_claims", "verified_claims") == (0, 2)
    assert counts(found, "recorded_steps", "steps") == (0, 3)
    assert (found.counts["matched_ids"], found.score) == (0, 0.0)


def test_an_unreadable_run_of_which_nothing_is_known_fails_one_claim_and_one_step():
    _, found = gathered(golden(), run(broken=True))
    assert counts(found, "covered_claims", "verified_claims", "recorded_steps", "steps") == (0, 1, 0, 1)
    assert (found.identity, found.error_tags[0]) == ("RUN run_1", "unreadable_run")


def test_an_unreadable_run_has_not_abstained():
    (found,) = gathered(golden(sufficient=False), run(output(stop_reason="NO_EVIDENCE"), broken=True))
    assert counts(found, "abstaining_runs", "runs_to_abstain") == (0, 1)


def test_the_score_is_the_mean_of_the_parts_that_apply():
    content = output(claims=[claim("a", evidence("E1")), claim("b")], evidence=[evidence("E1")])
    (found,) = gathered(golden("How deep is it?", "E1", "E2"), run(content, steps=4, recorded=3))
    assert found.parts() == {"decision": 1.0, "coverage": 0.5, "recall": 0.5, "integrity": 0.75}
    assert found.score == 0.6875


def test_a_run_of_which_nothing_can_be_judged_scores_nothing():
    _, found = gathered(golden("another"), run(output()))
    assert (found.score, found.error_tags) == (0.0, ("nothing_to_judge",))


def test_golden_queries_keep_their_order_and_the_rest_follows_by_name():
    board = Objectives(parse_golden([golden("z"), golden("a")])[0])
    for name in ("y", "b"):
        board.add(run(output(objective=name)), (0, 0))
    assert [found.text for found in board.closed()] == ["z", "a", "b", "y"]


@pytest.mark.parametrize(
    ("entry", "content", "expected", "predicted"),
    [
        (golden(sufficient=False), output(stop_reason="NO_EVIDENCE"), "NO_EVIDENCE", "NO_EVIDENCE"),
        (golden("How deep is it?", "E1", "E2"), output(evidence=[evidence("E2")]), "E1, E2", "E2"),
        (golden("How deep is it?", "E1"), output(), "E1", "none of the ids"),
        (golden(), output(claims=[claim()]), "evidence, no ids required", "1 verified claim"),
    ],
)
def test_reference_and_answer_speak_the_same_terms(entry, content, expected, predicted):
    (found,) = gathered(entry, run(content))
    assert (expected_text(found), predicted_text(found)) == (expected, predicted)


def test_the_explanation_says_what_to_mend():
    content = output(claims=[claim("a")])
    (found,) = gathered(golden("How deep is it?", "E1"), run(content, steps=2, recorded=1))
    assert explain(found) == (
        "1 of 1 verified claim without evidence that counts; "
        "required evidence not in the ledger: E1; 1 of 2 steps without a manifest"
    )


def test_the_output_of_an_item_shows_claims_with_their_evidence():
    content = output(claims=[claim("a", evidence("E1"), "E9"), claim("b", status="candidate")], summary="Deep.")
    assert output_text(run_facts(run(content), has_entry=True)) == (
        "run_1: OBJECTIVE_ACHIEVED: Deep.\n"
        "- a (verified): claim a\n"
        '  - E1: "reached clay"\n'
        '  - E9: "" (the ledger has no evidence of this id)\n'
        "- b (candidate): claim b"
    )


def test_the_output_of_an_unreadable_run_says_so():
    assert output_text(run_facts(run(broken=True), has_entry=False)) == "run_1 cannot be read: cut"
