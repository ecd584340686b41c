"""Several hundred hostile answers over real HTTP: each is one state of one item, and no other item suffers for it."""

import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from steelyard.errors import IncompleteError
from steelyard.kinds.task.order import evaluate
from steelyard.tasks.loading import EvaluateOptions
from tests.hostile_answers import table
from tests.serving import serving_bytes

ANSWERS = table()
FINE = 200
DEADLINE = 1.5


@pytest.fixture
def prompts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fine = [f"fine {number}" for number in range(FINE)]
    # Some good answers stand before the first hostile one: so many refusals with no success would end the run.
    prompts = fine[:20]
    hostile, good = list(ANSWERS), fine[20:]
    while hostile or good:
        prompts += hostile[:4] + good[:1]
        del hostile[:4], good[:1]
    rows = [{"id": prompt, "prompt": prompt, "expected_answer": f"echo {prompt}"} for prompt in prompts]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return prompts


def journal(folder):
    return [json.loads(line) for line in (folder / "predictions.jsonl").read_text().splitlines()]


def test_the_table_has_at_least_two_hundred_answers():
    assert len(ANSWERS) >= 200


def test_every_hostile_answer_is_one_state_of_one_item_and_all_others_are_answered(prompts, monkeypatch, tmp_path):
    options = EvaluateOptions(
        task={"task": "hostile", "dataset": "items.jsonl"},
        model="openai:tiny", name="hostile", concurrency=48, deadline=DEADLINE, cache=False,
    )  # fmt: skip
    with serving_bytes(ANSWERS) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        with pytest.raises(IncompleteError, match="have no answer"):
            evaluate(options)
    lines = journal(tmp_path / "runs" / "hostile")
    assert Counter(line["item_id"] for line in lines) == Counter(prompts)
    assert all(line["prediction"] == f"echo {line['item_id']}" for line in lines if line["item_id"].startswith("fine"))
    failed = {line["item_id"]: line for line in lines if line.get("state")}
    assert all(line["error"] and len(line["error"]) < 400 for line in failed.values())
    for prompt in prompts:
        if prompt.startswith(("error", "status", "wait", "location")) and not prompt.startswith("status 1"):
            assert failed[prompt]["state"] == "failed", prompt
    states = Counter(line.get("state", "answered") for line in lines)
    print(f"\n{len(ANSWERS)} hostile answers among {len(prompts)} items: {dict(states)}")


def test_through_the_command_no_answer_is_a_bug_of_ours(prompts, tmp_path):
    del prompts
    given = {**os.environ, "PYTHONWARNINGS": "default"}
    command = "-m steelyard eval --dataset items.jsonl --answer-type text --model openai:tiny --name told --no-cache"
    with serving_bytes(
        {name: found for name, found in ANSWERS.items() if not name.startswith(("wait", "error 500"))}
    ) as url:
        result = subprocess.run(
            [sys.executable, *command.split(), "--deadline", "2", "--concurrency", "32"],
            env=given | {"OPENAI_BASE_URL": url},
            cwd=tmp_path, capture_output=True, text=True, check=False, timeout=200,
        )  # fmt: skip
    assert result.returncode == 4, result.stderr
    assert "items have no answer" in result.stderr
    assert "Traceback" not in result.stderr
