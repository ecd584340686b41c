"""Repeats of one evaluation, and plans made from them."""

import json
from pathlib import Path

import numpy as np
import pytest

from steelyard.comparison.planning import design_effect
from steelyard.comparison.repeats import flip_rates, noise
from steelyard.errors import UsageError
from steelyard.kinds.repeats import evaluate_repeats
from steelyard.runs.recording import read_finished
from steelyard.tasks.loading import EvaluateOptions
from steelyard.verdicts.planning import PlanOptions, plan
from tests.made_runs import make_run


def options(folder: Path, **more) -> EvaluateOptions:
    dataset = folder / "items.jsonl"
    dataset.write_text("".join(f'{{"id": "{row}", "input": "q", "reference": "yes"}}\n' for row in range(4)))
    for repeat, answers in enumerate(("yyyn", "yynn", "yynn"), start=1):
        rows = [{"id": f"{row}", "prediction": "yes" if mark == "y" else "no"} for row, mark in enumerate(answers)]
        (folder / f"answers-{repeat}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = {"predictions": str(folder / "answers-{repeat}.jsonl")} | more
    task = {"task": "t", "scorers": ["answer_correctness@v1"], "metrics": []}
    return EvaluateOptions(task=task, dataset=str(dataset), name="one", runs_dir=folder / "runs", **given)


def test_repeats_tell_flip_rates_the_noise_floor_and_flaky_items(tmp_path: Path):
    found = evaluate_repeats(options(tmp_path), 3)
    report = json.loads((found.first.path / "eval" / "repeats.json").read_text())
    # Item 2 passes once in three: two of three pairs disagree, over four items.
    assert report["flip_rate"] == pytest.approx(2 / 3 / 4)
    assert report["flaky"] == [{"item_id": "2", "flip_rate": pytest.approx(2 / 3), "pass_rate": pytest.approx(1 / 3)}]
    metric = report["metrics"]["answer_correctness"]
    assert metric["values"] == [0.75, 0.5, 0.5]
    assert metric["within_variance"] == pytest.approx(1 / 3 / 4)  # the sample variance of 1, 0, 0 is 1/3
    assert metric["noise_floor"] == pytest.approx(1.959964 * np.sqrt(2 * (1 / 12) / 4))
    assert [entry.path.name for entry in found.others] == ["one.r2", "one.r3"]


def test_a_task_s_metrics_over_repeats_are_in_the_report(tmp_path: Path):
    found = evaluate_repeats(options(tmp_path, metrics=("pass@1", "pass@2", "majority")), 3)
    over = found.report["over_repeats"]
    # Of three repeats three, three, one and none pass: with two of them drawn, item 2 has one that passes in 2 of 3.
    assert [over[name]["value"] for name in ("pass@1", "pass@2", "majority")] == pytest.approx([7 / 12, 8 / 12, 0.5])
    assert over["pass@2"]["signature"] == "pass_at_k@v1|k=2"
    assert (over["majority"]["n_tied"], over["majority"]["tied"]) == (0, [])


def test_more_attempts_than_repeats_are_refused_before_anything_is_asked(tmp_path: Path):
    with pytest.raises(UsageError, match="pass@4 takes 4 repeats of each item, and --repeats is 3"):
        evaluate_repeats(options(tmp_path, metrics=("pass@4",)), 3)
    assert not (tmp_path / "runs").exists()


def test_stored_predictions_without_a_place_for_the_repeat_are_refused(tmp_path: Path):
    with pytest.raises(UsageError, match="say the same every time"):
        evaluate_repeats(options(tmp_path, predictions=str(tmp_path / "answers-1.jsonl")), 3)


def test_a_model_is_asked_again_with_a_seed_of_its_own(tmp_path: Path):
    seen = []

    def run(one: EvaluateOptions):
        seen.append((one.name, one.generation_seed, one.cache))
        path = make_run(tmp_path / "runs", one.name, [1, 0])
        return read_finished(path)

    evaluate_repeats(options(tmp_path, predictions=None, model="mock"), 3, run=run)
    assert seen == [("one", 0, False), ("one.r2", 1, False), ("one.r3", 2, False)]


def test_the_noise_floor_is_what_one_pair_in_twenty_exceeds():
    generator = np.random.default_rng(3)
    rates = generator.random(400)
    scores = (generator.random((400, 200)) < rates[:, None]).astype(float)
    floor = noise(scores[:, :10])["noise_floor"]
    means = scores.mean(axis=0)
    apart = np.abs(means[:100] - means[100:])
    assert 0.0 <= (apart > floor).mean() <= 0.12


def test_items_that_never_flip_have_a_rate_of_zero():
    assert flip_rates(np.array([[True, True], [False, False]])).tolist() == [0.0, 0.0]


def asked(folder: Path, **more):
    return plan(PlanOptions(effect=0.02, runs_dir=folder, **more))


def test_without_a_baseline_the_worst_case_is_planned_for(tmp_path: Path):
    # (1.959964 + 0.841621)^2 * 0.5 / 0.02^2 = 9811.1
    assert asked(tmp_path).items == 9812


def test_a_baseline_s_variance_says_how_many_items(tmp_path: Path):
    make_run(tmp_path, "a", [1] * 90 + [0] * 10)
    found = asked(tmp_path, baseline="a")
    # Variance 0.09 on each side: 7.848880 * 0.18 / 0.0004 = 3532.0
    assert (found.items, found.n_baseline) == (3532, 100)
    assert found.agreement is None


def test_repeats_that_agree_ask_for_fewer_items(tmp_path: Path):
    path = make_run(tmp_path, "a", [1] * 90 + [0] * 10)
    (path / "eval" / "repeats.json").write_text(json.dumps({"metrics": {"score": {"within_variance": 0.01}}}))
    found = asked(tmp_path, baseline="a")
    # 2 * 0.01 and the effect's own 0.02 - 0.0004: 7.848880 * 0.0396 / 0.0004 = 777.0
    assert found.items == 778
    assert found.agreement == pytest.approx(1 - 0.01 / 0.09)


def test_conversations_ask_for_more_items(tmp_path: Path):
    clusters = [f"c{row // 10}" for row in range(100)]
    make_run(tmp_path, "a", [1] * 50 + [0] * 50, clusters=clusters)
    assert asked(tmp_path, baseline="a").design_effect == pytest.approx(10)  # ten equal items count as one
    assert design_effect(np.array([0.0, 1.0, 0.0, 1.0]), np.array([1, 1, 2, 2])) == 1.0


@pytest.mark.parametrize("question", [{"effect": 0}, {"effect": 2}, {"effect": 0.1, "power": 1}])
def test_a_question_without_an_answer_is_refused(tmp_path: Path, question):
    with pytest.raises(UsageError, match="between 0 and 1"):
        plan(PlanOptions(runs_dir=tmp_path, **question))
