"""Turn SQuAD's nested questions and its maps of predictions into rows.

python prepare.py DATA_FOLDER questions.jsonl PREDICTIONS_FOLDER
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def questions(gold: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield one row per question; an empty prediction of SQuAD 2.0 means that the model abstained."""
    for article in gold["data"]:
        for paragraph in article["paragraphs"]:
            for question in paragraph["qas"]:
                answer, *others = [entry["text"] for entry in question["answers"]]
                yield {
                    "id": question["id"],
                    "input": question["question"],
                    "ground_truth": {"value": answer, "aliases": others},
                    "tags": {"article": article["title"]},
                }


def main(folder: Path, target: Path, predictions: Path) -> None:
    """Write the questions, and one file of predictions for each system."""
    gold = json.loads((folder / "xquad_en_gold.json").read_text("utf-8"))
    target.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in questions(gold)), "utf-8")
    predictions.mkdir(exist_ok=True)
    for file in sorted(folder.glob("pred_*.json")):
        rows = [{"id": key, "prediction": value} for key, value in json.loads(file.read_text("utf-8")).items()]
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (predictions / f"{file.stem}.jsonl").write_text(lines, "utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
