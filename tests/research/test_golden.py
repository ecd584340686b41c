"""Golden queries: the two forms, and every way of being malformed, each by the requirement it breaks."""

import pytest

from steelyard.research.golden import REQUIREMENTS, objective_key, parse_golden
from tests.research_artifacts import golden

TYPES, KEYS = "golden_queries.types", "golden_queries.keys"


@pytest.mark.parametrize("value", [[golden("a", "E1")], {"queries": [golden("a", "E1")], "version": 3}])
def test_golden_queries_are_a_list_or_stand_under_queries(value):
    entries, faults = parse_golden(value)
    assert (entries[0].objective, entries[0].required_ids, entries[0].sufficient, faults) == ("a", ("E1",), True, [])


def test_a_required_id_that_stands_twice_counts_once():
    assert parse_golden([golden("a", "E1", "E2", "E1")])[0][0].required_ids == ("E1", "E2")


def test_keys_of_the_owner_are_left_alone_and_tags_are_read():
    entries, faults = parse_golden([golden("a") | {"tags": {"field": "land"}, "note": 3}])
    assert (entries[0].tags, faults) == ({"field": "land"}, [])


@pytest.mark.parametrize(
    ("value", "requirement"),
    [
        ("text", TYPES),
        (3, TYPES),
        (None, TYPES),
        ({"queries": {}}, TYPES),
        ([3], TYPES),
        ([[]], TYPES),
        ([golden("a") | {"objective": 3}], TYPES),
        ([golden("a") | {"objective": " "}], TYPES),
        ([golden("a") | {"required_evidence_ids": "E1"}], TYPES),
        ([golden("a") | {"required_evidence_ids": [1]}], TYPES),
        ([golden("a") | {"required_evidence_ids": [""]}], TYPES),
        ([golden("a") | {"required_evidence_ids": None}], TYPES),
        ([golden("a") | {"evidence_sufficient": "true"}], TYPES),
        ([golden("a") | {"evidence_sufficient": 1}], TYPES),
        ([golden("a") | {"tags": ["x"]}], TYPES),
        ([golden("a") | {"tags": {"field": 3}}], TYPES),
        ({"entries": []}, KEYS),
        ([{"objective": "a", "evidence_sufficient": True}], KEYS),
        ([{"objective": "a", "required_evidence_ids": []}], KEYS),
        ([{"required_evidence_ids": [], "evidence_sufficient": True}], KEYS),
        ([], "golden_queries.not_empty"),
        ({"queries": []}, "golden_queries.not_empty"),
        ([golden("a"), golden(" A ")], "golden_queries.unique_objectives"),
        ([golden("a", "E1", sufficient=False)], "golden_queries.no_required_ids_when_insufficient"),
    ],
)
def test_each_way_of_being_malformed_breaks_a_named_requirement(value, requirement):
    _, faults = parse_golden(value)
    assert [fault.requirement for fault in faults] == [requirement]
    assert requirement in REQUIREMENTS


def test_all_faults_are_told_at_once():
    _, faults = parse_golden([golden("a") | {"objective": 1}, {}, golden("b", "E1", sufficient=False)])
    assert [fault.message.split(" of ")[-1].split(",")[0] for fault in faults][:1] == ["entry 1 is the number 1"]
    assert len(faults) == 3


@pytest.mark.parametrize("spelling", ["what is rag?", "  What\tIS \n RAG? ", "Ｗhat is RAG?"])
def test_runs_join_by_the_basic_profile(spelling):
    assert objective_key(spelling) == "what is rag?"
