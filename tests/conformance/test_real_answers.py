"""Raw model outputs to answers on public data, held to figures that the data's own code gives (README.txt there)."""

import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard import Run, evaluate

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

GSM8K_CORRECT = {"6b_finetuning": 143, "6b_verification": 256, "175b_finetuning": 224, "175b_verification": 349}
"""The official labels; the official re-extraction agrees with all of them."""

MMLU_PRO_CORRECT = {
    "Llama-2-7b-hf": 233,
    "Meta-Llama-3_1-8B-Instruct": 565,
    "Meta-Llama-3_1-8B": 488,
    "gemini-1.5-flash-002": 775,
}


@pytest.mark.parametrize("model", GSM8K_CORRECT)
def test_gsm8k_gives_the_official_number_of_right_answers(model: str, shared_data: Callable[[str], Path], tmp_path):
    folder = shared_data("gsm8k")
    run = evaluate(EXAMPLES / "gsm8k/task.yaml", prediction_field=f"{model}.solution", runs_dir=tmp_path)
    items = run.to_polars()
    assert run.results["scorecard"]["n_items"] == 651
    assert items["correctness"].sum() == GSM8K_CORRECT[model]
    with gzip.open(folder / "example_model_solutions.jsonl.gz", "rt", encoding="utf-8") as lines:
        labels = {str(row["idx"]): row[model]["is_correct"] for row in map(json.loads, lines)}
    assert {row["item_id"]: row["pass"] for row in items.iter_rows(named=True)} == labels


def stored_rows(folder: Path, model: str) -> dict[str, dict]:
    with gzip.open(folder / f"{model}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {str(row["question_id"]): row for row in map(json.loads, lines)}


def reason(item: dict, stored: dict) -> str:
    """Say why our verdict differs from the stored label, by what can be seen in both."""
    if stored["answer_at_run_time"] != item["expected"]:
        return "the dataset's answer was changed after that run"
    if "parse_error" in item["error_tags"] and "answer is" not in stored["generated_text"]:
        return "the stored label is a random letter: the text ends before any answer"
    if "ambiguous_answer" in item["error_tags"] and stored["generated_text"].count("answer is (") > 1:
        return "the text gives several answers, of which the official pattern takes the first"
    return "unexplained"


@pytest.mark.parametrize("model", MMLU_PRO_CORRECT)
def test_every_disagreement_with_the_stored_labels_of_mmlu_pro_has_a_reason(
    model: str, shared_data: Callable[[str], Path], tmp_path
):
    folder = shared_data("mmlu_pro")
    run = evaluate(
        EXAMPLES / "mmlu_pro/task.yaml", predictions=folder / f"{model}.jsonl.gz", runs_dir=tmp_path, name="mmlu"
    )
    stored = stored_rows(folder, model)
    right = {name for name, row in stored.items() if row["pred"] == row["answer_at_run_time"]}
    assert len(right) == MMLU_PRO_CORRECT[model]
    rows = [row for row in run.to_polars().iter_rows(named=True) if row["item_id"] in stored]
    differing = [row for row in rows if row["pass"] != (row["item_id"] in right)]
    reasons = Counter(reason(row, stored[row["item_id"]]) for row in differing)
    assert "unexplained" not in reasons
    assert len(differing) <= 7


def test_mmlu_pro_items_without_a_prediction_stay_in_the_denominator(shared_data: Callable[[str], Path], tmp_path):
    predictions = shared_data("mmlu_pro") / "gemini-1.5-flash-002.jsonl.gz"
    run = evaluate(EXAMPLES / "mmlu_pro/task.yaml", predictions=predictions, runs_dir=tmp_path)
    card = run.results["scorecard"]
    assert (card["n_items"], card["n_skipped"], card["states"]["missing"]) == (1200, 2, 2)


def prepared(name: str, source: Path, folder: Path) -> Path:
    """Make an example's items with its own script and return its task file beside them."""
    target = folder / "task.yaml"
    target.write_bytes((EXAMPLES / name / "task.yaml").read_bytes())
    script = EXAMPLES / name / "prepare.py"
    subprocess.run([sys.executable, str(script), str(source), str(folder / "items.jsonl")], check=True, timeout=120)
    return target


WNUT17 = {
    "arcada": (0.4617283950617284, 0.3443830570902394),
    "drexel_cci": (0.5108695652173914, 0.1731123388581952),
    "flytxt": (0.47540983606557374, 0.32044198895027626),
    "uh_ritual": (0.5622895622895623, 0.30755064456721914),
}
"""seqeval's micro precision and recall."""


@pytest.mark.parametrize("system", WNUT17)
def test_matched_entities_of_wnut17_sum_to_seqevals_precision_and_recall(
    system: str, shared_data: Callable[[str], Path], tmp_path
):
    task = prepared("wnut17_ner", shared_data("wnut17_ner") / "ner.jsonl.gz", tmp_path)
    run = evaluate(task, prediction_field=f"systems.{system}", runs_dir=tmp_path / "runs")
    assert run.results["scorecard"]["n_items"] == 656
    precision, recall = micro(run, tmp_path / "items.jsonl", system)
    assert (precision, recall) == pytest.approx(WNUT17[system], abs=1e-12)


def micro(run: Run, items: Path, system: str) -> tuple[float, float]:
    """Return precision and recall over all entities, from the matches that each item's sub-scores stand for."""
    rows = {row["id"]: row for row in map(json.loads, items.read_text(encoding="utf-8").splitlines())}
    matched = found = wanted = 0
    for row in run.to_polars().iter_rows(named=True):
        expected, predicted = rows[row["item_id"]]["ground_truth"]["items"], rows[row["item_id"]]["systems"][system]
        matched += round(row["score.precision"] * len(predicted)) if expected else 0
        found += len(predicted)
        wanted += len(expected)
    return matched / found, matched / wanted


def test_tatqa_is_judged_by_the_answer_type_of_each_row(shared_data: Callable[[str], Path], tmp_path):
    task = prepared("tatqa", shared_data("tatqa"), tmp_path)
    scores = {}
    for system in ("cot_codex", "direct_codex", "pot_codex", "tagop_sample"):
        run = evaluate(task, prediction_field=f"systems.{system}", runs_dir=tmp_path / "runs", name=system)
        assert run.results["scorecard"]["n_items"] == 918
        kinds = run.results["slices"]["kind"]
        assert {kind: entry["n"] for kind, entry in kinds.items()} == {
            "arithmetic": 400,
            "count": 15,
            "multi-span": 122,
            "span": 381,
        }
        scores[system] = kinds["arithmetic"]["score"]
    # The official exact match ranks the language models alike: .687 (programs), .600 (chain of thought), .529 (direct).
    assert scores["pot_codex"] > scores["cot_codex"] > scores["direct_codex"]


@pytest.fixture
def lighteval(shared_data: Callable[[str], Path], tmp_path: Path) -> Path:
    folder = shared_data("metric_cases_lighteval")
    for task in (EXAMPLES / "lighteval_cases").glob("*.yaml"):
        (tmp_path / task.name).write_bytes(task.read_bytes())
    script = EXAMPLES / "lighteval_cases/prepare.py"
    subprocess.run([sys.executable, str(script), str(folder), str(tmp_path)], check=True, timeout=60)
    return tmp_path


def expected_of(folder: Path, name: str, key: str) -> dict[str, float]:
    cases = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["test_cases"]
    return {case["name"]: case["expected_output"][key] for case in cases}


def test_lightevals_extraction_cases_agree_but_for_letter_case(
    lighteval: Path, shared_data: Callable[[str], Path], tmp_path
):
    run = evaluate(lighteval / "gpqa.yaml", runs_dir=tmp_path / "runs")
    found = dict(run.to_polars().select("item_id", "correctness").iter_rows())
    expected = expected_of(shared_data("metric_cases_lighteval"), "gpqa_instruct_metric", "extractive_match")
    # Choices are compared without regard to case (page 10), where lighteval's pattern knows capitals only.
    assert {name for name in expected if found[name] != expected[name]} == {"Answer in Different Case"}


def test_lightevals_f1_cases_agree_within_their_own_tolerance(
    lighteval: Path, shared_data: Callable[[str], Path], tmp_path
):
    run = evaluate(lighteval / "f1.yaml", runs_dir=tmp_path / "runs")
    found = dict(run.to_polars().select("item_id", "score.f1").iter_rows())
    cases = json.loads((shared_data("metric_cases_lighteval") / "f1_score.json").read_text(encoding="utf-8"))
    for case in cases["test_cases"]:
        assert found[case["name"]] == pytest.approx(case["expected_output"]["f1"], abs=case["tolerance"]), case["name"]
