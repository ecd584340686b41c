"""Page 80's table for task files, profiles, patterns, variables and secrets, through the command."""

import json
from pathlib import Path

import pytest

from tests.faults.conftest import ITEMS, OUTPUTS

GOOD = b"task: demo\ndataset: items.jsonl\npredictions: outputs.jsonl\n"
REFUSED = [
    ("an anchor", b"answer_type: &x text", "bad-yaml", 4, 14),
    ("an alias", b"answer_type: *x", "bad-yaml", 4, 14),
    ("a tag", b"answer_type: !!str text", "bad-yaml", 4, 14),
    ("a second document", b"---\ntask: b", "bad-yaml", 4, 1),
    ("a key twice", b"task: again", "duplicate-key", 4, 1),
    ("an unknown key", b"answer_typ: text", "unknown-key", 4, 1),
    ("a key that is no text", b"1: text", "bad-yaml", 4, 1),
    ("over 1 MiB", b"prompt: " + b"x" * (1 << 20), "bad-yaml", None, None),
    ("not UTF-8", b"prompt: \xff", "not-utf8", 4, None),
    ("nesting over 64", b"generation: " + b"[" * 70 + b"]" * 70, "too-deep", 4, None),
    ("a threshold of NaN", b"scorers: [{name: text@v1, pass_threshold: .nan}]", "not-finite", 4, None),
    ("a threshold over 1", b"scorers: [{name: text@v1, pass_threshold: 1.01}]", "bad-configuration", 4, None),
    ("a threshold under 0", b"scorers: [{name: text@v1, pass_threshold: -0.01}]", "bad-configuration", 4, None),
    ("an unset variable", b"prompt: ${STEELYARD_TEST_IS_NOT_SET}", "unset-variable", 4, 9),
    ("a pattern that does not compile", b"extract: {regex: '('}", "bad-pattern", None, None),
    ("a rule that does not compile", b"eval: {format_rules: [{name: r, pattern: '('}]}", "bad-pattern", 4, None),
    ("an alias of two choices", b"answer_type: choice\naliases: {A: [x], B: [x]}", "ambiguous-alias", None, None),
    ("an unknown scorer", b"scorers: [txt@v1]", "unknown-name", None, None),
    ("an unknown metric", b"metrics: [f2]", "unknown-name", None, None),
    ("an unknown parameter", b"scorers: [{name: number@v1, tolerence_rel: 1}]", "unknown-parameter", None, None),
]


@pytest.mark.parametrize(
    ("added", "code", "line", "column"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_task_file_is_refused_before_any_row_is_read(steelyard, added, code, line, column):
    finished = steelyard("eval", "task.yaml", "--json", task__yaml=GOOD + added + b"\n")
    problem = finished.problems[0]
    assert (finished.code, problem["code"]) == (2, code)
    assert problem["message"]
    if line is not None:
        assert (problem["file"], problem["line"]) == ("task.yaml", line)
    if column is not None:
        assert problem["column"] == column


def test_an_unknown_key_comes_with_a_suggestion(steelyard):
    finished = steelyard("eval", "task.yaml", task__yaml=GOOD + b"answer_typ: text\n")
    assert finished.err == (
        "steelyard: task.yaml:4:1: [unknown-key] there is no key 'answer_typ'\n    hint: did you mean 'answer_type'?\n"
    )


def test_a_profile_is_refused_at_its_place(steelyard):
    profile = b"version: v1\nscorers:\n  text: {pass_threshold: 30}\n"
    files = {"task__yaml": GOOD + b"scoring_profile: profile.yaml\n", "profile__yaml": profile}
    finished = steelyard("eval", "task.yaml", "--json", **files)
    problem = finished.problems[0]
    assert (finished.code, problem["code"], problem["file"], problem["line"]) == (
        2,
        "bad-configuration",
        "profile.yaml",
        3,
    )


def test_a_pattern_that_runs_away_is_stopped(steelyard):
    rule = b"answer_type: text\nextract: {regex: '^(a+)+$'}\n"
    outputs = b'{"id":"a","output":"' + b"a" * 40 + b'!"}\n{"id":"b","output":"aaa"}\n'
    finished = steelyard(
        "eval", "task.yaml", "--json", task__yaml=GOOD + rule, items__jsonl=ITEMS, outputs__jsonl=outputs
    )
    content = json.loads(finished.out)
    assert (finished.code, content["scorecard"]["states"]["unparsed"]) == (0, 1)


def run_with_secret(steelyard, monkeypatch, *arguments: str):
    monkeypatch.setenv("SERVICE_TOKEN", "tok-0123456789abcdef")
    task = GOOD + b'prompt: "{prompt} ${SERVICE_TOKEN}"\nprompt_version: v-${SERVICE_TOKEN}\n'
    outputs = OUTPUTS.replace(b'"7"', b'"leaked tok-0123456789abcdef"')
    files = {"task__yaml": task, "items__jsonl": ITEMS, "outputs__jsonl": outputs}
    return steelyard("eval", "task.yaml", "--name", "run", *arguments, **files)


def test_a_secret_from_the_environment_is_in_nothing_that_is_written(steelyard, monkeypatch):
    finished = run_with_secret(steelyard, monkeypatch, "--json")
    assert finished.code == 0
    written = [path for path in Path("runs").rglob("*") if path.is_file() and path.suffix != ".parquet"]
    assert len(written) >= 6
    assert [path for path in written if b"tok-0123" in path.read_bytes()] == []
    assert "tok-0123" not in finished.out + finished.err
    assert "[redacted]" in Path("runs/run/config.yaml").read_text()


def test_a_secret_is_not_in_the_stored_items(steelyard, monkeypatch):
    import polars as pl

    run_with_secret(steelyard, monkeypatch)
    assert pl.read_parquet("runs/run/eval/items.parquet")["output"].to_list() == ["4", "leaked [redacted]"]


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"A=1\nnot a variable\n", "bad-configuration", 2),
        (b"A='open\n", "bad-configuration", 1),
        (b"A=\xff\n", "not-utf8", 1),
        (b"A=1\nA=2\n", "bad-configuration", 2),
    ],
    ids=["no NAME=value", "an open quote", "not UTF-8", "a name twice"],
)
def test_a_bad_env_file_is_refused_without_showing_its_values(steelyard, data, code, line):
    finished = steelyard("scorers", "--json", __env=data)
    problem = finished.problems[0]
    assert (finished.code, problem["code"], problem["line"]) == (2, code, line)
    assert problem["file"].endswith(".env")
    assert "open" not in problem["message"].replace("is not closed", "")


def test_a_configuration_is_read_back_as_it_was_meant(steelyard):
    """The task of a run is stored after variables were filled in, and is not filled in a second time."""
    files = {"task__yaml": GOOD + b"prompt: '{prompt} $${STEELYARD_TEST_IS_NOT_SET}'\n", "items__jsonl": ITEMS}
    assert steelyard("eval", "task.yaml", "--name", "run", **files, outputs__jsonl=OUTPUTS).code == 0
    rescored = steelyard("rescore", "run")
    assert (rescored.code, rescored.err) == (0, "")
