"""Turn lighteval's metric cases into items: python prepare.py ../../../shared/data/metric_cases_lighteval FOLDER.

Cases over one answer become rows of one file; cases over a whole corpus become a file each.
"""

import json
import sys
from pathlib import Path
from typing import Any

SINGLE = ("f1_score", "gpqa_instruct_metric")
CORPUS = ("bleu", "chrf", "f1_score_macro")


def gold(document: dict[str, Any]) -> str:
    """Return the choice that a document marks as right."""
    index = document["gold_index"]
    return str(document["choices"][index[0] if isinstance(index, list) else index])


def row(name: str, document: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Return one answer beside its reference."""
    return {
        "id": name,
        "input": document["query"],
        "reference": gold(document),
        "choices": document["choices"],
        "prediction": response["text"][0],
    }


def rows(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the answers of a case."""
    if "doc" in case:
        return [row(case["name"], case["doc"], case["model_response"])]
    pairs = zip(case["docs"], case["model_responses"], strict=True)
    return [row(f"{case['name']} {number}", *pair) for number, pair in enumerate(pairs, start=1)]


def main(folder: Path, target: Path) -> None:
    """Write the items of every case whose metric Steelyard has."""
    for name in (*SINGLE, *CORPUS):
        cases = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["test_cases"]
        parts = [("", cases)] if name in SINGLE else [(f"_{number}", [case]) for number, case in enumerate(cases)]
        for suffix, chosen in parts:
            lines = [json.dumps(found, ensure_ascii=False) for case in chosen for found in rows(case)]
            (target / f"{name}{suffix}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
