"""Files to start from: a commented task, a gate policy, and a few items with predictions so that both run at once."""

from __future__ import annotations

from pathlib import Path

from steelyard.errors import Problem, UsageError
from steelyard.store.files import machine_errors, write_bytes

TASK = """\
# A task says which items are judged, and how. `steelyard eval task.yaml --name first` evaluates it.
task: capitals

# Items: JSONL, JSON, CSV or Parquet. Each has an id, an input and a reference answer.
dataset: items.jsonl

# What the model said, by id. Left out where the dataset's rows carry their own prediction.
predictions: predictions.jsonl

# choice | number | list | text | reasoning | label | mixed (each row says its own)
answer_type: text

# How the answer is found in raw output: none | answer_line | last_number | choice_letter | json_field | boxed | regex
extract: answer_line

# `steelyard scorers` lists them; parameters as {name: number@v1, tolerance_rel: 0.02}
scorers: [answer_correctness@v1]

# `steelyard metrics` lists them; parameters as {name: f1, normalize: squad}
metrics: [f1, exact_match]

eval:
  slice_by_tags: [difficulty]   # a list inside the list crosses two tags: [source, difficulty]
  hard_examples: 10
"""

POLICY = """\
# A policy says when a run may ship: `steelyard gate first --policy gates.yaml`
gates:
  - {metric: answer_correctness, min: 0.60}
  - {skipped: {max_rate: 0.10}}
  # Against a baseline (`steelyard baseline set main RUN`, then `--against main`):
  # - {metric: answer_correctness, max_drop: 0.02}
  # - {metric: f1, slice_each: difficulty, max_drop: 0.05, min_n: 20}
  # - {metric: f1, no_significant_drop: 0.05}
"""

ITEMS = """\
{"id": "c1", "prompt": "What is the capital of France?", "expected_answer": "Paris", "difficulty": "easy"}
{"id": "c2", "prompt": "What is the capital of Australia?", "expected_answer": "Canberra", "difficulty": "medium"}
{"id": "c3", "prompt": "What is the capital of Kazakhstan?", "expected_answer": "Astana", "difficulty": "hard"}
{"id": "c4", "prompt": "What is the capital of Japan?", "expected_answer": "Tokyo", "difficulty": "easy"}
"""

PREDICTIONS = """\
{"id": "c1", "prediction": "It is on the Seine.\\nAnswer: Paris"}
{"id": "c2", "prediction": "Answer: Sydney"}
{"id": "c3", "prediction": "Answer: astana"}
{"id": "c4", "prediction": "Answer: Tokyo"}
"""

FILES = {"task.yaml": TASK, "gates.yaml": POLICY, "items.jsonl": ITEMS, "predictions.jsonl": PREDICTIONS}


def write_starting_files(folder: Path) -> list[Path]:
    """Write the files into a folder and return them; one that is there already is never overwritten."""
    taken = [name for name in FILES if (folder / name).exists()]
    if taken:
        message = f"{', '.join(taken)} is there already, expected a folder without it"
        hint = "give another folder: `steelyard init my-task`"
        raise UsageError(Problem("file-exists", message, hint=hint, file=str(folder)))
    with machine_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in FILES.items():
        write_bytes(folder / name, content.encode())
    return [folder / name for name in FILES]
