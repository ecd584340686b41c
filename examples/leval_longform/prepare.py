"""Put the answers of two models to the same questions side by side: python prepare.py DATA_FOLDER items.jsonl."""

import json
import sys
from pathlib import Path
from typing import Any

MODELS = {"pred_claude": "claude-100k", "pred_turbo": "turbo-16k-0613"}


def rows(folder: Path, model: str) -> list[dict[str, Any]]:
    """Return a model's rows."""
    lines = (folder / f"{model}.pred.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def main(folder: Path, target: Path) -> None:
    """Write one row per question; both files have them in the same order."""
    files = [rows(folder, model) for model in MODELS.values()]
    with target.open("w", encoding="utf-8") as stream:
        for number, both in enumerate(zip(*files, strict=True), start=1):
            first = both[0]
            row = {"id": f"q{number}", "input": first["query"], "reference": first["gt"]}
            row |= {name: entry[f"{model}_pred"] for (name, model), entry in zip(MODELS.items(), both, strict=True)}
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
