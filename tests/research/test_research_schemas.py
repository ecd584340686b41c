"""The JSON Schemas hold for the shipped examples, and refuse what the reader refuses."""

import json
from pathlib import Path

import jsonschema
import pytest

from steelyard.research.faults import ArtifactError
from steelyard.research.golden import parse_golden
from steelyard.research.outputs import parse_output
from steelyard.research.schemas import SCHEMAS
from steelyard.schemas import schema_of
from tests.research_artifacts import claim, evidence, golden, output

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "research"
READABLE = sorted(path for path in EXAMPLES.glob("outputs*/run_*") if path.name != "run_11")


def valid(name, value):
    return jsonschema.Draft202012Validator(schema_of(name)).is_valid(value)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_a_schema(name):
    jsonschema.Draft202012Validator.check_schema(schema_of(name))


def test_the_examples_hold_to_the_schemas():
    assert valid("golden-queries", json.loads((EXAMPLES / "golden_queries.json").read_bytes()))
    for folder in READABLE:
        assert valid("research-output", json.loads((folder / "research_output.json").read_bytes()))
        for name, file in (("event", "events"), ("manifest", "manifests"), ("chunk", "chunks")):
            path = folder / f"{file}.jsonl"
            rows = path.read_text().splitlines() if path.exists() else []
            assert all(valid(f"research-{name}", json.loads(row)) for row in rows)


@pytest.mark.parametrize(
    "value",
    [
        output(claims=[claim("k1", "E1", evidence("E2"))], evidence=[evidence("E1")]),
        output(claims=[claim("k1", 3)]),
        output(stop_reason="DONE"),
        output(objective=" "),
        output(claims=None),
        output(claims=[claim("k1", 1.5)]),
        output(claims=[claim("k1", status="maybe")]),
        output(evidence=[{"quote": "x"}]),
        output(run_id=True),
        output(metadata=3),
        [],
    ],
)
def test_an_output_is_valid_exactly_when_it_is_read(value):
    try:
        parse_output(value)
    except ArtifactError:
        assert not valid("research-output", value)
    else:
        assert valid("research-output", value)


@pytest.mark.parametrize(
    "value",
    [
        [golden("a", "E1")],
        {"queries": [golden("a", sufficient=False)]},
        [golden("a", "E1", sufficient=False)],
        [golden("a") | {"evidence_sufficient": 1}],
        [golden("a") | {"required_evidence_ids": [""]}],
        [{"objective": "a"}],
        [],
        {"queries": []},
        3,
    ],
)
def test_golden_queries_are_valid_exactly_when_they_are_read(value):
    assert valid("golden-queries", value) is not bool(parse_golden(value)[1])


def test_a_gates_file_of_either_form_is_valid():
    assert valid("research-gates", {"golden_recall": 0.5})
    assert valid("research-gates", {"gates": [{"metric": "golden_recall", "min": 0.5}]})
    assert not valid("research-gates", {"golden_recal": 0.5})
    assert not valid("research-gates", {"golden_recall": 1.5})
