"""ExpertQA and FEVER as research artifacts, held to the counts that came with the data."""

import gzip
import json
import re
from importlib import import_module
from pathlib import Path

import pytest

from steelyard.kinds.research.order import ResearchOptions, evaluate_research

ADAPTERS = Path(__file__).resolve().parents[2] / "examples" / "research" / "adapters"
WITHOUT_PASSAGES = {"bing_chat", "gpt4"}
"""These two systems cite addresses and no text, so nothing of theirs can be quoted."""


@pytest.fixture
def adapter(monkeypatch):
    monkeypatch.syspath_prepend(str(ADAPTERS))
    return import_module


def judged(folder, **options):
    """Return the report and the facts of every run."""
    given = ResearchOptions(golden=folder / "golden_queries.json", outputs=folder / "outputs", store=False, **options)
    with evaluate_research(given) as evaluation:
        return evaluation.report, [json.loads(line) for line in evaluation.details.read_text().splitlines()]


def counts(report, name):
    return report["metrics"][name]["numerator"], report["metrics"][name]["denominator"]


def reference_counts(folder):
    """Return answers, claims and claims with evidence of each system, as the data's README gives them."""
    pattern = r"(\w+): \{'answers': (\d+), 'claims': (\d+), 'with_evidence': (\d+)"
    return {found[0]: tuple(map(int, found[1:])) for found in re.findall(pattern, (folder / "README.txt").read_text())}


def test_expertqa_has_the_claims_and_the_coverage_of_its_readme(adapter, shared_data, tmp_path):
    source = shared_data("expertqa")
    assert adapter("expertqa").convert(source / "rand_val.jsonl.gz", tmp_path) == 217
    report, runs = judged(tmp_path, slice_by=(("system",),))
    for system, (answers, claims, with_evidence) in reference_counts(source).items():
        own = [run for run in runs if run["run_id"].rsplit("_", maxsplit=1)[0] == system]
        citing = sum(bool(claim["evidence"]) for run in own for claim in run["claims"])
        facts = report["slices"]["system"][system]["evidence_coverage_rate"]
        assert (len(own), facts["denominator"], citing) == (answers, claims, with_evidence)
        assert facts["numerator"] == (0 if system in WITHOUT_PASSAGES else with_evidence)
    assert len(reference_counts(source)) == 6


def test_a_citation_without_a_passage_lacks_its_quote(adapter, shared_data, tmp_path):
    adapter("expertqa").convert(shared_data("expertqa") / "rand_val.jsonl.gz", tmp_path, "gpt4")
    report, runs = judged(tmp_path)
    pieces = [piece for run in runs for claim in run["claims"] for piece in claim["evidence"]]
    assert {tuple(piece["missing"]) for piece in pieces} == {("quote", "locator")}
    assert report["evidence"]["no_quote"] == len(pieces) == 133  # counted in the file by hand


def test_fever_has_the_abstention_of_its_readme(adapter, shared_data, tmp_path):
    source = shared_data("fever")
    figures = json.loads(re.search(r"fever/shared: (\{.*\})", (source / "README.txt").read_text())[1])
    gold, predictions = source / "gold.jsonl.gz", source / "predictions.jsonl.gz"
    assert adapter("fever").convert(gold, predictions, tmp_path) == figures["n"] == 4972
    report, _ = judged(tmp_path)
    abstained, insufficient = counts(report, "abstention_accuracy")
    assert (insufficient, abstained / insufficient) == (figures["nei_gold"], figures["nei_recall"])
    assert counts(report, "golden_recall") == recalled(gold, predictions)
    assert counts(report, "false_assertion_rate") == (insufficient - abstained, insufficient)


def rows_of(path):
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def recalled(gold, predictions):
    """Count required sentences among the first five predicted ones, straight from the files."""
    predicted = {row["row"]: {tuple(pair) for pair in row["predicted_evidence"][:5]} for row in rows_of(predictions)}
    found = required = 0
    for row in rows_of(gold):
        if row["label"] != "NOT ENOUGH INFO":
            chosen = {(page, sentence) for _, _, page, sentence in min(row["evidence"], key=len)}
            required += len(chosen)
            found += len(chosen & predicted[row["row"]])
    return found, required
