"""Seed 001's evaluation over stored predictions: its YAML as it stands there, its keys, its shapes."""

import hashlib
import json
import math
import sys
from dataclasses import replace

import pytest
import yaml

from steelyard.configuration.rules import PreambleRuleWarning
from steelyard.errors import ConfigurationError, InputError
from steelyard.kinds.rejudging import RescoreOptions, rescore
from steelyard.kinds.task.order import evaluate
from steelyard.tasks.loading import EvaluateOptions
from steelyard.tasks.preparation import GoldSetWarning

SEED_RULES = r"""
eval:
  format_rules:
    - name: "ends_with_period"
      pattern: "\\.$"        # regex
    - name: "no_preamble"
      pattern: "^(?!Sure|Of course|I'd be happy)"  # must NOT match
      invert: true
    - name: "max_length"
      max_tokens: 256
"""

ROWS = [
    ("a", "The cat sat.", "The cat sat.", {"source": "human", "difficulty": "hard"}),
    ("b", "Sure, the dog sat.", "The dog sat.", {"source": "synthetic", "difficulty": "hard"}),
    ("c", "no idea", "The cow sat.", {"source": "synthetic"}),
    ("d", "word " * 300 + ".", "The hen sat.", {"source": "human", "difficulty": ""}),
]


@pytest.fixture
def evaluated(tmp_path):
    """Evaluate rows of (id, prediction, reference, tags) under a task's content."""

    def run(rows=ROWS, name="run", extra=None, **task):
        dataset = tmp_path / f"{name}.jsonl"
        lines = [
            {"id": key, "input": f"input {key}", "output": reference, "prediction": prediction, "tags": tags}
            | (extra or {}).get(key, {})
            for key, prediction, reference, tags in rows
        ]
        dataset.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        content = {"task": "seed", "dataset": str(dataset), "answer_type": "text", **task}
        path = tmp_path / f"{name}.yaml"
        path.write_text(yaml.safe_dump(content), "utf-8")
        return evaluate(EvaluateOptions(task_file=path, runs_dir=tmp_path / "runs", name=name))

    return run


def test_the_seeds_rules_load_verbatim_and_no_preamble_means_what_it_says(evaluated):
    with pytest.warns(PreambleRuleWarning, match="must not begin with these words") as caught:
        results = evaluated(**yaml.safe_load(SEED_RULES)).results
    message = str(caught[0].message)
    assert 'pattern: "^(?:Sure|Of course|I\'d be happy)" with invert: true' in message
    assert 'pattern: "^(?!Sure|Of course|I\'d be happy)" without invert' in message
    rates = {name: entry["value"] for name, entry in results["format_rules"].items()}
    assert rates == {"ends_with_period": 0.75, "no_preamble": 0.75, "max_length": 0.75}
    assert results["metrics"]["format_compliance"] == 0.25


def test_without_rules_there_is_no_format_compliance(evaluated):
    results = evaluated().results
    assert "format_compliance" not in results["metrics"]
    assert "format_rules" not in results


def test_metrics_that_lack_what_they_need_are_unavailable_with_the_reason(evaluated):
    results = evaluated(metrics=["f1", "format_compliance", "gold_set_accuracy", "perplexity"]).results
    assert set(results["unavailable"]) == {"format_compliance", "gold_set_accuracy", "eval_loss", "perplexity"}
    assert "format_rules" in results["unavailable"]["format_compliance"]
    assert "gold_set" in results["unavailable"]["gold_set_accuracy"]


def test_the_default_set_of_text_is_the_seeds(evaluated):
    results = evaluated().results
    assert {"f1", "exact_match"} <= set(results["metrics"])
    assert set(results["unavailable"]) == {"eval_loss", "perplexity"}
    assert results["metrics"]["exact_match"] == 0.25


def test_the_default_set_of_labels_is_the_seeds(evaluated):
    rows = [("a", "yes", "yes", {}), ("b", "no", "yes", {}), ("c", "no", "no", {})]
    metrics = evaluated(rows, answer_type="label").results["metrics"]
    assert {"accuracy", "macro_f1", "confusion_matrix"} <= set(metrics)
    assert metrics["confusion_matrix"] == [[1, 0], [1, 1]]


def test_losses_in_rows_give_loss_and_perplexity_overall_and_per_slice(evaluated):
    losses = {
        "a": {"loss": 0.5, "n_tokens": 10},
        "b": {"loss": 1.5, "n_tokens": 30},
        "c": {"loss": 1.0, "n_tokens": 20},
        "d": {},
    }
    results = evaluated(extra=losses, eval={"slice_by_tags": ["source"]}).results
    assert results["metrics"]["eval_loss"] == pytest.approx((0.5 * 10 + 1.5 * 30 + 20) / 60)
    assert results["metrics"]["perplexity"] == pytest.approx(math.exp((0.5 * 10 + 1.5 * 30 + 20) / 60))
    assert results["slices"]["source"]["synthetic"]["perplexity"] == pytest.approx(math.exp((1.5 * 30 + 20) / 50))
    assert results["metric_details"]["eval_loss"]["n"] == 3


def test_slices_have_the_seeds_shape_with_untagged_and_intervals(evaluated):
    results = evaluated(eval={"slice_by_tags": ["source", "difficulty", ["source", "difficulty"]]}).results
    slices = results["slices"]
    assert slices["source"]["human"]["n"] == 2
    assert {"n", "f1", "exact_match", "ci_low", "ci_high"} <= set(slices["source"]["human"])
    assert {name: entry["n"] for name, entry in slices["difficulty"].items()} == {"hard": 2, "_untagged": 2}
    assert slices["source & difficulty"]["source=synthetic & difficulty=hard"]["n"] == 1
    assert "do not prove causation" in results["notice"]


def test_derived_tags_are_made_when_a_slice_asks_for_them(evaluated):
    slices = evaluated(eval={"slice_by_tags": ["length_bucket", "answer_type"]}).results["slices"]
    assert slices["length_bucket"]["short"]["n"] == 4
    assert slices["answer_type"]["text"]["n"] == 4


def test_hard_examples_are_the_seeds_file(evaluated):
    run = evaluated(eval={"hard_examples": 2})
    lines = (run.path / "eval" / "hard_examples.jsonl").read_text("utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    assert [entry["rank"] for entry in entries] == [1, 2]
    assert entries[0]["primary_metric_name"] == "f1"
    assert entries[0] | {"item_id": 0, "state": 0, "error_tags": 0} == {
        "rank": 1,
        "primary_metric": 0.0,
        "primary_metric_name": "f1",
        "prediction": "no idea",
        "reference": "The cow sat.",
        "input": "input c",
        "tags": {"source": "synthetic"},
        "input_hash": "sha256:" + hashlib.sha256(b"input c").hexdigest(),
        "item_id": 0,
        "state": 0,
        "error_tags": 0,
    }


def test_corpus_metrics_are_reported_with_intervals_and_per_slice(evaluated):
    results = evaluated(metrics=["bleu", {"name": "chrf", "word_order": 2}], eval={"slice_by_tags": ["source"]}).results
    detail = results["metric_details"]["chrf"]
    assert detail["ci_low"] <= detail["value"] <= detail["ci_high"]
    assert detail["signature"] == "chrf@v1|beta=2,lowercase=false,word_order=2|interval=bootstrap-percentile@v2"
    assert {"bleu", "chrf"} <= set(results["slices"]["source"]["human"])


def test_two_rules_of_one_name_stop_the_run_before_it_starts(evaluated, tmp_path):
    rules = [{"name": "x", "max_tokens": 1}, {"name": "x", "max_tokens": 2}]
    with pytest.raises(ConfigurationError, match="same name"):
        evaluated(eval={"format_rules": rules})
    assert not (tmp_path / "runs" / "run").exists()


class TestGoldSet:
    """`gold_set_accuracy` on a file of its own, with predictions by id from the same predictions file."""

    @pytest.fixture
    def files(self, tmp_path):
        rows = [{"id": f"item-{number}", "input": "q", "output": "yes"} for number in range(3)]
        gold = [{"id": f"gold-{number}", "input": "q", "output": f"answer {number}"} for number in range(60)]
        predictions = [{"id": row["id"], "prediction": "yes"} for row in rows]
        predictions += [{"id": row["id"], "prediction": row["output"].upper()} for row in gold[:45]]
        predictions += [{"id": "stranger", "prediction": "?"}]
        for name, content in (("data", rows), ("gold", gold), ("predictions", predictions)):
            (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in content), "utf-8")
        return tmp_path

    def options(self, folder, **task):
        content = {"task": "gold", "eval": {"gold_set": "gold.jsonl"}, "dataset": "data.jsonl", **task}
        (folder / "task.yaml").write_text(yaml.safe_dump(content), "utf-8")
        predictions = str(folder / "predictions.jsonl")
        return EvaluateOptions(
            task_file=folder / "task.yaml", predictions=predictions, runs_dir=folder / "runs", name="run"
        )

    def test_its_accuracy_is_exact_match_over_all_gold_items(self, files):
        run = evaluate(self.options(files))
        detail = run.results["metric_details"]["gold_set_accuracy"]
        assert (detail["value"], detail["n"], detail["method"]) == (0.75, 60, "wilson")
        assert run.results["metrics"]["gold_set_accuracy"] == 0.75
        assert run.results["scorecard"]["n_items"] == 3

    def test_its_ids_are_not_unknown(self, files):
        run = evaluate(self.options(files))
        assert (run.unknown_total, run.unknown_ids) == (1, (("stranger", 49),))

    def test_it_is_judged_again_from_the_runs_own_journal(self, files):
        before = evaluate(self.options(files)).results
        (files / "predictions.jsonl").unlink()
        after = rescore(RescoreOptions(run="run", runs_dir=files / "runs")).results
        assert after["metric_details"] == before["metric_details"]

    def test_another_size_gets_a_warning(self, files):
        gold = (files / "gold.jsonl").read_text("utf-8").splitlines(keepends=True)
        (files / "gold.jsonl").write_text("".join(gold[:10]), "utf-8")
        with pytest.warns(GoldSetWarning, match="10 items, expected 50 to 200"):
            run = evaluate(self.options(files))
        assert "expected 50 to 200" in run.results["metric_details"]["gold_set_accuracy"]["warning"]

    def test_a_model_is_asked_for_gold_items_after_those_of_the_dataset(self, files, monkeypatch):
        (files / "made_gold.py").write_text(
            "ASKED = []\n"
            "def answers(item):\n"
            "    ASKED.append(item.id)\n"
            "    return item['output'] if item.id != 'gold-0' else 'no idea'\n"
        )
        monkeypatch.setattr(sys, "path", [str(files), *sys.path])
        monkeypatch.setenv("STEELYARD_CACHE_DIR", str(files / "cache"))
        options = replace(self.options(files), predictions=None, model="python:made_gold:answers", concurrency=1)
        run = evaluate(options)
        assert run.results["metrics"]["gold_set_accuracy"] == 59 / 60
        assert run.results["scorecard"]["n_items"] == 3
        assert run.unknown_total == 0
        asked = sys.modules.pop("made_gold").ASKED
        assert set(asked[:3]) == {"item-0", "item-1", "item-2"}
        assert len(asked) == 63


def test_turns_and_operations_are_derived_from_conversations(tmp_path):
    rows = [
        {"id": f"{number}", "conversation_id": f"c{number // 3}", "turn_idx": number % 3, "input": "q", "output": "1"}
        | {"prediction": "1", "program": ["add(1, 2)", "add(1, 2), divide(#0, 3)", "12"][number % 3]}
        for number in range(9)
    ]
    (tmp_path / "turns.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    options = EvaluateOptions(
        dataset=str(tmp_path / "turns.jsonl"), answer_type="text", slice_by=("turn", "operations"), runs_dir=tmp_path
    )
    slices = evaluate(options).results["slices"]
    assert {name: entry["n"] for name, entry in slices["turn"].items()} == {"0": 3, "1": 3, "2": 3}
    assert {name: entry["n"] for name, entry in slices["operations"].items()} == {"0": 3, "1": 3, "2": 3}


def test_a_literal_untagged_value_is_refused(evaluated):
    with pytest.raises(InputError, match="_untagged"):
        evaluated([("a", "x", "x", {"source": "_untagged"})])


def test_a_runaway_rule_is_stopped_and_tagged_and_the_other_items_are_judged(evaluated):
    rows = [("a", "a" * 60 + "b", "x", {}), ("b", "aaa", "x", {}), ("c", "x", "x", {})]
    results = evaluated(rows, eval={"format_rules": [{"name": "runaway", "pattern": "(a|aa)+$"}]}).results
    assert results["error_tags"]["regex_timeout"] == 1
    assert results["format_rules"]["runaway"]["value"] == 1 / 3
    assert results["metrics"]["exact_match"] == 1 / 3
