"""Turn WNUT-17 sentences into list-valued items: python prepare.py ner.jsonl.gz items.jsonl."""

import gzip
import json
import sys
from pathlib import Path
from typing import Any


def names(entities: list[dict[str, Any]]) -> list[str]:
    """Write each entity as type, text and place: two mentions of one name in a sentence stay two."""
    return [f"{entity['type']}: {entity['text']} [{entity['start']}:{entity['end']}]" for entity in entities]


def item(row: dict[str, Any]) -> dict[str, Any]:
    """Return one sentence with its entities and every system's."""
    return {
        "id": row["id"],
        "input": row["text"],
        "ground_truth": {"items": names(row["gold_entities"]), "ordered": False, "unique": False},
        "systems": {system: names(found) for system, found in row["pred_entities"].items()},
    }


def main(source: Path, target: Path) -> None:
    """Write one line per sentence."""
    with gzip.open(source, "rt", encoding="utf-8") as lines, target.open("w", encoding="utf-8") as out:
        for line in lines:
            out.write(json.dumps(item(json.loads(line)), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
