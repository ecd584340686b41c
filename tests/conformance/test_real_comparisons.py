"""Real systems compared: flips are those that the files themselves say, and totals those of reference code."""

import collections
import gzip
import json
import re
import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import steelyard

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
Data = Callable[[str], Path]


def packed(path: Path) -> list[dict]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().split("\n")[:-1]]


def plain(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def counts(first: list[bool], second: list[bool]) -> tuple[int, int]:
    """Return how many were won and how many lost."""
    return sum(b and not a for a, b in zip(first, second, strict=True)), sum(
        a and not b for a, b in zip(first, second, strict=True)
    )


def flips(folder: Path, first: str, second: str, **options) -> tuple[int, int]:
    paired = steelyard.compare(first, second, runs_dir=folder / "runs", **options).deltas[second].paired
    return paired.improved, paired.regressed


def prepared(example: str, *arguments: Path) -> None:
    subprocess.run([sys.executable, EXAMPLES / example / "prepare.py", *arguments], check=True)


def task(path: Path, folder: Path, **changes) -> dict:
    """Return a task whose dataset stands in a folder of the test."""
    content = yaml.safe_load(path.read_text())
    return content | {"dataset": str(folder / content["dataset"])} | changes


MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")


def test_four_gsm8k_models_flip_as_their_labels_say(tmp_path: Path, shared_data: Data):
    file = shared_data("gsm8k") / "example_model_solutions.jsonl.gz"
    rows = packed(file)
    content = yaml.safe_load((EXAMPLES / "gsm8k" / "task.yaml").read_text()) | {"dataset": str(file)}
    for name in MODELS:
        fields = content["fields"] | {"prediction": f"{name}.solution"}
        steelyard.evaluate(content | {"fields": fields}, name=name, runs_dir=tmp_path / "runs")
    labels = {name: [row[name]["is_correct"] for row in rows] for name in MODELS}
    for name in MODELS[1:]:
        assert flips(tmp_path, MODELS[0], name) == counts(labels[MODELS[0]], labels[name])
    found = steelyard.compare(*MODELS, runs_dir=tmp_path / "runs")
    assert [figure.value * 651 for figure in found.overall.values()] == pytest.approx([143, 256, 224, 349])


def official(text: str) -> str:
    """Normalise as SQuAD's evaluate-v1.1.py does."""
    text = "".join(letter for letter in text.lower() if letter not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def official_f1(prediction: str, truth: str) -> float:
    """Token F1 as SQuAD's evaluate-v1.1.py has it."""
    first, second = official(prediction).split(), official(truth).split()
    same = sum((collections.Counter(first) & collections.Counter(second)).values())
    return 2 * same / (len(first) + len(second)) if same else 0.0


def test_five_squad_systems_flip_as_the_official_script_judges(tmp_path: Path, shared_data: Data):
    data = shared_data("squad_xquad_en")
    prepared("compare-squad", data, tmp_path)
    items = plain(tmp_path / "items.jsonl")
    systems = {path.stem.removeprefix("pred_"): json.loads(path.read_text()) for path in data.glob("pred_*.json")}
    content = task(EXAMPLES / "compare-squad" / "task.yaml", tmp_path)
    for name in systems:
        answers = tmp_path / f"{name}.jsonl"
        steelyard.evaluate(content, predictions=answers, name=name, runs_dir=tmp_path / "runs")
    assert len(systems) == 5
    best = "1.1_bert_ensemble"
    for name in set(systems) - {best}:
        judged = [
            [official(found.get(item["id"], "\0")) == official(item["reference"]) for item in items]
            for found in (systems[best], systems[name])
        ]
        scores = [
            [official_f1(found.get(item["id"], ""), item["reference"]) for item in items]
            for found in (systems[best], systems[name])
        ]
        assert flips(tmp_path, best, name, metric="exact_match") == counts(*judged)
        found = steelyard.compare(best, name, metric="f1", runs_dir=tmp_path / "runs").deltas[name]
        assert found.delta == pytest.approx(sum(scores[1]) / 658 - sum(scores[0]) / 658)


def test_two_convfinqa_runs_flip_as_their_authors_say(tmp_path: Path, shared_data: Data):
    data = shared_data("convfinqa")
    prepared("compare-convfinqa", data, tmp_path)
    content = task(EXAMPLES / "compare-convfinqa" / "task.yaml", tmp_path)
    verdicts = []
    for name in ("morning", "noon"):
        answers = tmp_path / f"{name}.jsonl"
        rows = plain(answers)
        verdicts.append({row["id"]: row["their_verdict"] == "right" for row in rows})
        run = steelyard.evaluate(content, predictions=answers, name=name, runs_dir=tmp_path / "runs")
        assert run.primary_score * 681 == pytest.approx(sum(verdicts[-1].values()))
    ids = list(verdicts[0])
    assert flips(tmp_path, "morning", "noon") == counts(*[[found[key] for key in ids] for found in verdicts]) == (1, 8)


def test_bbh_direct_and_chain_of_thought_flip_by_task_as_the_files_say(tmp_path: Path, shared_data: Data):
    data = shared_data("bbh_direct_vs_cot")
    prepared("compare-bbh", data, tmp_path / "items.jsonl")
    for name in ("direct", "cot"):
        content = task(EXAMPLES / "compare-bbh" / f"{name}.yaml", tmp_path)
        steelyard.evaluate(content, name=name, runs_dir=tmp_path / "runs")
    found = steelyard.compare("direct", "cot", slice_by=["task"], runs_dir=tmp_path / "runs")
    for row in found.slices["task"]:
        items = packed(data / f"{row.value}.jsonl.gz")
        direct = [item["output_direct"]["prediction"].strip() == item["target"] for item in items]
        cot = [_behind(item["output_cot"]["prediction"]) == item["target"] for item in items]
        paired = row.deltas["cot"].paired
        assert (paired.improved, paired.regressed) == counts(direct, cot)
    assert found.contract.differences[0].field == "prompt_version"


def _behind(text: str) -> str:
    """Return what the data's own rule takes: behind "answer is", up to the final period."""
    return text.rsplit("answer is ", maxsplit=1)[-1].strip().removesuffix(".")


def test_two_sst2_systems_flip_as_their_labels_say(tmp_path: Path, shared_data: Data):
    file = shared_data("classif_sst2_two_systems") / "sst2.jsonl"
    rows = plain(file)
    content = yaml.safe_load((EXAMPLES / "compare-sst2" / "task.yaml").read_text()) | {"dataset": str(file)}
    for name in ("cnn", "lstm"):
        steelyard.evaluate(content, prediction_field=f"pred_{name}", name=name, runs_dir=tmp_path / "runs")
    right = [[row["label"] == row[f"pred_{name}"] for row in rows] for name in ("cnn", "lstm")]
    assert flips(tmp_path, "cnn", "lstm", metric="accuracy") == counts(*right) == (101, 59)
    found = steelyard.compare("cnn", "lstm", metric="macro_f1", runs_dir=tmp_path / "runs")
    # scikit-learn's figures, from the README of the data.
    assert [figure.value for figure in found.overall.values()] == pytest.approx(
        [0.8571744025252854, 0.8802696344553023]
    )
