"""ConvFinQA's programs and two full model runs over it, as they were published.

Counts of programs and of the runs' own labels are those of the data's README, computed there with the authors' code.
Ladder counts are recomputed here by page 40's formulas with `Fraction`, without the product's number grammar.
"""

import gzip
import json
from collections import Counter
from fractions import Fraction

import pytest

from steelyard.kinds.conversations.options import ConversationOptions
from steelyard.kinds.conversations.order import evaluate_conversations
from steelyard.programs import execute, operations
from steelyard.records.runs import ITEMS_FILE
from steelyard.store.items import read_items
from steelyard.verdicts.comparison import CompareOptions, compare
from steelyard.verdicts.gating import GateOptions, gate

RUNS = {"2026-05-04T06-35-00Z": 583, "2026-05-04T12-48-44Z": 576}
"""The runs, with the number of turns that their own comparator called right (README)."""


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


@pytest.fixture(scope="module")
def data(shared_data):
    return shared_data("convfinqa")


@pytest.fixture(scope="module")
def gold(data):
    return lines(data / "convfinqa_dev.jsonl.gz")


@pytest.fixture(scope="module")
def evaluated(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    found = {}
    for name in RUNS:
        options = ConversationOptions(
            dataset=data / "convfinqa_dev.jsonl.gz",
            traces=data / "runs" / name / "predictions.jsonl.gz",
            name=name,
            runs_dir=folder,
            plots=False,
        )
        found[name] = evaluate_conversations(options)
    return found


def test_every_program_reproduces_its_executed_answer(gold):
    found = Counter()
    for entry in gold:
        dialogue = entry["dialogue"]
        for program, executed in zip(dialogue["turn_program"], dialogue["executed_answers"], strict=True):
            found["turns"] += 1
            found["equal"] += execute(program, entry["doc"]["table"]).value == executed
            found["operations"] += len(operations(program))
    assert found == {"turns": 681, "equal": 681, "operations": 727}


def number(text):
    """A number of this data by hand: plain decimals, thousands separators, a percent sign; None for yes and no."""
    plain = str(text).replace(",", "").replace("$", "").strip()
    try:
        return Fraction(plain.removesuffix("%")) / (100 if plain.endswith("%") else 1)
    except ValueError:
        return None


def numerical(answer, reference):
    actual, expected = number(answer), number(reference)
    if actual is None or expected is None:
        return actual is expected and answer == reference and answer in ("yes", "no")
    return abs(actual - expected) <= abs(expected) / 100 or abs(actual - expected) < Fraction(1, 1000)


def answered(row):
    """What a run's row says: `predicted_unit` is part of it, in this data either percent or nothing that converts."""
    answer = row["predicted_answer"]
    percent = row["predicted_unit"] == "percent" and number(answer) is not None and "%" not in answer
    return f"{answer}%" if percent else answer


@pytest.mark.parametrize("name", RUNS)
def test_numerical_accuracy_is_the_pages_formula_over_both_references(name, data, gold, evaluated):
    references = {
        (entry["id"], index): pair
        for entry in gold
        for index, pair in enumerate(
            zip(entry["dialogue"]["conv_answers"], entry["dialogue"]["executed_answers"], strict=True)
        )
    }
    rows = lines(data / "runs" / name / "predictions.jsonl.gz")
    right = sum(
        any(numerical(answered(row), reference) for reference in references[row["record_id"], row["turn_idx"]])
        for row in rows
    )
    statistics = evaluated[name].results["conversations"]
    assert statistics["num_turns"] == len(rows) == 681
    assert round(statistics["numerical_accuracy"] * 681) == right


@pytest.mark.parametrize("name", RUNS)
def test_every_disagreement_with_the_stored_labels_has_a_reason(name, data, evaluated):
    """The runs' own comparator forgives any scale; page 40's primary metric takes an answer with its unit."""
    stored = {
        f"{row['record_id']}#{row['turn_idx']}": row for row in lines(data / "runs" / name / "predictions.jsonl.gz")
    }
    assert sum(row["correct"] for row in stored.values()) == RUNS[name]
    reasons = Counter()
    for block in read_items(evaluated[name].path / ITEMS_FILE):
        for item in block:
            row = stored[item["item_id"]]
            ours = bool(item["correctness"])
            if ours and not row["correct"]:
                both = bool(item["score.matched_displayed"] and item["score.matched_executed"])
                reasons["right_within_one_percent"] += both
                reasons["right_by_the_displayed_answer"] += not both and bool(item["score.matched_displayed"])
            elif row["correct"] and not ours:
                reasons["another_scale"] += bool(item["score.unit_agnostic_match"])
            reasons["disagree"] += ours != row["correct"]
    explained = sum(count for reason, count in reasons.items() if reason != "disagree")
    assert reasons["disagree"] == explained
    assert reasons == {
        "2026-05-04T06-35-00Z": {
            "another_scale": 14, "right_by_the_displayed_answer": 4, "right_within_one_percent": 1, "disagree": 19,
        },
        "2026-05-04T12-48-44Z": {
            "another_scale": 13, "right_by_the_displayed_answer": 4, "right_within_one_percent": 1, "disagree": 18,
        },
    }[name]  # fmt: skip


def test_accuracy_by_turn_covers_every_turn_with_intervals(evaluated, gold):
    turns = Counter(index for entry in gold for index in range(len(entry["dialogue"]["conv_questions"])))
    for evaluation in evaluated.values():
        statistics = evaluation.results["conversations"]
        details = statistics["accuracy_by_turn_number_details"]
        assert {int(key): entry["n"] for key, entry in details.items()} == turns
        for key, value in statistics["accuracy_by_turn_number"].items():
            assert details[key]["ci_low"] <= value <= details[key]["ci_high"]
        whole = statistics["intervals"]["numerical_accuracy"]
        assert whole["method"] == "wilson-design-effect"
        assert whole["n_conversations"] == 190


def test_tokens_are_the_readmes(evaluated):
    tokens = [evaluation.results["conversations"]["total_tokens"] for evaluation in evaluated.values()]
    assert tokens == [2397299, 2682656]


def test_turns_that_a_run_lacks_count_as_wrong(data, tmp_path, evaluated):
    name = next(iter(RUNS))
    rows = lines(data / "runs" / name / "predictions.jsonl.gz")
    kept = [row for row in rows if row["turn_idx"] < 2]
    traces = tmp_path / "kept.jsonl"
    traces.write_text("".join(json.dumps(row) + "\n" for row in reversed(kept)), encoding="utf-8")
    options = ConversationOptions(
        dataset=data / "convfinqa_dev.jsonl.gz", traces=traces, name="kept", runs_dir=tmp_path, plots=False
    )
    statistics = evaluate_conversations(options).results["conversations"]
    whole = evaluated[name].results["conversations"]["accuracy_by_turn_number"]
    assert statistics["states"]["missing"] == 681 - len(kept)
    assert statistics["accuracy_by_turn_number"] == {
        key: value if int(key) < 2 else 0.0 for key, value in whole.items()
    }


def test_both_readings_of_cumulative_programs_are_reported(evaluated):
    for evaluation in evaluated.values():
        statistics = evaluation.results["conversations"]
        assert statistics["avg_logic_recall"] < statistics["avg_logic_recall_incremental"] <= 1


def test_a_gold_replay_is_right_everywhere(gold, data, tmp_path):
    traces = tmp_path / "gold.jsonl"
    with traces.open("w", encoding="utf-8") as stream:
        for entry in gold:
            for index, executed in enumerate(entry["dialogue"]["executed_answers"]):
                row = {"record_id": entry["id"], "turn_idx": index, "predicted_answer": executed}
                stream.write(json.dumps(row) + "\n")
    options = ConversationOptions(
        dataset=data / "convfinqa_dev.jsonl.gz", traces=traces, name="gold", runs_dir=tmp_path, plots=False
    )
    statistics = evaluate_conversations(options).results["conversations"]
    assert statistics["numerical_accuracy"] == 1.0
    assert statistics["exact_numeric_accuracy"] == 1.0
    assert statistics["conversation_level_accuracy"] == 1.0


def test_the_two_runs_are_compared_conversation_by_conversation(evaluated):
    first, second = evaluated.values()
    options = CompareOptions(runs=(first.path.name, second.path.name), runs_dir=first.path.parent, slice_by=("turn",))
    content = compare(options).as_dict()
    paired = content["deltas"][second.path.name]["paired"]
    assert paired["n"] == 681
    assert paired["test"] == "sign-flip-permutation-clustered"
    # 574 and 568 of 681 turns are right by the formula above.
    assert paired["improved"] - paired["regressed"] == -6
    assert paired["delta"] == pytest.approx(-6 / 681)
    assert set(content["slices"]["turn"]) >= {str(turn) for turn in range(7)}


def test_the_two_runs_are_gated_and_a_gate_on_a_diagnostic_warns(evaluated, tmp_path):
    first, second = evaluated.values()
    policy = tmp_path / "gates.yaml"
    policy.write_text(
        "gates:\n"
        "  - {metric: numerical_match, max_drop: 0.02}\n"
        "  - {metric: numerical_match, slice: {conversation_type: hybrid}, max_drop: 0.02, min_n: 100}\n"
        "  - {metric: unit_agnostic_match, min: 0.8}\n",
        encoding="utf-8",
    )
    options = GateOptions(run=second.path.name, against=first.path.name, runs_dir=first.path.parent, policy=policy)
    with pytest.warns(UserWarning, match="unit_agnostic_match is a diagnostic"):
        verdict = gate(options)
    assert verdict.outcome == "pass"
    # The drop is 6 of 681 turns, 0.0088.
    strict = tmp_path / "strict.yaml"
    strict.write_text("gates:\n  - {metric: numerical_match, max_drop: 0.005}\n", encoding="utf-8")
    failing = GateOptions(run=second.path.name, against=first.path.name, runs_dir=first.path.parent, policy=strict)
    assert gate(failing).outcome == "fail"
