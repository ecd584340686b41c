"""Seed 004, "Evaluation Metrics Update": its commands, files and fields, through the installed command."""

import csv
import json

FILES = ["summary.csv", "turns.csv", "validation.csv", "errors.csv", "statistics.json", "traces"]


def test_the_seeds_command_alone_judges_what_ships_and_says_how_to_ask_a_model(command, tmp_path):
    done = command("steelyard evaluate --sample-size 100")
    assert "conversations: 12 conversations, 59 turns (1 missing, 1 timeout)" in done.stdout
    assert "which no model wrote" in done.stderr
    assert "--model SPEC" in done.stderr
    (run,) = (tmp_path / "runs").glob("run_*")
    assert {*FILES} <= {path.name for path in (run / "eval").iterdir()}
    # The places where the made solver goes wrong are named in tools/write_conversation_traces.py: of 59 turns 3 are
    # scaled, 2 swapped, 2 of another year, 1 stops early, 1 timed out and 1 is missing.
    found = json.loads((run / "eval/statistics.json").read_text())
    assert found["numerical_accuracy"] == 49 / 59
    assert found["unit_agnostic_accuracy"] == 52 / 59
    assert found["sign_agnostic_accuracy"] == 51 / 59
    with (run / "eval/errors.csv").open() as stream:
        assert [row["error_type"] for row in csv.DictReader(stream)] == ["TimeoutError", "MissingTurn"]


def test_the_seeds_command_takes_dataset_and_model_from_the_project_file(command, write):
    write("mine.py", "def answer(turn):\n    return turn['document']['table']['2008'].get('goodwill', 0)\n")
    write(
        "steelyard.yaml", "model: python:mine:answer\nevaluate: {dataset: evalsets:conversations_v1, no_plots: true}\n"
    )
    done = command("steelyard evaluate --sample-size 5", PYTHONPATH=".")
    assert "conversations: 5 conversations" in done.stdout
    assert done.stderr == ""


def test_a_model_alone_is_asked_about_the_conversations_that_ship(command, write):
    write("mine.py", "def answer(turn):\n    return 1\n")
    done = command("steelyard evaluate --sample-size 2 --no-plots --model python:mine:answer --json", PYTHONPATH=".")
    assert json.loads(done.stdout)["conversations"]["num_conversations"] == 2
    assert done.stderr.startswith("No dataset was named")


def test_rows_that_are_no_conversations_are_sent_to_eval(command, write):
    write("items.jsonl", [{"id": "a", "prompt": "1 + 1", "expected_answer": "2"}])
    assert "`steelyard eval`" in command("steelyard evaluate --dataset items.jsonl --model mock", code=3).stderr
