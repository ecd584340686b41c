"""Put a model's responses beside IFEval's prompts: python prepare.py DATA_FOLDER ITEMS_FOLDER.

`all.jsonl` has IFEval's own rows; beside it stands one file for each instruction, for tasks with a format rule.
"""

import gzip
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any


def main(folder: Path, target: Path) -> None:
    """Write all prompts to one file, and each to the files of its instructions."""
    with gzip.open(folder / "gpt4_20231107_responses.jsonl.gz", "rt", encoding="utf-8") as lines:
        responses = {row["prompt"]: row["response"] for row in map(json.loads, lines)}
    files: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (folder / "input_data.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        files["all"].append(row | {"id": row["key"], "prediction": responses[row["prompt"]]})
        item = {"id": row["key"], "input": row["prompt"], "reference": "none", "prediction": responses[row["prompt"]]}
        for instruction in dict.fromkeys(row["instruction_id_list"]):
            files[instruction].append(item)
    target.mkdir(exist_ok=True)
    for instruction, items in files.items():
        lines_out = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)
        (target / f"{instruction.replace(':', '.')}.jsonl").write_text(lines_out, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
