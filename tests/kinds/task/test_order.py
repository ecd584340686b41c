"""The path from rows to a run: states, denominators, files, bytes."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import polars
import pytest

from steelyard.errors import InputError, UsageError
from steelyard.runs.recording import FinishedRun

Judged = Callable[..., FinishedRun]

ITEMS = [
    {"id": "a", "prompt": "2 + 2?", "expected_answer": "4", "difficulty": "easy"},
    {"id": "b", "prompt": "3 * 3?", "expected_answer": "9", "difficulty": "easy"},
    {"id": "c", "prompt": "Capital of Peru?", "expected_answer": "Lima", "difficulty": "hard"},
    {"id": "d", "prompt": "Capital of Chad?", "expected_answer": "N'Djamena"},
]
PREDICTIONS = [
    {"id": "a", "prediction": " 4 "},
    {"id": "b", "error": "CUDA out of memory"},
    {"id": "c", "prediction": "LIMA", "latency_ms": 12},
    {"id": "d", "state": "timeout"},
]


def correctness(judged: Judged, items=ITEMS, predictions=PREDICTIONS, **options) -> FinishedRun:
    return judged(items, predictions, scorer="answer_correctness@v1", name="run", **options)


def table(evaluation: FinishedRun) -> polars.DataFrame:
    return polars.read_parquet(evaluation.path / "eval/items.parquet")


def test_failed_and_timed_out_predictions_score_zero_and_stay_in_the_denominator(judged: Judged):
    card = correctness(judged).results["scorecard"]
    assert card["primary_score"] == 0.5
    assert card["states"] == {"scored": 2, "unparsed": 0, "missing": 0, "failed": 1, "timeout": 1}
    assert (card["n_items"], card["n_scored"], card["n_skipped"]) == (4, 2, 2)
    assert card["score_if_answered"] == 1.0


def test_a_missing_prediction_scores_zero(judged: Judged):
    evaluation = correctness(judged, predictions=PREDICTIONS[:1])
    assert evaluation.results["scorecard"]["states"]["missing"] == 3
    assert evaluation.results["scorecard"]["primary_score"] == 0.25


def test_the_scorecard_has_seed_000s_keys(judged: Judged):
    card = correctness(judged).results["scorecard"]
    assert (card["stddev"], card["min_score"], card["max_score"]) == (0.5, 0.0, 1.0)
    assert card["difficulty_scores"] == {"easy": 0.5, "hard": 1.0, "_untagged": 0.0}


def test_the_deviation_of_one_item_is_null(judged: Judged):
    card = correctness(judged, ITEMS[:1], PREDICTIONS[:1]).results["scorecard"]
    assert card["stddev"] is None


def test_an_empty_reference_stops_the_evaluation_and_leaves_no_run(judged: Judged, tmp_path: Path):
    with pytest.raises(InputError) as caught:
        correctness(judged, [{"id": "a", "prompt": "?", "expected_answer": ""}], [{"id": "a", "prediction": ""}])
    assert caught.value.problems[0].code == "empty-reference"
    assert not list((tmp_path / "runs").iterdir())


def test_items_keep_the_order_of_the_dataset_whatever_the_order_of_predictions(judged: Judged):
    evaluation = correctness(judged, predictions=PREDICTIONS[::-1])
    assert table(evaluation)["item_id"].to_list() == ["a", "b", "c", "d"]


def test_a_record_of_an_item_has_seed_000s_fields(judged: Judged):
    row = table(correctness(judged)).row(2, named=True)
    assert {name: row[name] for name in ("item_id", "expected", "predicted", "correctness", "eval_time_ms")} == {
        "item_id": "c",
        "expected": "Lima",
        "predicted": "LIMA",
        "correctness": 1.0,
        "eval_time_ms": 12.0,
    }
    assert (row["state"], row["output"], row["input"], row["tag.difficulty"]) == (
        "scored",
        "LIMA",
        "Capital of Peru?",
        "hard",
    )


def test_items_are_read_by_pandas_too(judged: Judged):
    import pandas

    frame = pandas.read_parquet(correctness(judged).path / "eval/items.parquet")
    assert frame["correctness"].tolist() == [1.0, 0.0, 1.0, 0.0]


def eval_bytes(path: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted((path / "eval").iterdir())}


def test_the_same_input_gives_the_same_bytes(judged: Judged, tmp_path: Path):
    one = correctness(judged, runs_dir=tmp_path / "one")
    other = correctness(judged, predictions=PREDICTIONS[::-1], runs_dir=tmp_path / "other")
    assert eval_bytes(one.path) == eval_bytes(other.path)


def test_a_run_directory_has_every_file_of_page_30(judged: Judged):
    path = correctness(judged).path
    names = {str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()}
    assert names >= {
        "run.json",
        "config.yaml",
        "environment.json",
        "hashes.json",
        "manifest.json",
        "predictions.jsonl",
        "eval/eval_results.json",
        "eval/items.parquet",
        "eval/hard_examples.jsonl",
    }
    assert json.loads((path / "run.json").read_bytes())["status"] == "completed"
    hashes = json.loads((path / "hashes.json").read_bytes())
    assert set(hashes) >= {"config", "data", "environment", "reproducibility"}
    assert all(value.startswith("sha256:") for value in hashes.values())


def test_a_score_carries_the_signature_of_what_can_change_it(judged: Judged):
    evaluation = judged(
        [{"id": "a", "expected_answer": "12.5%"}],
        [{"id": "a", "prediction": "0.125"}],
        answer_type="number",
        task={"task": "t", "scorers": [{"name": "number@v1", "tolerance_rel": 0.02}]},
    )
    assert "tolerance_rel=0.02" in evaluation.run.signatures["scorers"][0]
    assert evaluation.run.scorer_version == "number@v1"
    signature = evaluation.results["metric_details"]["number"]["signature"]
    assert signature == evaluation.run.signatures["scorers"][0] + "|interval=wilson@v1"


def test_a_dataset_whose_rows_carry_a_prediction_needs_no_file_of_predictions(judged: Judged):
    rows = [{"id": 1, "expected_answer": "x", "prediction": "X"}, {"id": 2, "expected_answer": "y", "prediction": "z"}]
    assert judged(rows, scorer="answer_correctness@v1").results["scorecard"]["primary_score"] == 0.5


def test_predictions_for_unknown_ids_are_listed_and_do_not_count(judged: Judged):
    evaluation = correctness(judged, predictions=[*PREDICTIONS, {"id": "zz", "prediction": "4"}])
    assert (evaluation.unknown_total, evaluation.unknown_ids[0][0]) == (1, "zz")
    assert evaluation.results["scorecard"]["n_items"] == 4
    assert "unknown_ids" in evaluation.run.flags


def test_strict_ids_refuse_predictions_for_unknown_ids(judged: Judged):
    with pytest.raises(InputError) as caught:
        correctness(judged, predictions=[{"id": "zz", "prediction": "4"}], strict_ids=True)
    assert caught.value.problems[0].code == "unknown-id"


def test_a_limit_evaluates_the_first_items_and_says_so(judged: Judged):
    evaluation = correctness(judged, limit=2)
    assert table(evaluation)["item_id"].to_list() == ["a", "b"]
    assert "limited" in evaluation.run.flags


def test_a_sample_is_the_same_for_the_same_seed(judged: Judged, tmp_path: Path):
    chosen = [
        table(correctness(judged, sample_size=2, seed=7, runs_dir=tmp_path / name))["item_id"].to_list()
        for name in ("one", "other")
    ]
    assert len(chosen[0]) == 2
    assert chosen[0] == chosen[1]


def test_an_existing_run_is_refused_and_left_alone(judged: Judged):
    before = eval_bytes(correctness(judged).path)
    with pytest.raises(UsageError) as caught:
        correctness(judged)
    assert caught.value.problems[0].code == "run-exists"
    assert before == eval_bytes(Path(caught.value.problems[0].file))


def test_a_quarantined_row_with_a_known_id_is_unparsed(judged: Judged, lines, tmp_path: Path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": "a", "prediction": "4"}\n{"id": "b", "prediction": }\n', encoding="utf-8")
    evaluation = judged(
        ITEMS[:2], None, scorer="answer_correctness@v1", name="q", task={"task": "t", "predictions": str(bad)},
        bad_rows="quarantine",
    )  # fmt: skip
    assert evaluation.results["scorecard"]["states"]["unparsed"] == 1
    rejected = json.loads((evaluation.path / "rejected.jsonl").read_text(encoding="utf-8"))
    assert rejected["line"] == 2
    assert "quarantined_rows" not in evaluation.run.flags


def test_a_slice_adds_up_to_all_items(judged: Judged):
    slices = correctness(judged, slice_by=("difficulty",)).results["slices"]["difficulty"]
    assert {name: entry["n"] for name, entry in slices.items()} == {"easy": 2, "hard": 1, "_untagged": 1}


def test_a_tag_that_first_shows_up_late_is_null_before(judged: Judged):
    items = [*ITEMS[:2], {"id": "z", "expected_answer": "1", "tags": {"source": "web"}}]
    frame = table(correctness(judged, items, PREDICTIONS[:1]))
    assert frame["tag.source"].to_list() == [None, None, "web"]


def test_derived_tags_are_computed_when_a_slice_asks_for_them(judged: Judged):
    items = [{**ITEMS[0], "prompt": "word " * 30, "turn_program": "subtract(5, 1), divide(#0, 2)"}]
    results = correctness(judged, items, PREDICTIONS[:1], slice_by=("length_bucket", "operations")).results
    assert set(results["slices"]["length_bucket"]) == {"medium"}
    assert set(results["slices"]["operations"]) == {"2"}


@pytest.mark.parametrize(("copies", "by_columns"), [(2, 0), (20_000, 20_000)], ids=["small", "large"])
def test_the_run_says_how_many_items_were_judged_by_columns(judged: Judged, copies: int, by_columns: int):
    rows = [{"id": f"i{n}", "input": "what is it? " * 9, "reference": "a", "prediction": "a"} for n in range(copies)]
    found = judged(rows, scorer="answer_correctness@v1", answer_type="text")
    assert found.run.reading.by_columns == by_columns
