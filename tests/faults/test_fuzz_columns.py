"""Fuzzed datasets by columns and row by row: the same error, or the same bytes under `eval/`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from random import Random

import pytest
from faults.fuzzed_files import TEXTS, json_lines, mutated, wild_row

from steelyard.errors import SteelyardError
from steelyard.pipeline.blocks import block_path
from steelyard.pipeline.evaluation import evaluate
from steelyard.pipeline.options import EvaluateOptions

SAMPLE = 60
CAMPAIGN = 4_000
CHUNK = 400

WORDS = [
    "Paris",
    "paris ",
    "ＰＡＲＩＳ",
    "the cat sat",
    "答案是巴黎",
    "a\\u0301",
    "\\ud800",
    "\\u0000",
    "",
    "Straße",
    "x\\ny",
    "0",
    "éé",
]

FURTHER = ["", ', "section": "core"', ', "tags": {"a": "b", "n": 1}', ', "eval_time_ms": 1.5', ', "error": null']


def rows(chance: Random) -> bytes:
    """Return rows of one or two shapes, as files have them, with some odd ones among them."""
    lines = []
    for number in range(chance.randrange(1, 40)):
        expected, output = chance.choice(WORDS[:8]), chance.choice(WORDS)
        texts = f'"prompt": "?", "expected_answer": "{expected}", "output": "{output}"'
        lines.append(f'{{"id": "i{number}", {texts}{chance.choice(FURTHER)}}}\n')
    data = "".join(lines).encode()
    kind = chance.random()
    if kind < 0.3:
        return data
    if kind < 0.5:
        return data + json_lines([{"id": "z", "expected_answer": "x", "output": chance.choice(TEXTS)}])
    return mutated(chance, data) if kind < 0.85 else data + json_lines([wild_row(chance)])


def outcome(folder: Path, name: str, scorer: str) -> object:
    options = EvaluateOptions(dataset=str(folder / "data.jsonl"), scorer=scorer, runs_dir=folder / "runs", name=name)
    try:
        evaluation = evaluate(options)
    except SteelyardError as error:
        return json.dumps(error.as_dict(), sort_keys=True)
    files = sorted(path for path in evaluation.path.rglob("*") if path.is_file() and path.parent.name == "eval")
    journal = (evaluation.path / "predictions.jsonl").read_bytes()
    return {path.name: path.read_bytes() for path in files} | {"journal": journal}


def run(seeds: range, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    whole = 0
    for seed in seeds:
        chance = Random(seed)
        (folder / "data.jsonl").write_bytes(rows(chance))
        scorer = chance.choice(["answer_correctness@v1", "text@v1"])
        monkeypatch.setattr("steelyard.pipeline.evaluation.block_path", partial(block_path, smallest=0))
        by_columns = outcome(folder, f"c{seed}", scorer)
        monkeypatch.setattr("steelyard.pipeline.evaluation.block_path", lambda *_: None)
        by_rows = outcome(folder, f"r{seed}", scorer)
        assert by_columns == by_rows, f"seed {seed}: {(folder / 'data.jsonl').read_bytes()!r}"
        whole += isinstance(by_rows, dict)
    return whole


def test_a_sample_of_datasets_gives_the_same_by_columns_and_by_rows(tmp_path, monkeypatch):
    assert run(range(SAMPLE), tmp_path, monkeypatch) > SAMPLE // 5


@pytest.mark.campaign
@pytest.mark.parametrize("start", range(0, CAMPAIGN, CHUNK))
def test_a_fuzz_campaign_of_datasets_gives_the_same_by_columns_and_by_rows(tmp_path, monkeypatch, start):
    assert run(range(start, start + CHUNK), tmp_path, monkeypatch) > CHUNK // 5
