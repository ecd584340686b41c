"""Turn TAT-QA into items of mixed answer types: python prepare.py DATA_FOLDER items.jsonl.

A span is text, several spans are a list, arithmetic and counts are numbers whose scale is their unit. Every system's
answer goes into the same row, written as the system wrote it with its scale behind it.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SCALES = {"": None, "percent": "%", "thousand": "thousand", "million": "million", "billion": "billion"}
SYSTEMS = ("cot_codex", "direct_codex", "pot_codex", "tagop_sample")


def reference(question: dict[str, Any]) -> tuple[str, Any]:
    """Return the answer type of a question and its reference."""
    kind, answer = question["answer_type"], question["answer"]
    if kind in ("arithmetic", "count"):
        unit = SCALES[question["scale"]]
        value = float(str(answer).replace(",", ""))
        return "number", {"value": value, "tolerance_rel": 0.005, **({"unit": unit} if unit else {})}
    if kind == "multi-span":
        return "list", {"items": [str(part) for part in answer], "unique": False}
    return "text", str(answer[0]) if isinstance(answer, list) else str(answer)


def written(prediction: list[Any] | None, answer_type: str) -> Any:
    """Return a system's answer as text or, for lists, as a list of texts."""
    if prediction is None:
        return None
    answer, scale = prediction
    parts = answer if isinstance(answer, list) else [answer]
    unit = SCALES.get(scale) or ""
    if answer_type == "list":
        return {"items": [str(part) for part in parts]}
    return " ".join([*(str(part) for part in parts), *([unit] if unit else [])])


def items(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield one item per question."""
    systems = {name: json.loads((folder / f"pred_{name}.json").read_text()) for name in SYSTEMS}
    with gzip.open(folder / "tatqa_dataset_dev.json.gz", "rt", encoding="utf-8") as stream:
        documents = json.load(stream)
    for document in documents:
        for question in document["questions"]:
            answer_type, truth = reference(question)
            yield {
                "id": question["uid"],
                "input": question["question"],
                "answer_type": answer_type,
                "ground_truth": truth,
                "systems": {name: written(found.get(question["uid"]), answer_type) for name, found in systems.items()},
                "tags": {"kind": question["answer_type"], "scale": question["scale"] or "none"},
            }


def main(folder: Path, target: Path) -> None:
    """Write one line per question."""
    with target.open("w", encoding="utf-8") as out:
        for item in items(folder):
            out.write(json.dumps(item, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
