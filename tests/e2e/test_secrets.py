"""Secrets through every evaluating command: what we say is redacted, items and outputs are data."""

import json
from pathlib import Path

import polars as pl
import pytest

from tests.conversation_rows import row, trace, turn
from tests.research_artifacts import claim, evidence, golden, output, write_golden, write_run

KEY = "Zt81hb5x-0Qm2LpA/81z"
MIDDLING = "hunter2hunter2"
SECRETS = {"SERVICE_TOKEN": KEY, "DB_PASSWORD": MIDDLING}
ITEMS = [
    {"id": "plain", "prompt": "2+2?", "expected_answer": "4"},
    {"id": "leak", "prompt": "your key?", "expected_answer": "no"},
    {"id": "middling", "prompt": "which password?", "expected_answer": MIDDLING},
]
OUTPUTS = {"plain": "4", "leak": f"it is {KEY}", "middling": MIDDLING}
MODEL = f"""
OUTPUTS = {OUTPUTS!r}


def answer(request):
    return OUTPUTS[request["id"]]


def raises(request):
    raise ValueError("no way in with {MIDDLING} and {KEY}")


def solve(request):
    return {{"answer": "{KEY}", "plan": []}}
"""


def tags_of(run: Path) -> dict[str, list[str]]:
    rows = pl.read_parquet(run / "eval" / "items.parquet").select("item_id", "error_tags").to_dicts()
    return {row["item_id"]: row["error_tags"] for row in rows}


def files_of(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in sorted(run.rglob("*")) if path.is_file()}


def nothing_holds_the_key(folder: Path, *said: str) -> None:
    written = {name: content for name, content in files_of(folder).items() if name.startswith("runs/")}
    assert len(written) > 5
    assert [name for name, content in written.items() if KEY.encode() in content] == []
    assert not any(KEY in text for text in said)


@pytest.mark.parametrize("way", ["stored", "asked"])
def test_eval_takes_keys_out_of_data_and_rescores_to_the_same_bytes(command, write, tmp_path, way):
    write("items.jsonl", ITEMS)
    write("outputs.jsonl", [{"id": name, "output": text} for name, text in OUTPUTS.items()])
    write("model.py", MODEL)
    given = "--predictions outputs.jsonl" if way == "stored" else "--model python:model:answer"
    line = f"steelyard eval --dataset items.jsonl --answer-type text {given} --name one"
    done = command(line, PYTHONPATH=".", **SECRETS)
    run = tmp_path / "runs" / "one"
    assert tags_of(run) == {"plain": [], "leak": ["secret_in_output"], "middling": []}
    assert json.loads((run / "eval/eval_results.json").read_text())["scorecard"]["primary_score"] == pytest.approx(
        2 / 3
    )
    stored = {row["item_id"]: row for row in map(json.loads, (run / "predictions.jsonl").read_text().splitlines())}
    assert stored["leak"]["secret_in_output"] is True
    assert "it is [redacted]" in stored["leak"].values()
    assert MIDDLING in stored["middling"].values()
    assert "DB_PASSWORD looks like no key" in done.stderr
    nothing_holds_the_key(tmp_path, done.stdout, done.stderr)
    before = files_of(run / "eval")
    again = command("steelyard rescore one", **SECRETS)
    assert files_of(run / "eval") == before
    # Where the variable is not set, the tag is known from the journal.
    command("steelyard rescore one")
    assert files_of(run / "eval") == before
    items = command("steelyard runs items one --json", **SECRETS)
    assert MIDDLING in items.stdout
    nothing_holds_the_key(tmp_path, again.stdout, again.stderr, items.stdout)


def test_a_password_that_is_a_word_is_an_answer_like_any_other(command, write, tmp_path):
    write("items.jsonl", [{"id": "a", "prompt": "which database?", "expected_answer": "postgres"}])
    write("outputs.jsonl", [{"id": "a", "output": "postgres"}])
    write(".env", "POSTGRES_PASSWORD=postgres\n")
    done = command("steelyard eval --dataset items.jsonl --predictions outputs.jsonl --answer-type text --name one")
    results = json.loads((tmp_path / "runs/one/eval/eval_results.json").read_text())
    assert results["scorecard"]["primary_score"] == 1.0
    assert pl.read_parquet(tmp_path / "runs/one/eval/items.parquet")["predicted"].to_list() == ["postgres"]
    assert done.stderr.count("POSTGRES_PASSWORD") == 1


def test_what_a_model_raises_is_told_without_any_secret(command, write, tmp_path):
    write("items.jsonl", ITEMS)
    write("model.py", MODEL)
    line = "steelyard eval --dataset items.jsonl --answer-type text --model python:model:raises --name one"
    done = command(f"{line} --error-budget 3", PYTHONPATH=".", **SECRETS)
    assert "no way in with [redacted] and [redacted]" in (tmp_path / "runs/one/predictions.jsonl").read_text()
    assert MIDDLING not in done.stdout + done.stderr
    assert tags_of(tmp_path / "runs/one")["leak"] == []
    nothing_holds_the_key(tmp_path, done.stdout, done.stderr)


@pytest.mark.parametrize("way", ["stored", "asked"])
def test_evaluate_takes_keys_out_of_turns(command, write, tmp_path, way):
    write("data.json", {"dev": [row("c1")]})
    write("traces.jsonl", [trace("c1", turn(0, "1500"), turn(1, KEY), turn(2, "300"), turn(3, "25%"))])
    write("model.py", MODEL)
    given = "--traces traces.jsonl" if way == "stored" else "--model python:model:solve"
    done = command(f"steelyard evaluate --dataset data.json {given} --name one", PYTHONPATH=".", **SECRETS)
    run = tmp_path / "runs" / "one"
    leaked = [name for name, tags in tags_of(run).items() if "secret_in_output" in tags]
    assert leaked == (["c1#1"] if way == "stored" else ["c1#0", "c1#1", "c1#2", "c1#3"])
    nothing_holds_the_key(tmp_path, done.stdout, done.stderr)
    before = files_of(run / "eval")
    command("steelyard rescore one")
    assert files_of(run / "eval") == before


def test_research_takes_keys_out_of_artifacts(command, tmp_path):
    write_golden(tmp_path / "golden.json", golden("How deep is it?", "E1"), golden("How wide is it?", "E1"))
    leaky = evidence(quote=f"with {KEY}")
    write_run(tmp_path / "out", "run_1", output(claims=[claim("k1", "E1")], evidence=[leaky]))
    clean = output("r2", "How wide is it?", claims=[claim("k1", "E1")], evidence=[evidence(quote=MIDDLING)])
    write_run(tmp_path / "out", "run_2", clean)
    done = command("steelyard research --golden golden.json --outputs out --name one", **SECRETS)
    tags = list(tags_of(tmp_path / "runs/one").values())
    assert ["secret_in_output" in found for found in tags] == [True, False]
    assert MIDDLING in (tmp_path / "runs/one/eval/research_runs.jsonl").read_text()
    nothing_holds_the_key(tmp_path, done.stdout, done.stderr)
    before = files_of(tmp_path / "runs/one/eval")
    command("steelyard rescore one", **SECRETS)
    assert files_of(tmp_path / "runs/one/eval") == before
