"""`steelyard research` and `python scripts/eval.py` as a user types them: figures, statuses, exit codes, bytes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from steelyard.schemas import schema_of
from tests.research_artifacts import claim, evidence, golden, output, write_golden, write_run

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "research"
STEELYARD = (str(Path(sys.executable).parent / "steelyard"), "research")
SCRIPT = (sys.executable, str(ROOT / "scripts" / "eval.py"))
FIRST = ("--golden", str(EXAMPLES / "golden_queries.json"), "--outputs", str(EXAMPLES / "outputs"))
SECOND = (*FIRST[:3], str(EXAMPLES / "outputs_v2"))


@pytest.fixture
def run(tmp_path):
    """Run a command in an empty folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STEELYARD_")}

    def call(*arguments, code=0, command=STEELYARD):
        done = subprocess.run(
            [*command, *map(str, arguments)],
            cwd=tmp_path,
            env=environment | {"NO_COLOR": "1", "PYTHONWARNINGS": "error"},
            capture_output=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == code, done.stderr.decode()
        assert b"Traceback" not in done.stderr
        return done

    return call


def report_of(done):
    found = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema_of("research-report")).validate(found)
    return found


def gates(report):
    return [(gate["numerator"], gate["denominator"], gate["status"]) for gate in report["gates"]]


def test_the_first_example_has_the_figures_worked_out_in_its_readme(run):
    report = report_of(run(*FIRST, "--format", "json", code=1))
    assert gates(report) == [(11, 16, "FAIL"), (7, 11, "FAIL"), (2, 5, "FAIL"), (37, 41, "FAIL")]
    assert [gate["threshold"] for gate in report["gates"]] == [0.95, 0.80, 0.90, 1.00]
    further = ("over_abstention_rate", "false_assertion_rate", "citation_precision")
    counts = [(report["metrics"][name]["numerator"], report["metrics"][name]["denominator"]) for name in further]
    assert counts == [(1, 7), (2, 5), (10, 14)]


def test_the_first_example_lists_what_the_readme_lists(run):
    report = report_of(run(*FIRST, "--json", code=1))
    assert report["entries_without_run"] == ["How was the Pellow well lined?"]
    assert [entry["run"] for entry in report["runs_without_entry"]] == ["run_12"]
    assert [entry["run"] for entry in report["unreadable_runs"]] == ["run_11"]
    steps = report["steps_without_manifest"]["listed"]
    assert [(step["run"], step["step_id"]) for step in steps] == [("run_03", "s2"), ("run_03", "s4"), ("run_12", "s3")]
    shared = report["shared_evidence"]["listed"]
    assert [(entry["run"], entry["evidence_id"]) for entry in shared] == [("run_01", "harrow-1"), ("run_14", "loom-1")]
    missing = {entry["objective"]: entry["missing_evidence_ids"] for entry in report["objectives"]}
    assert missing["When did the Tarn tide gauge lose its readings?"] == ["tide-3"]
    assert report["outputs"]["ignored"] == ["NOTES.txt"]


def test_each_piece_of_evidence_says_what_is_missing(run):
    runs = {entry["run"]: entry for entry in report_of(run(*FIRST, "--json", code=1))["runs"]}

    def piece(name, claim_place, place=0):
        found = runs[name]["claims"][claim_place]["evidence"][place]
        return found["counts"], found["missing"], found["faults"]

    assert piece("run_01", 0) == (True, [], [])
    assert piece("run_02", 2) == (False, ["quote"], [])
    assert piece("run_07", 0) == (False, [], ["quote_mismatch"])
    assert piece("run_07", 1) == (True, [], [])
    assert piece("run_08", 0, 1) == (False, ["record"], [])
    assert piece("run_12", 1) == (False, [], ["quote_mismatch"])


def test_the_second_example_passes(run):
    report = report_of(run(*SECOND, "--json"))
    assert gates(report) == [(11, 11, "PASS"), (10, 11, "PASS"), (4, 4, "PASS"), (22, 22, "PASS")]


def test_the_text_report_shows_every_gate_with_its_status(run):
    done = run(*FIRST, code=1)
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "Evidence gates: FAIL"
    assert [line.split()[-1] for line in lines[4:8]] == ["FAIL"] * 4
    assert lines[7].split() == ["Manifest", "Integrity", "0.9024", "37/41", "=", "1.00", "FAIL"]
    assert done.stderr.decode().splitlines()[-1] == "steelyard: FAIL (4 of 4 gates)"


@pytest.mark.parametrize("form", ["json", "text"])
def test_the_same_files_give_the_same_bytes(run, tmp_path, form):
    first = run(*FIRST, "--format", form, "--report", "first.out", code=1)
    moved = tmp_path / "elsewhere" / "deep"
    shutil.copytree(EXAMPLES, moved)
    paths = ("--golden", moved / "golden_queries.json", "--outputs", moved / "outputs")
    second = run(*paths, "--format", form, "--report", "second.out", code=1, command=SCRIPT)
    assert first.stdout == second.stdout == (tmp_path / "first.out").read_bytes()
    assert (tmp_path / "first.out").read_bytes() == (tmp_path / "second.out").read_bytes()
    results = sorted(tmp_path.glob("runs/*/eval/eval_results.json"))
    assert len(results) == 2
    for name in ("eval_results.json", "items.parquet", "research_runs.jsonl", "hard_examples.jsonl"):
        assert results[0].with_name(name).read_bytes() == results[1].with_name(name).read_bytes()


def test_a_report_file_named_json_is_json(run, tmp_path):
    run(*SECOND, "--report", "report.json")
    assert json.loads((tmp_path / "report.json").read_bytes())["status"] == "PASS"


def test_thresholds_come_from_a_file_and_from_flags(run):
    flags = ("--min-abstention-accuracy", "0.25", "--min-manifest-integrity", "0.9")
    report = report_of(run(*FIRST, "--gates", EXAMPLES / "gates.yaml", *flags, "--json"))
    assert [gate["threshold"] for gate in report["gates"]] == [0.65, 0.60, 0.25, 0.9]
    assert report["status"] == "PASS"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--min-golden-recall", "1.5"),
        ("--min-golden-recall", "nan"),
        ("--gates", "absent.yaml"),
        ("--format", "yaml"),
        ("--name", "../up"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(run, arguments):
    run(*FIRST, *arguments, code=2)


MALFORMED = {
    "golden_queries.present": None,
    "golden_queries.readable": b'["\xff"]',
    "golden_queries.json": b'[{"objective": "a"',
    "golden_queries.types": b'[{"objective": 1, "required_evidence_ids": [], "evidence_sufficient": true}]',
    "golden_queries.keys": b'[{"objective": "a", "required_evidence_ids": []}]',
    "golden_queries.not_empty": b"[]",
    "golden_queries.unique_objectives": json.dumps([golden("a"), golden("A")]).encode(),
    "golden_queries.no_required_ids_when_insufficient": json.dumps([golden("a", "E1", sufficient=False)]).encode(),
}


@pytest.mark.parametrize(
    ("requirement", "command"),
    [*((requirement, STEELYARD) for requirement in MALFORMED), ("golden_queries.present", SCRIPT)],
)
def test_malformed_golden_queries_stop_with_system_error_and_a_report(run, tmp_path, requirement, command):
    if MALFORMED[requirement] is not None:
        (tmp_path / "golden.json").write_bytes(MALFORMED[requirement])
    given = ("--golden", "golden.json", "--outputs", EXAMPLES / "outputs", "--json", "--report", "report.json")
    done = run(*given, code=3, command=command)
    report = report_of(done)
    assert report["status"] == "SYSTEM_ERROR"
    assert [fault["requirement"] for fault in report["missing_requirements"]] == [requirement]
    assert {gate["status"] for gate in report["gates"]} == {"NOT_APPLICABLE"}
    assert (tmp_path / "report.json").read_bytes() == done.stdout
    assert done.stderr.decode().splitlines()[-1] == f"steelyard: SYSTEM_ERROR ({requirement})"
    assert not (tmp_path / "runs").exists()


def test_no_outputs_are_an_error_and_never_a_pass(run, tmp_path):
    (tmp_path / "empty").mkdir()
    for outputs, requirement in (("empty", "outputs.has_runs"), ("absent", "outputs.present")):
        report = report_of(run(*FIRST[:3], outputs, "--json", code=3))
        assert [fault["requirement"] for fault in report["missing_requirements"]] == [requirement]
        text = run(*FIRST[:3], outputs, code=3).stdout.decode()
        assert f"missing requirement {requirement}" in text


def test_where_no_gate_applies_nothing_passes(run, tmp_path):
    write_golden(tmp_path / "golden.json", golden("a"))
    write_run(tmp_path / "outputs", "run_1", output(objective="a"))
    done = run("--golden", "golden.json", "--outputs", "outputs", "--json", code=3)
    assert [gate["status"] for gate in report_of(done)["gates"]] == ["NOT_APPLICABLE"] * 4
    assert done.stderr.decode().splitlines()[-1] == "steelyard: UNDECIDED (no gate applies)"


def test_a_gate_over_nothing_is_shown_and_does_not_stand_in_the_way(run, tmp_path):
    write_golden(tmp_path / "golden.json", golden("a"))
    write_run(tmp_path / "outputs", "run_1", output(objective="a", claims=[claim("k", evidence())]))
    report = report_of(run("--golden", "golden.json", "--outputs", "outputs", "--json"))
    shown = [(gate["value"], gate["status"]) for gate in report["gates"]]
    assert shown == [(1.0, "PASS")] + [(None, "NOT_APPLICABLE")] * 3


def test_an_evaluation_is_a_run_that_is_compared_and_gated(run):
    steelyard = STEELYARD[:1]
    run(*FIRST, "--name", "first", "--agent", "surveyor-1", code=1)
    run(*SECOND, "--name", "second", "--agent", "surveyor-2", "--slice-by", "field")
    policy = ("--policy", EXAMPLES / "policy.yaml")
    run("gate", "second", "--against", "first", *policy, command=steelyard)
    run("gate", "first", "--against", "second", *policy, code=1, command=steelyard)
    run("gate", "second", command=steelyard)
    done = run("compare", "--runs", "first,second", "--metric", "golden_recall", "--format", "json", command=steelyard)
    found = json.loads(done.stdout)
    assert found["overall"] == {"first": pytest.approx(7 / 11), "second": pytest.approx(10 / 11)}
    assert found["deltas"]["second"]["delta"] == pytest.approx(3 / 11)


def test_without_storing_nothing_is_left_behind(run, tmp_path):
    stored = run(*FIRST, "--json", code=1)
    shutil.rmtree(tmp_path / "runs")
    assert run(*FIRST, "--json", "--no-store", code=1).stdout == stored.stdout
    assert list(tmp_path.iterdir()) == []


def test_hostile_text_is_escaped_for_people_and_exact_for_machines(run, tmp_path):
    hostile = "\x1b[31m red \u202e ##vso[task.fail]\n::error::x"
    write_golden(tmp_path / "golden.json", golden(hostile, "E1"))
    write_run(tmp_path / "outputs", "run_1", output(objective=hostile, claims=[claim("k\x1b[2J")]))
    given = ("--golden", "golden.json", "--outputs", "outputs")
    text = run(*given, code=1).stdout.decode()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    assert json.loads(run(*given, "--json", code=1).stdout)["objectives"][0]["objective"] == hostile


def test_the_command_of_seed_002_works_as_written(run, tmp_path):
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    (tmp_path / "eval").mkdir()
    shutil.copy(EXAMPLES / "golden_queries.json", tmp_path / "eval")
    shutil.copytree(EXAMPLES / "outputs_v2", tmp_path / "outputs")
    given = ("--golden", "eval/golden_queries.json", "--outputs", "./outputs")
    assert (
        run(*given, command=(sys.executable, "scripts/eval.py")).stderr.decode().splitlines()[-1] == "steelyard: PASS"
    )


def test_a_run_is_rescored_like_any_other(run, tmp_path):
    run(*FIRST, "--name", "first", code=1)
    results = tmp_path / "runs/first/eval/eval_results.json"
    before = results.read_bytes()
    results.unlink()
    done = run("first", command=(STEELYARD[0], "rescore"))
    assert results.read_bytes() == before
    assert b"research_evidence" in done.stdout
