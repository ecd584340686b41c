"""Fuzzed JSONL by columns and row by row: the same error, or the same bytes under `eval/` and in the journal."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from random import Random

import pytest

from steelyard.errors import SteelyardError
from steelyard.judging.path import block_path
from steelyard.kinds.task.order import evaluate
from steelyard.tasks.loading import EvaluateOptions
from tests.faults.fuzzed_files import REFERENCES, TEXTS, json_lines, mutated, wild_row

SAMPLE = 40
CAMPAIGN = 2_400
CHUNK = 400

WORDS = [
    "Paris",
    "paris ",
    "ＰＡＲＩＳ",
    "the cat sat",
    "答案是巴黎",
    "a\u0301",
    "\ud800",
    "\x00",
    "",
    "Straße",
    "x\ny",
    "éé",
]
ANSWERS = {
    "text": WORDS,
    "choice": ["A", "b", "(A)", "C", "Answer: B", "A or B"],
    "number": [
        "12.5%",
        "0.125",
        "3",
        "-3",
        "(1,234.5)",
        "1,2,3",
        "5 万",
        "2 km",
        "2000 m",
        "NaN",
        "1e400",
        3,
        2.5,
        True,
    ],
    "list": ["a, b", ["a", "b"], ["b"], "a"],
    "label": ["pos", "neg", "Neg ", "other"],
}
FURTHER = [
    {},
    {"section": "core"},
    {"tags": {"a": "b", "n": 1}},
    {"eval_time_ms": 1.5},
    {"error": None},
    {"n_tokens": 3},
]


class Files:
    """A dataset, its predictions where they have a file of their own, and how they are judged."""

    def __init__(self, chance: Random) -> None:
        self.answer_type = chance.choice(list(ANSWERS))
        self.escaped = chance.random() < 0.5
        references = WORDS[:6] if self.answer_type == "text" else REFERENCES[self.answer_type]
        rows = [
            {"id": f"i{number}", "prompt": "?", "expected_answer": chance.choice(references), **chance.choice(FURTHER)}
            for number in range(chance.randrange(1, 40))
        ]
        outputs = [{"id": row["id"], "output": chance.choice(ANSWERS[self.answer_type])} for row in rows]
        self.predictions = None if chance.random() < 0.5 else self._written(outputs)
        together = [row | output for row, output in zip(rows, outputs, strict=True)]
        self.dataset = self._written(together if self.predictions is None else rows)
        self._break(chance)

    def _written(self, rows: list[dict]) -> bytes:
        lines = (json.dumps(row, ensure_ascii=self.escaped) + "\n" for row in rows)
        return "".join(lines).encode("utf-8", "surrogatepass")

    def _break(self, chance: Random) -> None:
        kind = chance.random()
        if kind < 0.3:
            return
        name = "dataset" if self.predictions is None or chance.random() < 0.5 else "predictions"
        data = getattr(self, name)
        if kind < 0.5:
            data += json_lines([{"id": "z", "expected_answer": "x", "output": chance.choice(TEXTS)}])
        elif kind < 0.85:
            data = mutated(chance, data)
        else:
            data += json_lines([wild_row(chance)])
        setattr(self, name, data)


def outcome(files: Files, folder: Path, name: str) -> object:
    (folder / "data.jsonl").write_bytes(files.dataset)
    if files.predictions is not None:
        (folder / "out.jsonl").write_bytes(files.predictions)
    options = EvaluateOptions(
        dataset=str(folder / "data.jsonl"),
        predictions=None if files.predictions is None else str(folder / "out.jsonl"),
        answer_type=files.answer_type,
        runs_dir=folder / "runs",
        name=name,
    )
    try:
        evaluation = evaluate(options)
    except SteelyardError as error:
        return json.dumps(error.as_dict(), sort_keys=True)
    kept = (path for path in sorted((evaluation.path / "eval").iterdir()) if path.suffix != ".html")
    found = {path.name: path.read_bytes() for path in kept}
    return found | {"journal": (evaluation.path / "predictions.jsonl").read_bytes()}


def run(seeds: range, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    whole = 0
    for seed in seeds:
        files = Files(Random(seed))
        monkeypatch.setattr("steelyard.kinds.task.streaming.block_path", partial(block_path, smallest=0))
        by_columns = outcome(files, folder, f"c{seed}")
        monkeypatch.setattr("steelyard.kinds.task.streaming.block_path", lambda *_: None)
        by_rows = outcome(files, folder, f"r{seed}")
        assert by_columns == by_rows, f"seed {seed}: {files.dataset!r} {files.predictions!r}"
        whole += isinstance(by_rows, dict)
    return whole


def test_a_sample_of_datasets_gives_the_same_by_columns_and_by_rows(tmp_path, monkeypatch):
    assert run(range(SAMPLE), tmp_path, monkeypatch) > SAMPLE // 5


@pytest.mark.campaign
@pytest.mark.parametrize("start", range(0, CAMPAIGN, CHUNK))
def test_a_fuzz_campaign_of_datasets_gives_the_same_by_columns_and_by_rows(tmp_path, monkeypatch, start):
    assert run(range(start, start + CHUNK), tmp_path, monkeypatch) > CHUNK // 5
