"""Research artifacts for tests, written the way an agent stores them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

TEXT = "The corers reached clay at 4.2 m\nunder the western mire."


def evidence(evidence_id: str = "E1", **changes: Any) -> dict[str, Any]:
    """A record that counts; a change of None takes a key out."""
    record = {"evidence_id": evidence_id, "chunk_id": "c1", "source_id": "s1", "quote": "reached clay"}
    record |= {"span": {"start": 11, "end": 23}} | changes
    return {key: value for key, value in record.items() if value is not None}


def claim(claim_id: str = "k1", *cited: Any, status: str = "verified") -> dict[str, Any]:
    return {"claim_id": claim_id, "claim_text": f"claim {claim_id}", "status": status, "evidence": list(cited)}


def output(run_id: str = "r1", objective: str = "How deep is it?", **changes: Any) -> dict[str, Any]:
    found = {"run_id": run_id, "objective": objective, "stop_reason": "OBJECTIVE_ACHIEVED", "summary": ""}
    return found | {"claims": [], "evidence": [], "metadata": {}} | changes


def step(run_id: str, number: int) -> dict[str, Any]:
    return {"run_id": run_id, "step_id": f"s{number}"}


def event(run_id: str, number: int) -> dict[str, Any]:
    return step(run_id, number) | {"event_type": "ACT", "payload": {}}


def golden(objective: str = "How deep is it?", *required: str, sufficient: bool = True) -> dict[str, Any]:
    return {"objective": objective, "required_evidence_ids": list(required), "evidence_sufficient": sufficient}


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_run(
    outputs: Path,
    name: str,
    content: dict[str, Any],
    *,
    events: Iterable[Any] = (),
    manifests: Iterable[Any] = (),
    chunks: Iterable[Any] | None = None,
) -> Path:
    folder = outputs / name
    folder.mkdir(parents=True)
    (folder / "research_output.json").write_text(json.dumps(content))
    write_lines(folder / "events.jsonl", events)
    write_lines(folder / "manifests.jsonl", manifests)
    if chunks is not None:
        write_lines(folder / "chunks.jsonl", chunks)
    return folder


def write_golden(path: Path, *entries: dict[str, Any]) -> Path:
    path.write_text(json.dumps(list(entries)))
    return path
