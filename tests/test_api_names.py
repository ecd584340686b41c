"""Text where Python code may give a list: one name, or names with commas between, as on the command line."""

import dataclasses
import inspect
import json
import typing

import pytest

import steelyard
from steelyard.tasks.loading import EvaluateOptions
from steelyard.verdicts.comparison import CompareOptions
from steelyard.verdicts.gating import GateOptions
from tests.made_runs import SIGNATURES, make_run

TAGS = {"lang": ["en", "de"] * 10, "kind": ["x"] * 10 + ["y"] * 10}
ROWS = [
    {"id": str(row), "prompt": "q", "reference": "a", "prediction": "a", "lang": ["en", "de"][row % 2], "kind": "x"}
    for row in range(20)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("names")
    (found / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    make_run(found, "a", [1.0] * 20, tags=TAGS)
    make_run(found, "b", [1.0] * 20, tags=TAGS, signatures=SIGNATURES | {"scorers": ["score@v2"]}, task="other")
    return found


def evaluated_slices(folder, value):
    task = {"task": "t", "tag_fields": ["lang", "kind"]}
    run = steelyard.evaluate(task, dataset=folder / "items.jsonl", slice_by=value, runs_dir=folder / "runs")
    return set(run.results["slices"])


def evaluated_metrics(folder, value):
    run = steelyard.evaluate(
        {"task": "t"}, dataset=folder / "items.jsonl", answer_type="text", metrics=value, runs_dir=folder / "runs"
    )
    return {*run.metrics}


def compared_slices(folder, value):
    return set(steelyard.compare("a", "a", slice_by=value, runs_dir=folder).slices)


def compared_allowing(folder, value):
    found = steelyard.compare("a", "b", allow=value, runs_dir=folder)
    return {entry.field for entry in found.contract.differences} & {"task", "scorer"}


def gated_allowing(folder, value):
    verdict = steelyard.gate("b", against="a", allow=value, runs_dir=folder)
    return {verdict.outcome}


CASES = {
    ("evaluate", "slice_by"): (evaluated_slices, "lang", {"lang"}, "lang, kind", ["lang", "kind"]),
    ("evaluate", "metrics"): (evaluated_metrics, "f1", None, "f1,rougeL", ["f1", "rougeL"]),
    ("compare", "slice_by"): (compared_slices, "lang", {"lang"}, "lang,kind", ["lang", "kind"]),
    ("compare", "allow"): (compared_allowing, None, None, "task,scorer", ["task", "scorer"]),
    ("gate", "allow"): (gated_allowing, "task", {"undecided"}, "task,scorer", ["task", "scorer"]),
}
NOT_LISTS = {("compare", "runs")}
"""Every run is an argument of its own."""


def list_keywords():
    """Return every public keyword that holds several names."""
    options = {"evaluate": EvaluateOptions, "compare": CompareOptions, "gate": GateOptions}
    found = {
        (name, field.name)
        for name, record in options.items()
        for field in dataclasses.fields(record)
        if "tuple" in str(field.type)
    }
    for name in ("evaluate", "compare", "gate", "load_run"):
        for keyword, hint in typing.get_type_hints(getattr(steelyard, name)).items():
            if "Sequence" in str(hint) or "list" in str(hint):
                found.add((name, keyword))
    return found


def test_every_public_keyword_that_takes_a_list_is_tried():
    assert list_keywords() - NOT_LISTS == set(CASES)


def test_the_public_functions_are_those_that_are_looked_at():
    functions = {name for name in steelyard.__all__ if inspect.isfunction(getattr(steelyard, name))}
    assert functions == {"evaluate", "compare", "gate", "load_run"}


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_text_with_commas_is_the_list_of_its_names(folder, case):
    asked, _, _, text, listed = CASES[case]
    assert asked(folder, text) == asked(folder, listed) == asked(folder, tuple(listed))


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case][1] is not None], ids=" ".join)
def test_text_without_a_comma_is_one_name(folder, case):
    asked, text, expected, _, _ = CASES[case]
    found = asked(folder, text)
    assert found == asked(folder, [text])
    assert expected is None or found == expected


def test_a_plus_sign_crosses_tags_as_on_the_command_line(folder):
    assert evaluated_slices(folder, "lang+kind") == compared_slices(folder, "lang+kind") == {"lang & kind"}
    assert evaluated_slices(folder, [["lang", "kind"]]) == compared_slices(folder, [["lang", "kind"]])


@pytest.mark.parametrize(("scores", "expected"), [([1.0] * 20, True), ([0.0] * 20, False)])
def test_only_a_pass_is_true(tmp_path, scores, expected):
    make_run(tmp_path, "a", [1.0] * 20)
    make_run(tmp_path, "b", scores)
    assert bool(steelyard.gate("b", against="a", runs_dir=tmp_path)) is expected


def test_what_is_undecided_is_not_true(tmp_path):
    make_run(tmp_path, "a", [1.0] * 20)
    verdict = steelyard.gate("a", runs_dir=tmp_path)
    assert verdict.outcome == "undecided"
    assert not verdict


def test_a_crashed_run_is_not_true(tmp_path):
    path = make_run(tmp_path, "a", [1.0] * 20)
    record = json.loads((path / "run.json").read_text())
    (path / "run.json").write_text(json.dumps(record | {"status": "running"}))
    assert not steelyard.gate("a", runs_dir=tmp_path)
