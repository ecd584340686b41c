"""The text and JSON forms of the report: long lists are cut for people and whole for machines."""

import json

from steelyard.kinds.research.order import ResearchOptions, evaluate_research
from steelyard.show.research import research_json, research_text
from tests.research_artifacts import claim, event, golden, output, write_golden, write_run


def forms(folder, *entries):
    """Return the text and the JSON of an evaluation."""
    write_golden(folder / "golden.json", *entries)
    options = ResearchOptions(golden=folder / "golden.json", outputs=folder / "outputs", store=False)
    with evaluate_research(options) as evaluation:
        text = research_text(evaluation.report, evaluation.objective_facts())
        return text, "".join(research_json(evaluation.report, evaluation.objective_facts(), evaluation.run_facts()))


def test_long_lists_end_with_how_many_more_there_are(tmp_path):
    content = output(objective="a", claims=[claim(f"k{number}") for number in range(130)])
    write_run(tmp_path / "outputs", "run_1", content, events=[event("r1", number) for number in range(30)])
    text, machine = forms(tmp_path, golden("a"))
    assert "verified claims without evidence that counts: 130\n" in text
    assert "  run_1 claim k19: it cites no evidence\n  and 110 more\n" in text
    assert "steps without a manifest: 30\n" in text
    assert "  run_1: s19\n  and 10 more\n" in text
    found = json.loads(machine)
    assert (found["uncovered_claims"]["total"], len(found["uncovered_claims"]["listed"])) == (130, 100)
    assert len(found["runs"][0]["claims"]) == 130
    assert found["runs"][0]["steps_without_manifest"] == [f"s{number}" for number in range(30)]


def test_a_system_error_lists_twenty_faults_and_counts_the_rest(tmp_path):
    text, machine = forms(tmp_path, *({"objective": f"o{number}"} for number in range(25)))
    assert text.count("missing requirement golden_queries.keys") == 20
    assert "  and 5 more\n" in text
    found = json.loads(machine)
    assert (len(found["missing_requirements"]), found["total_missing"]) == (20, 25)
    assert (found["objectives"], found["runs"]) == ([], [])


def test_json_is_ascii_and_text_is_cut(tmp_path):
    write_run(tmp_path / "outputs", "run_1", output(objective="é" * 300, claims=[claim()]))
    text, machine = forms(tmp_path, golden("é" * 300))
    assert machine.isascii()
    assert json.loads(machine)["objectives"][0]["objective"] == "é" * 300
    assert max(map(len, text.splitlines())) < 220
