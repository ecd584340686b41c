"""The files that `steelyard research` reads, written with the standard library alone: copy this for your own agent."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a JSONL file, plain or gzipped."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for line in data.splitlines():
        yield json.loads(line)


def write_golden(path: Path, entries: Iterable[dict[str, Any]]) -> None:
    """Write golden queries."""
    path.write_text(json.dumps({"queries": list(entries)}, ensure_ascii=False, indent=1), encoding="utf-8")


def write_run(outputs: Path, output: dict[str, Any], chunks: Iterable[dict[str, Any]] = ()) -> None:
    """Write the folder of one run: its output, and the chunks that its quotes are held against."""
    folder = outputs / f"run_{output['run_id']}"
    folder.mkdir(parents=True)
    (folder / "research_output.json").write_text(json.dumps(output, ensure_ascii=False), encoding="utf-8")
    lines = [json.dumps(chunk, ensure_ascii=False) for chunk in chunks]
    if lines:
        (folder / "chunks.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
