"""Inputs of the benchmarks: the shared generator where it is there, else rows of the same kind made here."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

SHARED = Path(__file__).resolve().parents[1] / "../shared/bench"
LETTERS = "etaoinshrdlcumwfgypbvk"


def workload(folder: Path, kind: str, count: int) -> Path:
    """Return a JSONL file of `count` rows: `short` answers, `sum`maries or `cls` labels."""
    path = folder / f"{kind}_{count}.jsonl"
    if path.exists():
        return path
    generator = SHARED / "workload.py"
    if generator.exists():
        subprocess.run([sys.executable, str(generator), str(folder), kind, str(count)], check=True, capture_output=True)
    else:
        own_workload(path, kind, count)
    return path


def own_workload(path: Path, kind: str, count: int, seed: int = 11) -> None:
    """Write rows of a kind: references, and predictions that are edited references."""
    chance = random.Random(seed)
    words = _words(chance)
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count):
            stream.write(json.dumps(_row(chance, words, kind, number), ensure_ascii=False) + "\n")


def _words(chance: random.Random) -> list[str]:
    made = ["the", "of", "a", "and", "to", "in", "is", "an"]
    made += ["".join(chance.choices(LETTERS, k=chance.randint(2, 11))) for _ in range(20_000)]
    for place in range(400, len(made), 61):
        made[place] += chance.choice("éßü中Ω")
    return made


def _row(chance: random.Random, words: list[str], kind: str, number: int) -> dict[str, object]:
    if kind == "cls":
        reference = f"label_{chance.randint(0, 19):02d}"
        prediction = reference if chance.random() < 0.72 else f"label_{chance.randint(0, 19):02d}"
    else:
        size = chance.randint(1, 9) if kind == "short" else chance.randint(40, 140)
        chosen = [words[int(len(words) * chance.random() ** 3)] for _ in range(size)]
        kept = chance.random() < (0.45 if kind == "short" else 0.01)
        edited = chosen if kept else [word if chance.random() < 0.6 else chance.choice(words) for word in chosen]
        reference, prediction = _sentence(chance, chosen), _sentence(chance, edited)
    tags = {
        "source": chance.choice(["human", "synthetic", "web"]),
        "difficulty": chance.choice(["easy", "medium", "hard"]),
        "length_bucket": chance.choice(["short", "medium", "long"]),
    }
    asked = f"What is item {number} about {chance.choice(words)}?"
    return {"id": f"s{number:07d}", "input": asked, "prediction": prediction, "reference": reference, "tags": tags}


def _sentence(chance: random.Random, words: list[str]) -> str:
    text = " ".join(word + "," if chance.random() < 0.07 else word for word in words)
    return text.capitalize() + ("." if chance.random() < 0.6 else "")


def texts(path: Path) -> tuple[list[str], list[str]]:
    """Return the predictions and the references of a file."""
    with path.open(encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return [row["prediction"] for row in rows], [row["reference"] for row in rows]
