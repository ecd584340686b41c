"""Turn ConvFinQA and two models' runs into items and predictions by turn: python prepare.py DATA_FOLDER FOLDER."""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

UNITS = {"percent": "%", "percentage": "%"}
RUNS = {"morning": "2026-05-04T06-35-00Z", "noon": "2026-05-04T12-48-44Z"}


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a packed JSONL file."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def items(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield one item per turn; what the turns of a conversation share is their `conversation`."""
    for record in rows(folder / "convfinqa_dev.jsonl.gz"):
        talk = record["dialogue"]
        second = "second" if record["features"]["has_type2_question"] else "single"
        for turn, question in enumerate(talk["conv_questions"]):
            yield {
                "id": f"{record['id']}#{turn}",
                "conversation": record["id"],
                "turn": turn,
                "input": question,
                "reference": talk["executed_answers"][turn],
                "tags": {"kind": second, "turn": str(min(turn, 4))},
            }


def predictions(folder: Path, run: str) -> Iterator[dict[str, Any]]:
    """Yield one prediction per turn, and whether the authors of the run counted it as right."""
    for row in rows(folder / "runs" / run / "predictions.jsonl.gz"):
        yield {
            "id": f"{row['record_id']}#{row['turn_idx']}",
            "prediction": row["predicted_answer"] + UNITS.get(row["predicted_unit"], ""),
            "their_verdict": "right" if row["correct"] else "wrong",
            "latency_ms": row["latency_ms"],
            "prompt_tokens": row["tokens_in"],
            "completion_tokens": row["tokens_out"],
        }


def write(path: Path, found: Iterator[dict[str, Any]]) -> None:
    """Write one JSON object per line."""
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in found)


def main(folder: Path, target: Path) -> None:
    """Write the items and both runs' predictions."""
    write(target / "items.jsonl", items(folder))
    for name, run in RUNS.items():
        write(target / f"{name}.jsonl", predictions(folder, run))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
