"""Put the four BIG-Bench Hard tasks into one file of items: python prepare.py DATA_FOLDER items.jsonl."""

import gzip
import json
import sys
from pathlib import Path


def main(folder: Path, target: Path) -> None:
    """Write every row with its task as a tag; both prompts' outputs stay in the row."""
    with target.open("w", encoding="utf-8") as out:
        for path in sorted(folder.glob("*.jsonl.gz")):
            with gzip.open(path, "rt", encoding="utf-8") as stream:
                for row in map(json.loads, stream):
                    out.write(json.dumps({**row, "tags": {"task": row["task"]}}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
