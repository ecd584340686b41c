"""Rows of the table: other data, other predictions, other tags, other judgement under the names of before."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.tamper.rows import AGAINST, EVAL, WORSE, Row, nothing, run, written
from tests.tamper.worlds import ITEMS, TASK, answers, items, write_rows


def over(rows: list[dict[str, Any]], predictions: str = "worse.jsonl") -> None:
    """Evaluate over another dataset under the old one's name."""
    write_rows("items.jsonl", rows)
    run(f"{EVAL} {predictions}")


def answered(rows: list[dict[str, Any]], more: str = "") -> None:
    """Evaluate other predictions."""
    write_rows("other.jsonl", rows)
    run(f"{EVAL} other.jsonl {more}")


def task(old: str, new: str, predictions: str = "worse.jsonl") -> None:
    """Evaluate by another task file under the old one's name."""
    assert old in TASK
    written("task.yaml", TASK.replace(old, new), f"{EVAL} {predictions}")


def quarantined() -> None:
    """Break the lines of the predictions that are wrong, and set them aside."""
    lines = Path("worse.jsonl").read_text().splitlines()
    Path("other.jsonl").write_text("".join(f"{line if n < 30 else line[:-3]}\n" for n, line in enumerate(lines)))
    run(f"{EVAL} other.jsonl --bad-rows quarantine")


def _references() -> list[dict[str, Any]]:
    return [row | {"expected_answer": found["output"]} for row, found in zip(items(), answers(30), strict=True)]


def _retagged(tag: dict[str, str]) -> list[dict[str, Any]]:
    return later(lambda row: row | {"tags": tag})


def retagged(tag: dict[str, str], policy: str) -> None:
    """Give the items that got worse another tag, where a rule looks at a slice."""
    written("gates.yaml", f"gates:\n  - {policy}\n")
    over(_retagged(tag))


def later(change: Callable[[dict[str, Any]], dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the items, those changed that got worse."""
    return [change(row) if n >= 30 else row for n, row in enumerate(items())]


def failing(**said: Any) -> list[dict[str, Any]]:
    """Return predictions that say this for the items that got worse."""
    return [row if n < 30 else {"id": row["id"], **said} for n, row in enumerate(answers(30))]


EASY = [{"id": f"e{n}", "prompt": "", "expected_answer": "wrong"} for n in range(900)]
SLICES = (
    "{metric: exact_match, slice: {source: a}, max_drop: 0.02}",
    "{metric: exact_match, slice: {source: a}, no_significant_drop: 0.05}",
    "{metric: exact_match, slice_each: source, max_drop: 0.02, min_n: 10}",
)
OTHER_TAGS: tuple[dict[str, str], ...] = ({"source": "z"}, {}, {"source": "b"})
DATA = "data and predictions"
INPUTS = (
    Row(DATA, "a dataset without the failing items", partial(over, items()[:30])),
    Row(DATA, "a dataset without half of the failing items", partial(over, items()[:45])),
    Row(DATA, "references that say what the model says", partial(over, _references())),
    Row(DATA, "failing items under other ids", partial(over, later(lambda row: row | {"id": f"{row['id']}x"}))),
    Row(DATA, "failing prompts reworded", partial(over, later(lambda row: row | {"prompt": f"{row['prompt']} "}))),
    Row(DATA, "a right item many times", partial(over, [*items(), *[items()[0]] * 300])),
    Row(DATA, "many easy items beside", partial(over, [*items(), *EASY])),
    Row(DATA, "failing items set to no reference", partial(over, later(lambda row: row | {"expected_answer": None}))),
    Row(DATA, "--limit", partial(run, f"{EVAL} worse.jsonl --limit 30")),
    Row(DATA, "--sample-size", partial(run, f"{EVAL} worse.jsonl --sample-size 30 --seed 1")),
    Row(DATA, "--sample-size of all", partial(run, f"{EVAL} worse.jsonl --sample-size {ITEMS}")),
    Row(DATA, "failing predictions left out", partial(answered, answers(30)[:30])),
    Row(DATA, "failing predictions empty", partial(answered, failing(output=""))),
    Row(DATA, "failing predictions null", partial(answered, failing(output=None))),
    Row(DATA, "failing predictions with an error", partial(answered, failing(error="late"))),
    Row(DATA, "predictions twice, the right ones last", partial(answered, [*answers(30), *answers(60)])),
    Row(DATA, "predictions twice, the right ones first", partial(answered, [*answers(60), *answers(30)])),
    Row(DATA, "predictions of other ids", partial(answered, [{"id": f"j{n}", "output": "x"} for n in range(ITEMS)])),
    Row(DATA, "no predictions", partial(answered, [])),
    Row(DATA, "a field that no prediction has", partial(answered, answers(30), "--prediction-field outptu")),
    Row(DATA, "broken predictions set aside", quarantined),
    Row(DATA, "a mock model", partial(run, "eval task.yaml --model mock --name forged")),
    *(
        Row(
            "retagged items",
            f"{tag or 'no tags'}: {policy}",
            partial(retagged, tag, policy),
            "gate forged --against main --policy gates.yaml",
        )
        for policy in SLICES
        for tag in OTHER_TAGS
    ),
)

TASKS = "task files and judgement"
OTHER = TASK.replace("words", "other")


def other_references() -> None:
    """Judge a run again over other references under the old dataset's name."""
    write_rows("items.jsonl", _references())
    run("rescore worse")


JUDGED = (
    Row(TASKS, "another task name", partial(task, "words", "other")),
    Row(TASKS, "a lenient scorer", partial(task, "answer_correctness@v1", "text_answer@v1")),
    Row(TASKS, "a lenient normalisation", partial(task, "[f1,", "[{name: f1, normalize: none},")),
    Row(TASKS, "an extraction", partial(task, "answer_type: text", "answer_type: text\nextract: answer_line")),
    Row(TASKS, "another answer type", partial(task, "answer_type: text", "answer_type: label")),
    Row(TASKS, "another reference field", partial(task, "answer_type", "fields: {reference: id}\nanswer_type")),
    Row(TASKS, "--metrics of another kind", partial(run, f"{EVAL} worse.jsonl --metrics rouge1")),
    Row(TASKS, "--scorer of another kind", partial(run, f"{EVAL} worse.jsonl --scorer text_answer@v1")),
    Row(TASKS, "rescore by another scorer", partial(run, "rescore worse --scorer text_answer@v1"), WORSE),
    Row(
        TASKS,
        "rescore by another task",
        partial(written, "other.yaml", OTHER, "rescore worse --task other.yaml"),
        WORSE,
    ),
    Row(TASKS, "rescore the baseline by another scorer", partial(run, "rescore base --scorer text_answer@v1"), WORSE),
    Row(TASKS, "rescore over another dataset", other_references, WORSE),
    Row(
        TASKS,
        "verify over another dataset",
        partial(write_rows, "items.jsonl", _references()),
        "gate good --against main --verify",
    ),
)


def reordered() -> None:
    """Evaluate good answers in another order over items in another order."""
    write_rows("items.jsonl", items()[::-1])
    answered(answers(57)[::-1])


def further_tag() -> None:
    """Give every item one tag more."""
    written("gates.yaml", f"gates:\n  - {SLICES[0]}\n")
    over([row | {"tags": {**row["tags"], "level": "1"}} for row in items()], "good.jsonl")


GENUINE_DATA = (
    Row(DATA, "the same items and answers in another order", reordered),
    Row(DATA, "the same answers again", partial(answered, answers(57))),
    Row("retagged items", "a tag that no rule looks at", further_tag, "gate forged --against main --policy gates.yaml"),
    Row(TASKS, "another prompt version", partial(task, "answer_type", "prompt_version: p2\nanswer_type", "good.jsonl")),
    Row(TASKS, "rescored by its own scorer", partial(run, "rescore good"), AGAINST.format(run="good")),
    Row(TASKS, "verified", nothing, "gate good --against main --verify"),
    Row("made anew with its hashes", "stored", partial(run, "rescore good"), "gate good --against main --verify"),
    Row("made anew with its hashes", "asked", nothing, "gate good --against main --verify", "asked"),
)
