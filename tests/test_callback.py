"""The evaluation inside anyone's own Trainer."""

import json

import pytest
import transformers

from steelyard.callback import SteelyardCallback
from steelyard.errors import InputError
from steelyard.records.training import TrainingRow
from steelyard.training.examples import Collator, causal_examples
from tests.tiny_models import make_causal

ROW = {"instruction": "what is the capital of peru ?", "input": "", "output": "lima"}


@pytest.fixture
def parts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_causal(tmp_path / "base")
    (tmp_path / "test.jsonl").write_text(json.dumps(ROW) + "\n")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "base")
    return transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "base"), tokenizer


def trained(model, tokenizer, callback):
    import torch

    rows = causal_examples([TrainingRow(ROW["instruction"], ROW["output"])] * 40, tokenizer, 64)
    arguments = transformers.TrainingArguments(
        "out", max_steps=40, learning_rate=0.01, use_cpu=True, report_to=[], save_strategy="no", disable_tqdm=True,
        dataloader_pin_memory=False,
    )  # fmt: skip
    trainer = transformers.Trainer(
        model, arguments, train_dataset=rows, data_collator=Collator(torch, 0), callbacks=[callback]
    )
    trainer.train()


def test_a_run_is_left_behind_when_the_training_ends(parts):
    model, tokenizer = parts
    task = {"task": "capitals", "dataset": "test.jsonl", "generation": {"max_new_tokens": 3}}
    callback = SteelyardCallback(tokenizer, task, name="inside")
    trained(model, tokenizer, callback)
    evaluation = callback.evaluation
    assert evaluation.run.status == "completed"
    assert evaluation.results["metrics"]["exact_match"] == 1
    assert evaluation.results["metrics"]["eval_loss"] < 0.5
    assert (evaluation.path / "eval" / "items.parquet").is_file()


def test_what_is_wrong_with_the_task_is_told_before_the_training(parts, tmp_path):
    (tmp_path / "test.jsonl").write_text('{"instruction": "x", "output": ""}\n')
    with pytest.raises(InputError, match="empty-reference"):
        SteelyardCallback(parts[1], {"task": "capitals", "dataset": "test.jsonl"})
