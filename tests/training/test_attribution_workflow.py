"""Seed 001's attribution workflow as it stands there, with `steelyard`: two trainings, one sliced comparison."""

import json
from pathlib import Path

import pytest

from steelyard.cli.main import main
from tests.tiny_models import make_causal

TRAIN_YAML = """
base_model: tiny
task: sft
epochs: 25
batch_size: 8
lr: 2e-2
threads: 1
device: cpu
generation: {max_new_tokens: 4}
eval:
  format_rules:
    - name: "ends_with_period"
      pattern: "\\\\.$"        # regex
    - name: "no_preamble"
      pattern: "^(?!Sure|Of course|I'd be happy)"  # must NOT match
      invert: true
    - name: "max_length"
      max_tokens: 256
  gold_set: "data/gold_eval.jsonl"
  slice_by_tags: ["source", "difficulty", "length_bucket"]
  hard_examples: 50   # number of hard examples to output (default: 50)
"""
CAPITALS = {"peru": "lima", "france": "paris", "kenya": "nairobi", "italy": "rome"}
NUMBERS = {"one plus one": "two", "one plus two": "three", "two plus two": "four", "four minus one": "three"}


def steelyard(*arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0


def human(times=1):
    asked = [(f"what is the capital of {land} ?", f"{city} .") for land, city in CAPITALS.items()]
    return rows(asked, "human") * times


def synthetic(times=1):
    return rows([(f"{sum_} equals ?", f"{total} .") for sum_, total in NUMBERS.items()], "synthetic") * times


def rows(pairs, source):
    tags = {"source": source, "difficulty": "easy"}
    return [{"instruction": asked, "input": "", "output": answer, "tags": tags} for asked, answer in pairs]


def write(name, content):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in content))


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_causal(tmp_path / "tiny")
    Path("train.yaml").write_text(TRAIN_YAML)
    write("data/gold_eval.jsonl", human())
    for version in (human(2), [*human(4)], [*human(4), *synthetic(4)]):
        write("ds/train.jsonl", version)
        write("ds/test.jsonl", [*human(), *synthetic()] if len(version) > 16 else human())
        steelyard("dataset", "add", "ds", "--name", "ds_abc")
    return tmp_path


@pytest.mark.filterwarnings("ignore:rule 'no_preamble'")
@pytest.mark.filterwarnings("ignore:.*gold.*")
def test_the_workflow_of_the_seed_shows_the_sliced_table_with_the_notice(workspace, capsys):
    steelyard("train", "--config", "train.yaml", "--dataset", "ds_abc@v2", "--name", "human-only")
    steelyard("train", "--config", "train.yaml", "--dataset", "ds_abc@v3", "--name", "human-plus-synthetic")
    capsys.readouterr()
    runs = "runs/human-only/,runs/human-plus-synthetic/"
    steelyard("compare", "--runs", runs, "--metric", "f1", "--slice-by", "source")
    table = capsys.readouterr().out
    shown = {}
    for line in filter(str.strip, table.splitlines()):
        shown.setdefault(line.split()[0], line.split()[1:])
    assert shown["Run"] == ["Overall", "source=human", "source=synthetic"]
    assert shown["human-only"][2] == "N/A"
    assert shown["human-plus-synthetic"][2] != "N/A"
    assert shown["Delta:"][2] == "N/A"
    assert "do not prove causation" in " ".join(table.split())
    results = json.loads(Path("runs/human-plus-synthetic/eval/eval_results.json").read_text())
    assert {*results["slices"]} == {"source", "difficulty", "length_bucket"}
    assert 0 <= results["metrics"]["format_compliance"] <= 1
    assert results["metrics"]["gold_set_accuracy"] is not None
    overall = float(shown["human-plus-synthetic"][0])
    assert overall == pytest.approx(results["metrics"]["f1"], abs=5e-5)
