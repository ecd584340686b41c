"""Fuzzed JSONL, CSV, JSON and YAML: every input ends in a whole run or in an error of ours, and soon.

The sample runs with every test run; `make fuzz` runs the campaign.
"""

from __future__ import annotations

import signal
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from steelyard.configuration.rules import PreambleRuleWarning
from steelyard.errors import CODES, LISTED_PROBLEMS, SteelyardError
from steelyard.kinds.task.order import evaluate
from steelyard.tasks.loading import EvaluateOptions
from tests.faults.fuzzed_files import Case, case

SAMPLE = 200
CAMPAIGN = 21_600
CHUNK = 400
DEADLINE_SECONDS = 10.0


class TooSlowError(BaseException):
    """Not an Exception, so that nothing on the way takes it for a failure of its own."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def outcome(found: Case, folder: Path, name: str) -> str:
    """Evaluate a case; return `completed` or the code of the first problem."""
    for file, data in found.files.items():
        (folder / file).write_bytes(data)
    dataset = next(file for file in found.files if file.startswith("data."))
    options = EvaluateOptions(
        task_file=folder / "task.yaml",
        dataset=str(folder / dataset),
        predictions=str(folder / dataset.replace("data", "out")),
        profile=str(folder / "profile.yaml"),
        runs_dir=folder / "runs",
        name=name,
        bad_rows=found.bad_rows,
    )
    try:
        evaluation = evaluate(options)
    except SteelyardError as error:
        check_error(error)
        return error.problems[0].code
    check_run(evaluation.results["scorecard"])
    return "completed"


def check_error(error: SteelyardError) -> None:
    assert error.exit_code in (2, 3, 4, 5)
    assert 0 < len(error.problems) <= error.total
    for line in str(error).split("\n"):
        assert line.isprintable(), ascii(line)
    listed = error.as_dict()["problems"]
    assert isinstance(listed, list)
    assert len(listed) <= LISTED_PROBLEMS
    assert {problem["code"] for problem in listed} <= set(CODES)


def check_run(scorecard: dict) -> None:
    assert scorecard["n_items"] == sum(scorecard["states"].values()) == scorecard["n_scored"] + scorecard["n_skipped"]
    assert scorecard["n_items"] > 0
    assert 0 <= scorecard["primary_score"] <= 1


def run(seeds: range, folder: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    for seed in seeds:
        found = case(seed)
        try:
            with warnings.catch_warnings(), deadline(DEADLINE_SECONDS):
                warnings.simplefilter("ignore", PreambleRuleWarning)
                counts[outcome(found, folder, f"run{seed}")] += 1
        except (Exception, TooSlowError) as error:  # noqa: BLE001 - whatever it is, the seed has to be told
            pytest.fail(f"seed {seed}, broken {found.broken}: {error!r}\n{found.files[found.broken]!r}")
    return counts


def test_the_same_seed_makes_the_same_files():
    assert [case(seed) for seed in range(50)] == [case(seed) for seed in range(50)]


def test_a_sample_of_fuzzed_inputs_ends_in_a_run_or_in_an_error_of_ours(tmp_path):
    counts = run(range(SAMPLE), tmp_path)
    assert counts.total() == SAMPLE
    assert counts["completed"] > SAMPLE // 20
    assert len(counts) > 8


@pytest.mark.campaign
@pytest.mark.parametrize("start", range(0, CAMPAIGN, CHUNK))
def test_a_campaign_of_fuzzed_inputs_ends_in_runs_or_in_errors_of_ours(tmp_path, start):
    counts = run(range(start, start + CHUNK), tmp_path)
    print(f"seeds {start} to {start + CHUNK - 1}: {dict(counts.most_common())}")
    assert counts.total() == CHUNK
