"""A store as the commands make it: four runs, two baselines, two verdicts and an index."""

import json
from pathlib import Path

import pytest

from steelyard.cli.main import main

ROWS = [{"id": f"i{n}", "prompt": f"{n}?", "expected_answer": str(n), "half": str(n % 2)} for n in range(20)]
EVAL = "eval --dataset items.jsonl --scorer answer_correctness@v1 --predictions {outputs}.jsonl --name {name}"


def make_store(folder: Path) -> Path:
    """Write data into a folder, and the store that commands make of it."""
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for name, right in (("fair", 16), ("good", 17)):
        rows = [{"id": row["id"], "output": row["expected_answer"] if n < right else "?"} for n, row in enumerate(ROWS)]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    runs = {"base": "fair", "cand": "good", "victim": "good", "last": "good"}
    lines = [EVAL.format(outputs=outputs, name=name) for name, outputs in runs.items()]
    lines += ["baseline set main base", "baseline set kept victim"]
    lines += ["gate cand --against main", "gate last --against main", "runs list"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in lines:
            with pytest.raises(SystemExit) as exited:
                main(line.split())
            assert exited.value.code == 0, line
    return folder
