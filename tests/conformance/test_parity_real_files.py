"""Seed 001's metrics on public data through the whole pipeline, held to the figures in each README.txt there."""

import gzip
import importlib.util
import json
import logging
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import fmean

import pytest
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF
from sklearn.metrics import f1_score

from steelyard import evaluate
from steelyard.records.plans import Rule
from steelyard.scoring.rules import FormatRules

logging.getLogger("sacrebleu").setLevel(logging.ERROR)
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

# From the READMEs: scikit-learn's accuracy_score and f1_score(average=macro|weighted).
CLASSIFIED = {
    ("classif_20news/task.yaml", None): (3828, 0.9258098223615465, 0.9242052504651997, 0.9257023295635206),
    ("classif_sst2_two_systems/task.yaml", None): (1821, 0.85722130697419, 0.8571744025252854, 0.8571701384844759),
    ("classif_sst2_two_systems/task.yaml", "pred_lstm"): (
        1821,
        0.8802855573860516,
        0.8802696344553023,
        0.8802719091596949,
    ),
    ("classif_tweeteval/emotion.yaml", None): (1421, 0.8339197748064743, 0.7982724123055319, 0.8331918060218472),
    ("classif_tweeteval/stance.yaml", None): (1249, 0.7157726180944756, 0.6960868351749468, 0.7206613884531363),
}
SST2_SLICES = {
    None: {"short": 0.8729792147806005, "medium": 0.868421052631579, "long": 0.817351598173516},
    "pred_lstm": {"short": 0.8937644341801386, "medium": 0.8894736842105263, "long": 0.8470319634703196},
}
STANCE_SLICES = {
    "abortion": (280, 0.6535714285714286, 0.6142327828441662),
    "atheism": (220, 0.7909090909090909, 0.7197474192648392),
    "climate": (169, 0.8284023668639053, 0.5430907947158733),
    "feminist": (285, 0.6350877192982456, 0.6307315416506177),
    "hillary": (295, 0.7322033898305085, 0.6709745653407625),
}


def run_of(example, tmp_path, shared_data, **given):
    shared_data(example.split("/", maxsplit=1)[0])
    return evaluate(EXAMPLES / example, runs_dir=tmp_path / "runs", **given)


@pytest.mark.parametrize(("example", "prediction"), CLASSIFIED)
def test_classification_gives_scikit_learns_figures(example, prediction, shared_data, tmp_path):
    run = run_of(example, tmp_path, shared_data, **({"prediction_field": prediction} if prediction else {}))
    n, accuracy, macro, weighted = CLASSIFIED[example, prediction]
    assert run.results["scorecard"]["n_items"] == n
    assert run.metrics["accuracy"] == accuracy
    assert (run.metrics["macro_f1"], run.metrics["weighted_f1"]) == pytest.approx((macro, weighted), abs=1e-15)


@pytest.mark.parametrize("prediction", SST2_SLICES)
def test_slices_of_sst2_have_scikit_learns_accuracy(prediction, shared_data, tmp_path):
    given = {"prediction_field": prediction} if prediction else {}
    run = run_of("classif_sst2_two_systems/task.yaml", tmp_path, shared_data, **given)
    slices = run.results["slices"]["length_bucket"]
    assert {name: entry["accuracy"] for name, entry in slices.items()} == SST2_SLICES[prediction]


def test_stance_has_the_readmes_slices_classes_and_matrix(shared_data, tmp_path):
    run = run_of("classif_tweeteval/stance.yaml", tmp_path, shared_data)
    slices = run.results["slices"]["topic"]
    for name, (n, accuracy, macro) in STANCE_SLICES.items():
        assert (slices[name]["n"], slices[name]["accuracy"]) == (n, accuracy)
        assert slices[name]["macro_f1"] == pytest.approx(macro, abs=1e-15)
    per_class = {
        "precision_per_class": [0.8458904109589042, 0.6200527704485488, 0.5769230769230769],
        "recall_per_class": [0.6909090909090909, 0.7730263157894737, 0.717391304347826],
        "f1_per_class": [0.76058506543495, 0.6881405563689604, 0.6395348837209303],
    }
    for name, figures in per_class.items():
        assert list(run.metrics[name].values()) == pytest.approx(figures, abs=1e-15)
    assert run.metrics["confusion_matrix"] == [[494, 123, 98], [46, 235, 23], [44, 21, 165]]
    official = fmean([run.metrics["f1_per_class"][label] for label in ("against", "favor")])
    assert official == pytest.approx(0.7243628109019552, abs=1e-15)


def test_hard_examples_of_20news_are_those_least_sure_of_the_true_label(shared_data, tmp_path):
    run = run_of("classif_20news/task.yaml", tmp_path, shared_data)
    with gzip.open(shared_data("classif_20news") / "predictions.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    sure = [row["confidence"] if row["label"] == row["prediction"] else 1 - row["confidence"] for row in rows]
    order = sorted(range(len(rows)), key=lambda place: (sure[place], place))[:50]
    assert [entry["item_id"] for entry in run.hard_examples] == [rows[place]["id"] for place in order]
    assert {entry["primary_metric_name"] for entry in run.hard_examples} == {"confidence"}
    groups = {row["tags"]["group"] for row in rows}
    expected = {
        group: f1_score(
            *zip(*((row["label"], row["prediction"]) for row in rows if row["tags"]["group"] == group), strict=True),
            average="macro",
            zero_division=0,
        )
        for group in groups
    }
    slices = run.results["slices"]["group"]
    assert {name: entry["macro_f1"] for name, entry in slices.items()} == pytest.approx(expected, abs=1e-12)


def prepared(name, tmp_path, shared_data, *targets):
    """Copy an example, make its items with its own script, and return its folder."""
    source = shared_data(name)
    folder = tmp_path / name
    shutil.copytree(EXAMPLES / name, folder, ignore=shutil.ignore_patterns("__pycache__"))
    arguments = [sys.executable, str(folder / "prepare.py"), str(source), *(str(folder / target) for target in targets)]
    subprocess.run(arguments, check=True, timeout=120)
    return folder


# From the README: rouge-score 0.1.2 per line, arithmetic mean of F, with the nine digits that it gives.
ROUGE = {
    "task.yaml": {"rouge1": 0.385525491, "rouge2": 0.221449081, "rougeL": 0.383231179, "rougeLsum": 0.383231179},
    "stemmed.yaml": {"rouge1": 0.405115613, "rouge2": 0.24402109, "rougeL": 0.402651444, "rougeLsum": 0.402651444},
}


@pytest.mark.parametrize("task", ROUGE)
def test_rouge_gives_the_figures_of_its_test_data_through_the_pipeline(task, shared_data, tmp_path):
    folder = prepared("rouge_testdata", tmp_path, shared_data, "items.jsonl")
    run = evaluate(folder / task, runs_dir=tmp_path / "runs")
    assert {name: round(run.metrics[name], 9) for name in ROUGE[task]} == ROUGE[task]


# From the README: the official v1.1 script, in percent; a missing id scores 0.
SQUAD = {
    "pred_1.1_bert_ensemble": (75.37993920972644, 86.44773946651118),
    "pred_1.1_logistic_regression": (34.954407294832826, 46.268978607273546),
    "pred_1.1_rnet_plus": (72.49240121580547, 82.67837627334016),
}
# From the README: the official v2.0 script on ids present in the prediction.
SQUAD_V2 = {
    "pred_v2.0_bert_single": (64.65116279069767, 74.38844734077293),
    "pred_v2.0_bidaf_elmo": (55.116279069767444, 61.97092765116021),
}


def test_squad_gives_the_official_scripts_figures_through_the_pipeline(shared_data, tmp_path):
    folder = prepared("squad_xquad_en", tmp_path, shared_data, "questions.jsonl", "predictions")
    for system, figures in SQUAD.items():
        predictions = folder / "predictions" / f"{system}.jsonl"
        run = evaluate(folder / "task.yaml", predictions=predictions, runs_dir=tmp_path / "runs", name=system)
        assert run.results["scorecard"]["n_items"] == 658
        ours = 100 * run.metrics["exact_match"], 100 * run.metrics["f1"]
        assert ours == pytest.approx(figures, abs=1e-12)


@pytest.mark.parametrize("system", SQUAD_V2)
def test_squad_2_systems_have_the_official_figures_on_the_ids_they_answer(system, shared_data, tmp_path):
    folder = prepared("squad_xquad_en", tmp_path, shared_data, "questions.jsonl", "predictions")
    predictions = folder / "predictions" / f"{system}.jsonl"
    answered = {json.loads(line)["id"] for line in predictions.read_text("utf-8").splitlines()}
    questions = (folder / "questions.jsonl").read_text("utf-8").splitlines(keepends=True)
    common = tmp_path / "common.jsonl"
    common.write_text("".join(line for line in questions if json.loads(line)["id"] in answered), "utf-8")
    run = evaluate(folder / "task.yaml", dataset=common, predictions=predictions, runs_dir=tmp_path / "runs")
    assert run.results["scorecard"]["n_items"] == 430
    assert (100 * run.metrics["exact_match"], 100 * run.metrics["f1"]) == pytest.approx(SQUAD_V2[system], abs=1e-12)


@pytest.mark.parametrize("model", ["pred_claude", "pred_turbo"])
def test_long_answers_have_the_reference_packages_figures(model, shared_data, tmp_path):
    folder = prepared("leval_longform", tmp_path, shared_data, "items.jsonl")
    run = evaluate(folder / "task.yaml", prediction_field=model, runs_dir=tmp_path / "runs")
    rows = [json.loads(line) for line in (folder / "items.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == run.results["scorecard"]["n_items"] == 96
    scorer = RougeScorer(["rouge1", "rougeL"])
    # What is judged is the answer, which begins and ends where its text does.
    pairs = [(row[model].strip(), row["reference"].strip()) for row in rows]
    theirs = [scorer.score(reference, prediction) for prediction, reference in pairs]
    for name in ("rouge1", "rougeL"):
        assert run.metrics[name] == pytest.approx(fmean(entry[name].fmeasure for entry in theirs), abs=1e-12)
    predictions, references = zip(*pairs, strict=True)
    assert run.metrics["bleu"] == pytest.approx(
        BLEU(force=True).corpus_score(predictions, [references]).score, abs=1e-9
    )
    assert run.metrics["chrf"] == pytest.approx(CHRF().corpus_score(predictions, [references]).score, abs=1e-9)


def instructions(folder):
    """Yield (instruction, its values, the response, the official strict verdict) for every instruction."""
    with gzip.open(folder / "gpt4_20231107_responses.jsonl.gz", "rt", encoding="utf-8") as lines:
        responses = {row["prompt"]: row["response"] for row in map(json.loads, lines)}
    official = map(json.loads, (folder / "official_per_item_strict.jsonl").read_text("utf-8").splitlines())
    verdicts = {row["prompt"]: row["follow_instruction_list"] for row in official}
    for line in (folder / "input_data.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        for parts in zip(row["instruction_id_list"], row["kwargs"], verdicts[row["prompt"]], strict=True):
            yield *parts[:2], responses[row["prompt"]], parts[2]


# From the README: strict and loose accuracy of prompts and of instructions, by the official program.
IFEVAL = {
    "instructions": 0.787879,
    "instruction_accuracy": 0.844444,
    "instructions_loose": 0.811448,
    "instruction_accuracy_loose": 0.864444,
}


def test_the_four_figures_of_ifeval_are_the_official_ones(shared_data, tmp_path):
    folder = prepared("ifeval", tmp_path, shared_data, "items")
    run = evaluate(folder / "ifeval.yaml", runs_dir=tmp_path / "runs")
    assert {name: round(run.metrics[name], 6) for name in IFEVAL} == IFEVAL
    assert run.results["scorecard"]["n_items"] == 297


def ifeval_rules():
    spec = importlib.util.spec_from_file_location("ifeval_rules", EXAMPLES / "ifeval" / "rules.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.rule_of


def test_format_rules_agree_with_the_official_checker_on_every_instruction_they_can_express(shared_data):
    rule_of = ifeval_rules()
    found = [(rule_of(*entry[:2]), *entry[2:]) for entry in instructions(shared_data("ifeval"))]
    expressed = [(Rule(**rule), response, official) for rule, response, official in found if rule is not None]
    assert (len(expressed), len(found)) == (278, 450)
    ours = [FormatRules([rule]).check(response)[0]["format_compliance"] == 1.0 for rule, response, _ in expressed]
    assert ours == [official for _, _, official in expressed]
    assert 0 < sum(ours) < len(ours)


@pytest.mark.parametrize(
    ("task", "instruction"),
    [
        ("no_comma.yaml", "punctuation:no_comma"),
        ("title.yaml", "detectable_format:title"),
        ("quotation.yaml", "startend:quotation"),
    ],
)
def test_compliance_of_one_instruction_is_the_official_rate_through_the_pipeline(
    task, instruction, shared_data, tmp_path
):
    folder = prepared("ifeval", tmp_path, shared_data, "items")
    run = evaluate(folder / task, runs_dir=tmp_path / "runs")
    # One prompt asks for quotation marks twice; it is one item.
    found = instructions(shared_data("ifeval"))
    official = {response: verdict for name, _, response, verdict in found if name == instruction}
    assert run.metrics["format_compliance"] == fmean(official.values())
    assert run.results["scorecard"]["n_items"] == len(official)
