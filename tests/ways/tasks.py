"""Ways to make a run of a task: where predictions come from, and everything that decides what is evaluated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.ways import task_files as write
from tests.ways import typed_files as typed
from tests.ways.places import Way
from tests.ways.task_files import files

RULES = [
    {"name": "no_no", "pattern": "^nothing", "invert": True},
    {"name": "short", "max_tokens": 2},
]
STORED = "eval task.yaml --predictions {answers}.jsonl"
ASKED = "eval task.yaml --model python:answering:{answers} --no-cache --concurrency 2"


def task(name: str, command: str, write: Callable[[], None] = files, **more: Any) -> Way:
    """Return a way to make a run of a task."""
    if "--model " in command:
        more = {"again": "{line} --resume", "asks": "python:" in command} | more
    return Way(name=name, kind="task", command=command, write=write, **more)


SOURCES = (
    task("stored", STORED),
    task("carried", "eval task.yaml --dataset {answers}.jsonl", write.carried_alone),
    task("carried by field", "eval task.yaml --prediction-field {answers}", write.carried),
    task("asked", ASKED),
    task("mock", "eval task.yaml --model mock"),
    task("replayed", "eval task.yaml --model replay:{answers}.jsonl"),
)
"""Where predictions come from."""
VARIATIONS = (
    task(
        "options alone",
        "eval --dataset items.jsonl --predictions {answers}.jsonl --answer-type text --scorer answer_correctness@v1"
        " --metrics f1,exact_match --hard-examples 3 --model-name tiny --strict-ids",
    ),
    task("quarantine", f"{STORED} --bad-rows quarantine", write.with_bad_lines),
    task(
        "quarantine, unaccounted",
        f"{STORED} --bad-rows quarantine",
        partial(write.with_bad_lines, unaccounted=True),
        verdict="undecided",
    ),
    task(
        "line limit", f"{STORED} --bad-rows quarantine --max-line-bytes 900", partial(write.with_bad_lines, long=1000)
    ),
    task("unknown ids", STORED, partial(files, change=write.with_unknown)),
    task("limit", f"{STORED} --limit 15"),
    task("sample", f"{STORED} --sample-size 15 --seed 3"),
    task("asked sample", f"{ASKED} --sample-size 15 --seed 3"),
    task("depth", f"{STORED} --max-depth 1000", write.with_depth),
    task("asked depth", f"{ASKED} --max-depth 1000", write.with_depth),
    task("key", STORED, write.with_key),
    task("packed", f"{STORED} --max-unpacked-bytes 100000", write.packed),
    task("gold set", STORED, write.with_gold),
    task("asked gold set", ASKED, write.asked_gold),
    task("scorers", STORED, partial(files, scorers=["answer_correctness@v1", "text@v2"])),
    task("shuffled", STORED, partial(files, change=write.shuffled)),
    task("format rules", STORED, partial(files, eval={"format_rules": RULES})),
    task("slices", f"{STORED} --slice-by source,source+difficulty,length_bucket"),
    task("clusters", f"{STORED} --cluster-by talk"),
    task("fields", STORED, typed.of_fields),
    task("extract", f"{STORED} --extract answer_line", partial(files, change=write.worked)),
    task("profile", f"{STORED} --profile profile.yaml", write.with_profile),
    task("own profile", STORED, partial(write.with_profile, scoring_profile="profile.yaml")),
    task("labels", STORED, typed.labels),
    task("choices", STORED, typed.choices),
    task("worked references", STORED, typed.worked_references),
    task("every key", ASKED, write.every_key),
    task("own predictions", "eval {answers}.yaml", write.own_predictions),
    task(
        "own model",
        "eval {answers}.yaml --no-cache --concurrency 2",
        write.own_model,
        again="{line} --resume",
        asks=True,
    ),
    task("mixed", STORED, typed.mixed),
    task(
        "failing",
        "eval task.yaml --model python:answering:{answers}_failing --error-budget 2 --no-cache --concurrency 2",
    ),
    task("repeats", f"{ASKED} --repeats 2"),
    task("repeats member", f"{ASKED} --repeats 2", path="{run}.r2"),
    task("suite member", "eval {answers}.yaml", write.suite, path="{run}/two"),
    task("CSV", "eval task.yaml --predictions {answers}.csv", write.tables),
    task("Parquet", "eval task.yaml --dataset items.parquet --predictions {answers}.parquet", write.parquet),
)
"""What decides what is evaluated, whatever the predictions come from."""
