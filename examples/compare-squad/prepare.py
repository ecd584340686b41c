"""Turn SQuAD's questions and its systems' answers into rows: python prepare.py DATA_FOLDER FOLDER."""

import json
import sys
from pathlib import Path
from typing import Any


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write one JSON object per line."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def main(folder: Path, target: Path) -> None:
    """Write the questions, and a file of predictions for each system; a question that it was not asked is missing."""
    gold = json.loads((folder / "xquad_en_gold.json").read_text(encoding="utf-8"))
    items = [
        {"id": question["id"], "input": question["question"], "reference": question["answers"][0]["text"],
         "tags": {"article": article["title"]}}
        for article in gold["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]  # fmt: skip
    write(target / "items.jsonl", items)
    for path in sorted(folder.glob("pred_*.json")):
        answers = json.loads(path.read_text(encoding="utf-8"))
        name = path.stem.removeprefix("pred_")
        write(target / f"{name}.jsonl", [{"id": key, "prediction": text} for key, text in answers.items()])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
