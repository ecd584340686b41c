"""FEVER as research artifacts: one run per claim to be checked, NOT ENOUGH INFO as evidence that is insufficient.

    python examples/research/adapters/fever.py gold.jsonl.gz predictions.jsonl.gz OUT
    steelyard research --golden OUT/golden_queries.json --outputs OUT/outputs

A prediction of SUPPORTS or REFUTES is a verified claim that cites the sentences it was made from; NOT ENOUGH INFO is an
abstention. An evidence id is a page and the number of a sentence. Gold evidence comes in groups, each sufficient by
itself: the first of the shortest is required. The texts are not in these files, so no evidence has a quote and none
counts: what this data shows is Abstention Accuracy and Golden Recall.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from artifacts import read_rows, write_golden, write_run

INSUFFICIENT = "NOT ENOUGH INFO"
MAX_EVIDENCE = 5
"""The official scorer looks at the first five sentences of a prediction."""


def objective(row: int) -> str:
    """Return the objective of a row; the claims themselves are redacted in these files."""
    return f"Is the claim of row {row} supported or refuted?"


def golden_entry(gold: dict[str, Any]) -> dict[str, Any]:
    """Return a gold row as a golden query."""
    sufficient = gold["label"] != INSUFFICIENT
    shortest = min(gold["evidence"], key=len) if sufficient else []
    required = {f"{page}#{sentence}" for _, _, page, sentence in shortest}
    return {
        "objective": objective(gold["row"]),
        "required_evidence_ids": sorted(required),
        "evidence_sufficient": sufficient,
        "tags": {"label": gold["label"]},
    }


def research_output(prediction: dict[str, Any]) -> dict[str, Any]:
    """Return a prediction as `research_output.json`."""
    ledger = {
        f"{page}#{sentence}": {
            "evidence_id": f"{page}#{sentence}",
            "chunk_id": str(sentence),
            "source_id": page,
            "page": page,
        }
        for page, sentence in prediction["predicted_evidence"][:MAX_EVIDENCE]
    }
    abstains = prediction["predicted_label"] == INSUFFICIENT
    claim = {
        "claim_id": "c1",
        "claim_text": prediction["predicted_label"],
        "status": "verified",
        "evidence": list(ledger),
    }
    return {
        "run_id": f"{prediction['row']:06d}",
        "objective": objective(prediction["row"]),
        "stop_reason": "NO_EVIDENCE" if abstains else "OBJECTIVE_ACHIEVED",
        "summary": prediction["predicted_label"],
        "claims": [] if abstains else [claim],
        "evidence": list(ledger.values()),
        "metadata": {},
    }


def convert(gold: Path, predictions: Path, target: Path) -> int:
    """Write golden queries and outputs below `target`; return the number of runs."""
    entries = [golden_entry(row) for row in read_rows(gold)]
    target.mkdir(parents=True, exist_ok=True)
    write_golden(target / "golden_queries.json", entries)
    count = 0
    for prediction in read_rows(predictions):
        write_run(target / "outputs", research_output(prediction))
        count += 1
    return count


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="FEVER as research artifacts")
    parser.add_argument("gold", type=Path)
    parser.add_argument("predictions", type=Path)
    parser.add_argument("target", type=Path)
    given = parser.parse_args()
    print(f"{convert(given.gold, given.predictions, given.target)} runs in {given.target}")
