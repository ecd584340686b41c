"""`steelyard validate FILE` and `python tools/validate_evalset.py FILE`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


def row(number: int, **changes: object) -> str:
    fields = {
        "id": f"q{number}",
        "prompt": f"What is {number * 37} times {number + 11}?",
        "expected_answer": str(number),
    }
    return json.dumps({name: value for name, value in (fields | changes).items() if value is not ...}) + "\n"


@pytest.fixture
def validate(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(text: str, *arguments: str) -> tuple[int, str, str]:
        Path("set.jsonl").write_text(text, encoding="utf-8")
        with pytest.raises(SystemExit) as exited:
            main(["validate", "set.jsonl", *arguments])
        captured = capsys.readouterr()
        return exited.value.code, captured.out, captured.err

    return run


@pytest.mark.parametrize(("name", "items"), [("eval_v1", 50), ("eval_v2", 100)])
def test_the_sets_that_ship_are_valid_without_a_warning(name, items, capsys):
    with pytest.raises(SystemExit) as exited:
        main(["validate", str(ROOT / "evalsets" / f"{name}.jsonl"), "--json"])
    report = json.loads(capsys.readouterr().out)
    assert (exited.value.code, report["n_items"], report["errors"], report["warnings"]) == (0, items, [], [])


def test_the_composition_is_printed_in_percent(capsys):
    with pytest.raises(SystemExit):
        main(["validate", str(ROOT / "evalsets" / "eval_v2.jsonl")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:6] == [
        "section",
        "  60   60.0 %  core",
        "  25   25.0 %  trace_sensitive",
        "  15   15.0 %  edge_case",
    ]
    assert lines[-3:] == ["  34   34.0 %  easy", "  41   41.0 %  medium", "  25   25.0 %  hard"]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (row(1) + "oops\n", "bad-json", 2),
        (row(1, expected_answer=...), "missing-field", 1),
        (row(1, prompt="  "), "missing-field", 1),
        (row(1, id=None), "missing-field", 1),
        (row(1) + row(2, id="q1"), "duplicate-id", 2),
        ("", "empty-file", None),
    ],
)
def test_a_set_that_breaks_a_rule_is_invalid_and_exits_3(validate, text, code, line):
    found, out, _ = validate(text, "--min-items", "1", "--json")
    report = json.loads(out)
    assert (found, report["valid"], report["errors"][0]["code"], report["errors"][0]["line"]) == (3, False, code, line)


@pytest.mark.parametrize("value", [0, False, "0"])
def test_0_and_false_are_values(validate, value):
    assert validate(row(1, expected_answer=value), "--min-items", "1")[0] == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (row(1, section="cor"), "unknown-tag-value"),
        (row(1, difficulty="extreme"), "unknown-tag-value"),
        (row(1, prompt="Name the capital of Peru.") + row(2, prompt="name the capital of Peru"), "near-duplicate"),
        (row(1, prompt="Lima is the capital of which country?", expected_answer="Lima"), "reference-leak"),
    ],
)
def test_a_sign_of_trouble_is_a_warning_and_leaves_the_set_valid(validate, text, code):
    found, out, _ = validate(text, "--min-items", "1", "--json")
    report = json.loads(out)
    assert (found, report["valid"], [warning["code"] for warning in report["warnings"]]) == (0, True, [code])


def test_fifty_items_are_asked_for_unless_the_option_says_otherwise(validate):
    found, out, _ = validate(row(1))
    assert (found, "there is 1 item, expected at least 50" in out) == (3, True)
    assert validate(row(1), "--min-items", "1")[0] == 0
    assert validate(row(1), "--min-items", "-1")[0] == 2


def test_quiet_prints_only_what_is_wrong_and_no_more_than_twenty(validate):
    assert validate(row(1, section="odd"), "--min-items", "1", "--quiet") == (0, "", "")
    found, out, err = validate("oops\n" * 23, "--min-items", "0", "--quiet")
    assert (found, out, err.count("[bad-json]"), err.splitlines()[-1]) == (3, "", 20, "and 4 more")


def test_the_tool_of_seed_000_does_the_same(tmp_path):
    path = tmp_path / "set.jsonl"
    path.write_text(row(1), encoding="utf-8")
    command = [sys.executable, str(ROOT / "tools" / "validate_evalset.py"), str(path)]
    invalid = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (invalid.returncode, "invalid, 1 item, 1 error, 0 warnings" in invalid.stdout) == (3, True)
    valid = subprocess.run([*command, "--min-items", "1", "--quiet"], capture_output=True, text=True, check=False)
    assert (valid.returncode, valid.stdout, valid.stderr) == (0, "", "")
