"""What caused a change, on runs where one thing changed at a time, and everything together.

The parts are computed by hand: a baseline of five items at 0.6 under an exact comparison of numbers.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import steelyard
from steelyard.errors import IncomparableError, InputError, UsageError
from steelyard.kinds.repeats import evaluate_repeats
from steelyard.show.comparison import comparison_text
from steelyard.show.comparison_files import comparison_markdown
from steelyard.tasks.loading import EvaluateOptions
from steelyard.verdicts.gating import GateOptions, gate

REFERENCES = {1: 10, 2: 20, 3: 30, 4: 40, 5: 50}
OUTPUTS = {1: 10, 2: 21, 3: 30, 4: 99, 5: 50}  # right, wrong, right, wrong, right
PARTS = ("model", "scorer", "data", "coverage", "total")


def make(folder: Path, name: str, references, outputs, *, tolerance=None, questions=None, scorer=None) -> None:
    rows = [
        {"id": key, "input": (questions or {}).get(key, f"question {key}"), "reference": value}
        for key, value in references.items()
    ]
    (folder / f"{name}-items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    answers = [{"id": key, "prediction": str(value)} for key, value in outputs.items()]
    (folder / f"{name}-answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers))
    scorer = scorer or {"name": "number@v1"} | ({"tolerance_rel": tolerance} if tolerance else {})
    steelyard.evaluate(
        {"task": "sums", "answer_type": "number", "scorers": [scorer]},
        dataset=folder / f"{name}-items.jsonl",
        predictions=folder / f"{name}-answers.jsonl",
        name=name,
        runs_dir=folder / "runs",
    )


def parts(folder: Path) -> dict[str, float]:
    found = steelyard.compare("a", "b", runs_dir=folder / "runs", attribute=True).as_dict()["attribution"]
    assert sum(found[name] for name in PARTS[:4]) == pytest.approx(found["total"], abs=1e-12)
    return {name: found[name] for name in PARTS if found[name]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make(tmp_path, "a", REFERENCES, OUTPUTS)
    return tmp_path


def test_nothing_changed_gives_nothing(folder: Path):
    make(folder, "b", REFERENCES, OUTPUTS)
    assert parts(folder) == {}


def test_a_change_of_outputs_is_the_model_s(folder: Path):
    make(folder, "b", REFERENCES, OUTPUTS | {2: 20})
    assert parts(folder) == {"model": 0.2, "total": 0.2}


def test_a_change_of_tolerance_is_the_scorer_s(folder: Path):
    make(folder, "b", REFERENCES, OUTPUTS, tolerance=0.1)  # 21 for 20 is within a tenth
    with pytest.raises(IncomparableError, match="--attribute"):
        steelyard.compare("a", "b", runs_dir=folder / "runs")
    assert parts(folder) == {"scorer": 0.2, "total": 0.2}


def test_a_change_of_a_reference_is_the_data_s(folder: Path):
    make(folder, "b", REFERENCES | {4: 99}, OUTPUTS)
    assert parts(folder) == {"data": 0.2, "total": 0.2}


def test_a_removed_item_is_coverage(folder: Path):
    fewer = {key: value for key, value in REFERENCES.items() if key != 4}
    make(folder, "b", fewer, {key: OUTPUTS[key] for key in fewer})
    assert parts(folder) == {"coverage": 0.15, "total": 0.15}  # 3 of 4, not 3 of 5


def test_an_edited_question_is_coverage_since_it_was_never_asked(folder: Path):
    make(folder, "b", REFERENCES, OUTPUTS | {2: 20}, questions={2: "another question"})
    assert parts(folder) == {"coverage": 0.2, "total": 0.2}


def test_a_missing_answer_is_coverage_and_said_apart(folder: Path):
    make(folder, "b", REFERENCES, {key: OUTPUTS[key] for key in (1, 2, 4, 5)})
    assert parts(folder) == {"coverage": -0.2, "total": -0.2}
    found = steelyard.compare("a", "b", runs_dir=folder / "runs", attribute=True)
    assert (found.attribution["b"].unanswered, found.attribution["b"].n_unanswered) == (-0.2, 1)
    assert "of coverage, -0.2000 are 1 items without an answer" in comparison_text(found)
    assert "Of coverage, -0.2000 are 1 items without an answer." in comparison_markdown(found)


def test_an_answer_that_cannot_be_read_is_the_model_s(folder: Path):
    make(folder, "b", REFERENCES, OUTPUTS | {1: "I would rather not say"})
    assert parts(folder) == {"model": -0.2, "total": -0.2}


def test_scorers_of_different_names_are_split_by_the_primary_score(tmp_path: Path):
    near = OUTPUTS | {2: 20.1}
    make(tmp_path, "a", REFERENCES, near)
    make(tmp_path, "b", REFERENCES, near | {4: 40}, scorer={"name": "numerical_match@v1"})
    found = steelyard.compare("a", "b", runs_dir=tmp_path / "runs", attribute=True)
    # 20.1 is within a hundredth of 20: 0.8 for the outputs of before, and all five with the one that was mended.
    assert parts(tmp_path) == {"model": 0.2, "scorer": 0.2, "total": 0.4}
    said = "the primary score of a is number and that of b is numerical_match: one is held against the other"
    assert comparison_text(found).startswith(f"warning: {said}\n")


def test_a_metric_that_one_run_has_not_cannot_be_split_and_it_says_why(folder: Path):
    make(folder, "b", REFERENCES, OUTPUTS, scorer={"name": "numerical_match@v1"})
    with pytest.raises(UsageError, match="a change of number cannot be split by cause: b has it not"):
        steelyard.compare("a", "b", runs_dir=folder / "runs", attribute=True, metric="number")


def test_repeats_are_split_by_their_means(folder: Path):
    for repeat, outputs in enumerate((OUTPUTS, OUTPUTS | {2: 20}), start=1):
        rows = [{"id": key, "prediction": str(value)} for key, value in outputs.items()]
        (folder / f"twice-{repeat}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = EvaluateOptions(
        task={"task": "sums", "answer_type": "number", "scorers": ["number@v1"]},
        dataset=str(folder / "a-items.jsonl"),
        predictions=str(folder / "twice-{repeat}.jsonl"),
        name="b",
        runs_dir=folder / "runs",
    )
    evaluate_repeats(options, 2)
    assert parts(folder) == {"model": 0.1, "total": 0.1}


def test_all_changes_at_once_add_up(folder: Path):
    references = {2: 20, 3: 30, 4: 99, 5: 50, 6: 60}
    outputs = {2: 20, 3: 7, 4: 99, 5: 50, 6: 60}
    make(folder, "b", references, outputs, tolerance=0.1)
    # Shared items 2 to 5: 0.5 as scored, 0.75 with the tolerance, 1.0 with the reference, 0.75 with the outputs.
    # Coverage: 0.8 - 0.75 for the added item, 0.5 - 0.6 for the removed one.
    assert parts(folder) == {
        "model": pytest.approx(-0.25),
        "scorer": pytest.approx(0.25),
        "data": pytest.approx(0.25),
        "coverage": pytest.approx(-0.05),
        "total": pytest.approx(0.2),
    }


def test_items_changed_together_with_their_totals_are_caught_by_judging_again(folder: Path):
    gates = folder / "gates.yaml"
    gates.write_text("gates:\n  - {metric: number, min: 0.7}\n")
    asked = GateOptions(run="a", runs_dir=folder / "runs", policy=gates)
    make(folder, "forged", REFERENCES, REFERENCES)
    for name in ("eval/items.parquet", "eval/eval_results.json"):
        (folder / "runs" / "a" / name).write_bytes((folder / "runs" / "forged" / name).read_bytes())
    record = folder / "runs" / "a" / "run.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | {"primary_score": 1.0}))
    with pytest.raises(InputError, match="its seal does not hold"):
        gate(asked)
    with pytest.raises(InputError, match="2 scores are not what the stored outputs give; the first is that of 2"):
        gate(replace(asked, verify=True))


def test_a_figure_of_the_whole_text_is_gated_and_checked_against_the_outputs(tmp_path: Path):
    words = ["the", "cat", "sat", "on", "the", "mat", "today"]
    rows = [
        {"id": size, "input": "q", "reference": " ".join(words), "prediction": " ".join(words[:size])}
        for size in (6, 7)
    ]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    runs_dir = tmp_path / "runs"
    steelyard.evaluate({"task": "t"}, dataset=tmp_path / "items.jsonl", metrics=["bleu"], name="a", runs_dir=runs_dir)
    steelyard.evaluate({"task": "t"}, dataset=tmp_path / "items.jsonl", metrics=["bleu"], name="b", runs_dir=runs_dir)
    gates = tmp_path / "gates.yaml"
    gates.write_text("gates:\n  - {metric: bleu, max_drop: 0.0}\n  - {metric: bleu, no_significant_drop: 0.05}\n")
    asked = GateOptions(run="a", against="b", runs_dir=runs_dir, policy=gates)
    assert [entry.outcome for entry in gate(asked).decisions] == ["pass", "undecided"]
    file = runs_dir / "a" / "eval" / "eval_results.json"
    content = json.loads(file.read_text())
    content["metrics"]["bleu"] += 1
    file.write_text(json.dumps(content))
    with pytest.raises(InputError, match="says that bleu is"):
        gate(asked)


def test_an_honest_run_is_verified(folder: Path):
    gates = folder / "gates.yaml"
    gates.write_text("gates:\n  - {metric: number, min: 0.6}\n")
    assert gate(GateOptions(run="a", runs_dir=folder / "runs", policy=gates, verify=True)).outcome == "pass"


def test_neither_run_is_touched(folder: Path):
    make(folder, "b", REFERENCES, OUTPUTS, tolerance=0.1)
    before = {file: file.read_bytes() for file in (folder / "runs").rglob("*") if file.is_file()}
    parts(folder)
    assert {file: file.read_bytes() for file in (folder / "runs").rglob("*") if file.is_file()} == before


def test_a_dataset_that_has_changed_since_is_refused(folder: Path):
    make(folder, "b", REFERENCES, OUTPUTS, tolerance=0.1)
    (folder / "a-items.jsonl").write_text('{"id": 1, "input": "x", "reference": 1}\n')
    with pytest.raises(InputError, match="not there as it was"):
        parts(folder)
