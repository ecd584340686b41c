"""Put targets and predictions, one a line in two files, into rows: python prepare.py DATA_FOLDER items.jsonl."""

import json
import sys
from pathlib import Path


def main(folder: Path, target: Path) -> None:
    """Write one row for each line of the two large files."""
    predictions, references = (
        (folder / f"{kind}_large.txt").read_text("utf-8").splitlines() for kind in ("prediction", "target")
    )
    rows = (
        {"id": f"line-{number}", "input": f"line {number}", "reference": reference, "prediction": prediction}
        for number, (prediction, reference) in enumerate(zip(predictions, references, strict=True), start=1)
    )
    target.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
