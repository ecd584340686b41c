"""A model whose files are not what they were is refused by `eval --run` and by `reproduce`, through the command."""

import json
import shutil
from pathlib import Path

import pytest

from tests.tamper.worlds import inside, steelyard
from tests.tiny_models import make_causal

CAPITALS = {"peru": "lima", "france": "paris", "kenya": "nairobi", "italy": "rome"}
TRAIN = """
base_model: tiny
task: sft
dataset: data
epochs: 2
batch_size: 8
lr: 0.02
threads: 1
device: cpu
generation: {max_new_tokens: 3}
"""
OTHER_DATA = "eval --run first --test-data other.jsonl --name other"


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    with inside(folder):
        make_causal(folder / "tiny")
        rows = [{"instruction": f"what is the capital of {land} ?", "output": city} for land, city in CAPITALS.items()]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        Path("data").mkdir()
        Path("data/train.jsonl").write_text(text * 3)
        for name in ("data/test.jsonl", "other.jsonl"):
            Path(name).write_text(text)
        Path("train.yaml").write_text(TRAIN)
        found = steelyard("train --config train.yaml --name first")
        assert found.code == 0, found
    return folder


@pytest.fixture
def folder(trained: Path):
    """Stand in the folder of the training, and bring its runs and its base back afterwards."""
    kept = trained.parent / "kept"
    shutil.copytree(trained, kept)
    with inside(trained):
        yield trained
    shutil.rmtree(trained)
    kept.rename(trained)


def change(name: str) -> None:
    content = bytearray(Path(name).read_bytes())
    content[-1] ^= 1
    Path(name).write_bytes(content)


CHANGES = {
    "adapter": "runs/first/adapter/adapter_model.safetensors",
    "tokenizer": "runs/first/tokenizer/tokenizer.json",
    "model": "tiny/model.safetensors",
}


@pytest.mark.parametrize("what", CHANGES)
def test_other_files_are_refused_where_the_model_is_asked_and_where_the_run_is_made_again(folder: Path, what: str):
    change(CHANGES[what])
    for line in (OTHER_DATA, "reproduce --run first"):
        found = steelyard(line)
        assert (found.code, "[hash-mismatch]" in found.err, what in found.err) == (3, True, True), (line, found)
        assert not Path("runs/other").exists()
    found = steelyard("reproduce --run first --verify-only")
    assert (found.code, "model: MISMATCH" in found.out) == (3, True)


@pytest.mark.parametrize("what", ["adapter", "tokenizer"])
def test_other_files_are_refused_where_stored_answers_are_judged_again(folder: Path, what: str):
    change(CHANGES[what])
    found = steelyard("eval --run first")
    assert (found.code, f"the {what}'s hash is" in found.err) == (3, True)
    Path(CHANGES[what]).unlink()
    assert f"a file of the {what} is not there" in steelyard("eval --run first").err


def test_the_same_files_are_taken(folder: Path):
    assert steelyard("eval --run first").code == 0
    assert steelyard(OTHER_DATA).code == 0
    found = steelyard("reproduce --run first --verify-only")
    assert (found.code, "model: match (the model's files have the same bytes)" in found.out) == (0, True)


def test_a_model_that_was_asked_without_a_training_is_held_to_its_files_too(folder: Path):
    adapted = "hf:tiny+adapter=runs/first/adapter"
    task = "--dataset other.jsonl --scorer text@v1 --threads 1"
    made = steelyard(f"eval --model {adapted} {task} --name asked")
    assert made.code == 0, made
    assert json.loads(Path("runs/asked/run.json").read_bytes())["model"]["tokenizer"].startswith("sha256:")
    change(CHANGES["tokenizer"])
    found = steelyard("reproduce --run asked")
    assert (found.code, "the tokenizer's hash is" in found.err) == (3, True), found
