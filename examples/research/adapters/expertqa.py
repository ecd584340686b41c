"""ExpertQA as research artifacts: one run per answered question, one verified claim per claim of the answer.

    python examples/research/adapters/expertqa.py rand_val.jsonl.gz OUT [--system rr_gs_gpt4]
    steelyard research --golden OUT/golden_queries.json --outputs OUT/outputs

An answer's evidence is a list of texts, `[3] https://… blank line, passage`. The address is the source, the passage is
the chunk, and it is quoted whole. Systems that cite an address and no passage have evidence without a quote, which does
not count: the report says `no_quote`. No steps are stored, so Manifest Integrity is NOT_APPLICABLE.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from artifacts import read_rows, write_golden, write_run

_EVIDENCE = re.compile(r"\[(?P<number>\d+)\]\s*(?P<source>\S*)\s*(?P<passage>.*)", re.DOTALL)


def answers(path: Path, system: str | None = None) -> Iterator[tuple[str, dict[str, Any], dict[str, str], str]]:
    """Yield question, answer, tags and system; each question was answered by one system."""
    for row in read_rows(path):
        for name, answer in row["answers"].items():
            if system in (None, name):
                tags = {"system": name, "field": row["metadata"]["field"]}
                yield row["question"], answer, tags, name


def evidence_record(text: str, evidence_id: str) -> dict[str, Any]:
    """Return one cited text as a record of evidence; without a passage it has neither quote nor span."""
    match = _EVIDENCE.match(text)
    source, passage = (match["source"], match["passage"].strip()) if match else ("", text.strip())
    record: dict[str, Any] = {"evidence_id": evidence_id, "chunk_id": evidence_id, "source_id": source or None}
    if passage:
        record |= {"quote": passage, "span": {"start": 0, "end": len(passage)}}
    return record


def research_output(run_id: str, question: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer as `research_output.json`: its claims, and the evidence they cite in the ledger."""
    claims, ledger = [], []
    for number, claim in enumerate(answer["claims"], start=1):
        cited = [evidence_record(text, f"c{number}-e{place}") for place, text in enumerate(claim["evidence"], start=1)]
        ledger += cited
        claims.append(
            {
                "claim_id": f"c{number}",
                "claim_text": claim["claim_string"],
                "status": "verified",
                "evidence": [record["evidence_id"] for record in cited],
            }
        )
    return {
        "run_id": run_id,
        "objective": question,
        "stop_reason": "OBJECTIVE_ACHIEVED",
        "summary": answer["answer_string"],
        "claims": claims,
        "evidence": ledger,
        "metadata": {"usefulness": answer.get("usefulness")},
    }


def chunks_of(output: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the passages that quotes are held against."""
    keys = ("chunk_id", "source_id")
    found = [record for record in output["evidence"] if "quote" in record and record["source_id"]]
    return [{key: record[key] for key in keys} | {"text": record["quote"]} for record in found]


def convert(data: Path, target: Path, system: str | None = None) -> int:
    """Write golden queries and outputs below `target`; return the number of runs."""
    entries: list[dict[str, Any]] = []
    for number, (question, answer, tags, name) in enumerate(answers(data, system), start=1):
        output = research_output(f"{name}_{number:04d}", question, answer)
        write_run(target / "outputs", output, chunks_of(output))
        entries.append({"objective": question, "required_evidence_ids": [], "evidence_sufficient": True, "tags": tags})
    write_golden(target / "golden_queries.json", entries)
    return len(entries)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="ExpertQA as research artifacts")
    parser.add_argument("data", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--system")
    given = parser.parse_args()
    print(f"{convert(given.data, given.target, given.system)} runs in {given.target}")
