"""Rows of the table: runs that did not end as they should, and suites that leave something out."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.tamper.forged_names import copied
from tests.tamper.forged_policies import RULES
from tests.tamper.rows import AGAINST, WORSE, Row, nothing, run, written
from tests.tamper.worlds import items, write_rows


def ask(body: str, *more: str, name: str = "forged", function: str = "good") -> None:
    """Evaluate a callable that this text defines under a name that is known already."""
    Path("answering.py").write_text(f"def {function}(item):\n    {body}\n")
    sys.modules.pop("answering", None)
    line = f"eval task.yaml --model python:answering:{function} --name {name}"
    run(" ".join([line, *more]))


WRONG_LATER = 'return item["expected_answer"] if int(item.id[1:]) < 30 else "none"'
RAISING = f"assert int(item.id[1:]) < 30; {WRONG_LATER}"
INTERRUPTED = f'if item.id == "i40": raise KeyboardInterrupt\n    {WRONG_LATER}'
ALL_RIGHT = 'return item["expected_answer"]'


def resumed_by_another() -> None:
    """Begin a run by one model and end it by another under the same name."""
    ask(INTERRUPTED)
    Path("answering.py").write_text(f"def other(item):\n    {ALL_RIGHT}\n")
    sys.modules.pop("answering", None)
    run("eval task.yaml --model python:answering:other --name forged --resume")


def resumed_after_forging() -> None:
    """Begin a run, change what it was told, and resume it."""
    ask(INTERRUPTED)
    file = Path("runs/forged/predictions.jsonl")
    file.write_text(file.read_text().replace("none", "x"))
    ask(WRONG_LATER, "--resume")


STATES = "states"
STATED = (
    Row(STATES, "another callable under the old name", partial(ask, WRONG_LATER), kind="asked"),
    Row(STATES, "failing items raise", partial(ask, RAISING), kind="asked"),
    Row(STATES, "failing items raise within the budget", partial(ask, RAISING, "--error-budget 60"), kind="asked"),
    Row(STATES, "interrupted", partial(ask, INTERRUPTED), kind="asked"),
    Row(STATES, "interrupted, by latest", partial(ask, INTERRUPTED), "gate latest --against main", "asked"),
    Row(STATES, "over budget, by latest", partial(ask, RAISING), "gate latest --against main", "asked"),
    Row(STATES, "resumed by another model", resumed_by_another, kind="asked"),
    Row(STATES, "resumed after forging", resumed_after_forging, kind="asked"),
    Row(STATES, "an interrupted baseline", partial(ask, INTERRUPTED), "gate good --against forged", "asked"),
    Row(STATES, "a baseline over budget", partial(ask, RAISING), "gate good --against forged", "asked"),
    Row(STATES, "a baseline set to an interrupted run", partial(ask, INTERRUPTED), "baseline set main forged", "asked"),
    Row(STATES, "a baseline set to a run over budget", partial(ask, RAISING), "baseline set main forged", "asked"),
    Row(
        STATES,
        "every item raises, within the budget",
        partial(ask, "raise ValueError", "--error-budget 60"),
        kind="asked",
    ),
    Row(STATES, "nothing answered", partial(ask, 'return ""'), kind="asked"),
)


def suite(text: str, *lines: str) -> None:
    """Evaluate another suite file."""
    written("forged.yaml", text, *lines, "eval forged.yaml --name forged")


SUITES = "suites"


def other_two(old: str, new: str) -> None:
    """Evaluate the suite with another second task."""
    text = Path("worse-two.yaml").read_text()
    assert old in text
    Path("other-two.yaml").write_text(text.replace(old, new))
    suite(f"suite: both\ntasks: [worse-one.yaml, other-two.yaml]\n{RULES}")


def fewer_items() -> None:
    """Evaluate the suite with fewer items for its failing task."""
    write_rows("few.jsonl", items()[:30])
    other_two("items.jsonl", "few.jsonl")


SUITE_ROWS = (
    Row(SUITES, "without its failing task", partial(suite, f"suite: both\ntasks: [worse-one.yaml]\n{RULES}")),
    Row(
        SUITES,
        "the passing task twice",
        partial(suite, f"suite: both\ntasks: [worse-one.yaml, worse-one.yaml]\n{RULES}"),
    ),
    Row(SUITES, "its failing task under another name", partial(other_two, "task: two", "task: three")),
    Row(SUITES, "its failing task over fewer items", fewer_items),
    Row(SUITES, "its failing task by another scorer", partial(other_two, "answer_correctness@v1", "text_answer@v1")),
    Row(SUITES, "its failing task without predictions", partial(other_two, "worse-two.jsonl", "nowhere.jsonl")),
    Row(SUITES, "no tasks", partial(suite, f"suite: both\ntasks: []\n{RULES}")),
    Row(SUITES, "--limit", partial(run, "eval worse.yaml --name forged --limit 30")),
    Row(SUITES, "a task's run exchanged", partial(copied, "good/two", "runs/worse/two"), WORSE),
    Row(SUITES, "a task's run removed", partial(shutil.rmtree, "runs/worse/two"), WORSE),
    Row(SUITES, "a task's run of the baseline exchanged", partial(copied, "weak/two", "runs/base/two"), WORSE),
    Row(
        SUITES,
        "a task's run of the baseline removed",
        partial(shutil.rmtree, "runs/base/two"),
        "gate good --against main",
    ),
    Row(
        SUITES, "the record exchanged", partial(shutil.copyfile, "runs/good/suite.json", "runs/worse/suite.json"), WORSE
    ),
    Row(SUITES, "against itself", nothing, "gate base --against base"),
    Row(SUITES, "against the baseline that it is", nothing, "gate base --against main"),
    Row(SUITES, "against one run", nothing, "gate good --against base/one"),
    Row(SUITES, "one run against a suite", nothing, "gate good/one --against main"),
    Row(SUITES, "one run against another task's", nothing, "gate good/one --against base/two"),
    Row(SUITES, "the failing task by latest", nothing, "gate latest@two --against base/two"),
)
SUITE_ROWS = tuple(replace(row, kind="suite") for row in SUITE_ROWS)

GENUINE_STATES = (
    Row(STATES, "asked again", partial(ask, WRONG_LATER.replace("30", "57")), kind="asked"),
    Row(SUITES, "both tasks", nothing, AGAINST.format(run="good"), "suite"),
    Row(SUITES, "both tasks again", partial(run, "eval good.yaml --name forged"), kind="suite"),
)
