"""Trainings that end in an evaluation, with models of a few thousand parameters made on the spot."""

import json
import re
from pathlib import Path

import polars
import pytest
from jsonschema import Draft202012Validator

from steelyard.datasets.versions import add_dataset
from steelyard.errors import ConfigurationError, IncompleteError, InputError, UsageError
from steelyard.kinds.rejudging import RescoreOptions, rescore
from steelyard.kinds.reproduction import reproduce_run, verify_run
from steelyard.kinds.training.order import train
from steelyard.kinds.training.planning import TrainOptions, plan_training
from steelyard.reading.yaml_file import read_yaml
from steelyard.runs.places import Watching
from steelyard.schemas import schema_of
from steelyard.store.directories import read_run
from tests.tiny_models import make_causal, make_classifier, make_seq2seq

# Models this small learn nothing but what they are then tested on.
pytestmark = pytest.mark.filterwarnings("ignore:.* rows to test on .* rows to train on:UserWarning")

CAPITALS = {"peru": "lima", "france": "paris", "kenya": "nairobi", "italy": "rome"}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    root = tmp_path_factory.mktemp("bases")
    make_causal(root / "causal")
    make_seq2seq(root / "seq2seq")
    make_classifier(root / "classifier", labels=("a", "b", "c"))
    return root


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("data/train.jsonl", questions() * 3)
    write("data/test.jsonl", questions())
    return tmp_path


def write(name, rows):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def questions(source="human", extra=("", "yes")):
    return [
        {"instruction": f"what is the capital of {land} ?", "input": more, "output": city, "tags": {"source": source}}
        for more in extra
        for land, city in CAPITALS.items()
    ]


def values(base, **more):
    return {
        "base_model": str(base),
        "dataset": "data",
        "epochs": 4,
        "batch_size": 8,
        "lr": 0.02,
        "threads": 1,
        "device": "cpu",
        "generation": {"max_new_tokens": 3},
        **more,
    }


def run(base, name="first", training=None, resume=None, **more):
    given = TrainOptions(values=values(base, **more), name=name, resume=resume)
    return train(given, Watching(trained=training))


def test_an_sft_training_writes_every_artifact_and_evaluates_itself(models, folder):
    trained = run(models / "causal", epochs=30, eval={"slice_by_tags": ["source"], "hard_examples": 3})
    assert trained.outcome.final_loss < trained.outcome.first_loss
    assert trained.evaluation.results["metrics"]["f1"] > 0.7
    names = {str(path.relative_to(trained.path)) for path in trained.path.rglob("*") if path.is_file()}
    assert names >= {
        "run.json", "config.yaml", "environment.json", "hashes.json", "manifest.json", "predictions.jsonl",
        "train_log.jsonl", "train_summary.json", "adapter/adapter_config.json", "adapter/adapter_model.safetensors",
        "tokenizer/tokenizer.json", "eval/eval_results.json", "eval/items.parquet", "eval/hard_examples.jsonl",
    }  # fmt: skip
    assert not any(name.endswith((".bin", ".pt", ".pth")) for name in names)
    log = [json.loads(line) for line in (trained.path / "train_log.jsonl").read_text().splitlines()]
    assert [line["step"] for line in log] == list(range(1, trained.outcome.steps + 1))
    assert [*log[0]] == ["step", "epoch", "loss", "learning_rate", "grad_norm"]
    hashes = json.loads((trained.path / "hashes.json").read_text())
    assert {*hashes} == {
        "config", "data", "environment", "reproducibility", "adapter", "items", "journal", "fingerprint",
    }  # fmt: skip
    assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", value) for value in hashes.values())
    assert trained.evaluation.results["slices"]["source"]["human"]["n"] == 8
    Draft202012Validator(schema_of("eval-results")).validate(trained.evaluation.results)
    Draft202012Validator(schema_of("training")).validate(read_yaml(trained.path / "config.yaml")["training"])


def test_eval_loss_and_perplexity_are_token_weighted_over_the_journal(models):
    trained = run(models / "causal", epochs=1)
    rows = [json.loads(line) for line in (trained.path / "predictions.jsonl").read_text().splitlines()]
    loss = sum(row["loss"] * row["n_tokens"] for row in rows) / sum(row["n_tokens"] for row in rows)
    metrics = trained.evaluation.results["metrics"]
    assert metrics["eval_loss"] == pytest.approx(loss, rel=1e-12)
    assert metrics["perplexity"] == pytest.approx(2.718281828459045**loss, rel=1e-9)


def test_a_classification_training_gives_labels_and_a_confusion_matrix(models, folder):
    texts = {"positive": "the film was very good", "negative": "the film was awful and boring"}
    rows = [{"text": f"{text} {w}", "label": label} for label, text in texts.items() for w in ("one", "two", "three")]
    write("reviews/train.jsonl", rows * 4)
    write("reviews/val.jsonl", rows)
    trained = run(models / "classifier", task="classification", dataset="reviews", epochs=10)
    assert trained.outcome.labels == ["negative", "positive"]
    assert trained.evaluation.results["metrics"]["accuracy"] > 0.8
    assert (trained.path / "eval" / "confusion_matrix.json").is_file()
    first = json.loads((trained.path / "predictions.jsonl").read_text().splitlines()[0])
    assert {*first["probabilities"]} == {"negative", "positive"}


def test_a_seq2seq_base_is_trained_too(models):
    trained = run(models / "seq2seq", epochs=1)
    assert trained.evaluation.results["scorecard"]["n_items"] == 8


def test_without_a_test_split_the_run_is_complete_and_not_evaluated(models, folder):
    (folder / "data" / "test.jsonl").unlink()
    trained = run(models / "causal", epochs=1)
    assert trained.evaluation is None
    assert read_run(trained.path).flags == ["not_evaluated"]
    with pytest.raises(UsageError, match="not-for-this-kind"):
        rescore(RescoreOptions(run=trained.path.name))


def test_a_dry_run_checks_everything_and_writes_nothing(models, folder):
    summary = plan_training(TrainOptions(values=values(models / "causal"))).summary()
    assert (summary["train_rows"], summary["steps"]) == (24, 12)
    assert not (folder / "runs").exists()


def test_the_command_line_wins_over_the_file(models, folder):
    (folder / "train.yaml").write_text(json.dumps(values(models / "causal")))
    options = TrainOptions(config=folder / "train.yaml", overrides={"epochs": 2.0, "lr": None, "lora_r": 3})
    settings = plan_training(options).settings
    assert (settings.epochs, settings.lr, settings.lora_r) == (2.0, 0.02, 3)


def test_bad_rows_and_unknown_keys_are_refused_before_anything_is_trained(models, folder):
    write("data/train.jsonl", [*questions(), {"instruction": "x", "output": 3}, {"instruction": "y", "output": ""}])
    with pytest.raises(InputError) as caught:
        plan_training(TrainOptions(values=values(models / "causal")))
    assert caught.value.total == 2
    with pytest.raises(ConfigurationError, match="did you mean 'epochs'"):
        plan_training(TrainOptions(values=values(models / "causal", epoch=3)))


def test_a_loss_that_is_no_number_ends_as_failed_with_its_log(models, folder):
    with pytest.raises(IncompleteError, match="training-failed"):
        run(models / "causal", lr=3e38, epochs=10)
    path = folder / "runs" / "first"
    record = read_run(path)
    assert record.status == "failed"
    assert "loss is" in record.error
    log = [json.loads(line) for line in (path / "train_log.jsonl").read_text().splitlines()]
    assert log[0]["loss"] > 0
    assert log[-1]["loss"] is None


def test_a_stopped_training_goes_on_from_its_checkpoint_to_the_same_adapter(models, folder):
    whole = run(models / "causal", name="whole", save_steps=5)

    def stop(step, total):
        if step == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(models / "causal", training=stop, save_steps=5)
    assert read_run(folder / "runs" / "first").status == "interrupted"
    resumed = train(TrainOptions(resume="first"))
    assert resumed.outcome.resumed_from_step == 5
    logs = [(path / "train_log.jsonl").read_text() for path in (whole.path, resumed.path)]
    assert logs[0] == logs[1]
    adapters = [(path / "adapter" / "adapter_model.safetensors").read_bytes() for path in (whole.path, resumed.path)]
    assert adapters[0] == adapters[1]
    results = [(path / "eval" / "eval_results.json").read_bytes() for path in (whole.path, resumed.path)]
    assert results[0] == results[1]


def test_a_complete_training_is_not_resumed(models):
    run(models / "causal", epochs=1)
    with pytest.raises(UsageError, match="complete"):
        train(TrainOptions(resume="first"))


def test_a_run_is_verified_and_made_again_with_the_same_numbers(models, folder):
    run(models / "causal", epochs=2)
    assert verify_run("first", Path("runs")).verdict == "reproducible"
    again = reproduce_run("first", Path("runs"))
    assert (again.differences, again.again.name) == ([], "first-reproduced")


def test_changed_data_and_configuration_are_told(models, folder):
    run(models / "causal", epochs=1)
    with (folder / "data" / "test.jsonl").open("a") as stream:
        stream.write("\n")
    config = folder / "runs" / "first" / "config.yaml"
    config.write_text(config.read_text() + "# changed\n")
    found = verify_run("first", Path("runs"))
    assert [check.what for check in found.checks if not check.matches] == ["config", "data"]
    with pytest.raises(InputError, match="bytes have changed"):
        reproduce_run("first", Path("runs"))


def test_two_versions_of_a_dataset_are_trained_on_and_kept_apart(models, folder):
    first, _ = add_dataset(Path("data"), "ds_abc")
    write("data/train.jsonl", [*questions() * 3, *questions("synthetic", ("no",)) * 3])
    write("data/test.jsonl", [*questions(), *questions("synthetic", ("no",))])
    add_dataset(Path("data"), "ds_abc")
    for version in ("v1", "v2"):
        run(models / "causal", name=f"on-{version}", dataset=f"ds_abc@{version}", epochs=2)
    records = [read_run(Path("runs") / f"on-{version}") for version in ("v1", "v2")]
    assert [record.dataset["version"] for record in records] == ["ds_abc@v1", "ds_abc@v2"]
    table = polars.read_parquet("runs/on-v2/eval/items.parquet")
    shared = {*table["item_id"]} & {*polars.read_parquet("runs/on-v1/eval/items.parquet")["item_id"]}
    assert len(shared) == 8
    assert json.loads(Path("runs/on-v1/manifest.json").read_text()) == first.as_dict()


def test_rows_that_are_trained_and_tested_on_are_told_by_the_training_and_its_report(models):
    with pytest.warns(UserWarning, match="data: of 8 rows to test on 8 stand exactly among 24 rows to train on"):
        trained = train(TrainOptions(values=values(models / "causal"), name="first"))
    page = (trained.path / "eval" / "report.html").read_text()
    assert "of 8 rows to test on 8 stand exactly among 24 rows to train on" in page
