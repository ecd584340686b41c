"""Make the rows of this example: sums in a sentence, answered by a pretended model that is weak on hard synthetic ones.

python make.py    writes items.jsonl, predictions.jsonl and gold_eval.jsonl
"""

import json
import random
from pathlib import Path
from typing import Any

ITEMS, GOLD = 120, 50


def question(chance: random.Random, difficulty: str) -> tuple[str, str, int]:
    """Return a question, the sentence that answers it, and the number in it."""
    size = {"easy": 20, "medium": 90, "hard": 900}[difficulty]
    first, second = chance.randrange(2, size), chance.randrange(2, size)
    return f"What is {first} + {second}?", f"{first} + {second} is {first + second}.", first + second


def reply(chance: random.Random, sentence: str, total: int, wrong: float) -> tuple[str, float]:
    """Return what the pretended model says, and its loss on the reference."""
    said = sentence.replace(f"is {total}.", f"is {total + chance.choice([-10, 1, 10])}.")
    text = said if chance.random() < wrong else sentence
    if chance.random() < 0.1:
        text = "Sure, " + text
    if chance.random() < 0.15:
        text = text.removesuffix(".")
    return text, round(chance.uniform(0.2, 0.6) + wrong, 3)


def rows(chance: random.Random) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Return items, gold items and predictions for both."""
    items, gold, predictions = [], [], []
    for number in range(ITEMS):
        source = ("human", "synthetic")[number % 2]
        difficulty = ("easy", "medium", "hard")[number % 3]
        text, sentence, total = question(chance, difficulty)
        wrong = 0.7 if (source, difficulty) == ("synthetic", "hard") else 0.12
        output, loss = reply(chance, sentence, total, wrong)
        tags = {"source": source, "difficulty": difficulty}
        items.append({"id": f"sum-{number:03}", "input": text, "output": sentence, "tags": tags})
        predictions.append({"id": f"sum-{number:03}", "prediction": output, "loss": loss, "n_tokens": len(output)})
    for number in range(GOLD):
        text, _, total = question(chance, "easy")
        gold.append({"id": f"gold-{number:02}", "input": f"{text} Number only.", "output": str(total)})
        answer = total if chance.random() < 0.9 else total + 1
        predictions.append({"id": f"gold-{number:02}", "prediction": str(answer)})
    return items, gold, predictions


def main() -> None:
    """Write the three files beside this one."""
    files = dict(zip(("items", "gold_eval", "predictions"), rows(random.Random(7)), strict=True))  # noqa: S311
    for name, content in files.items():
        lines = "".join(json.dumps(row) + "\n" for row in content)
        (Path(__file__).parent / f"{name}.jsonl").write_text(lines, "utf-8")


if __name__ == "__main__":
    main()
