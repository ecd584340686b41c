"""`compare`, `gate`, `baseline`, `runs`, `plan` and `reindex` as processes: output, exit codes, last lines."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.made_runs import SIGNATURES, make_run

TAGS = {"source": ["human"] * 5 + ["synthetic"] * 5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    found = tmp_path_factory.mktemp("gates")
    make_run(found / "runs", "main", [1] * 9 + [0], tags=TAGS)
    make_run(found / "runs", "same", [1] * 9 + [0], tags=TAGS)
    make_run(found / "runs", "worse", [1] * 4 + [0] * 6, tags=TAGS)
    make_run(found / "runs", "other", [1] * 10, tags=TAGS, signatures=SIGNATURES | {"scorers": ["score@v2"]})
    return found


def steelyard(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "steelyard", *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "NO_COLOR": "1", **environment},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("run", "code", "last"),
    [
        ("same", 0, "steelyard: PASS (no drop; 10 items show 0.581)"),
        ("worse", 1, "steelyard: FAIL (1 of 2 gates)"),
        ("other", 3, "steelyard: UNDECIDED (2 of 2 gates)"),
    ],
)
def test_the_verdict_is_the_exit_code_and_the_last_line(folder: Path, run: str, code: int, last: str):
    found = steelyard(folder, "gate", run, "--against", "main")
    assert found.returncode == code
    assert found.stderr.splitlines()[-1] == last


def test_a_gate_writes_for_machines(folder: Path):
    summary = folder / "summary.md"
    found = steelyard(
        folder, "gate", "worse", "--against", "main", "--json", "--junit", "gates.xml", GITHUB_STEP_SUMMARY=str(summary)
    )
    content = json.loads(found.stdout)
    assert (content["verdict"], content["exit_code"], content["counts"]["fail"]) == ("fail", 1, 1)
    assert content["gates"][0]["observed"] == 0.5
    assert content["tasks"][0]["failures"][0]["item_id"] == "item-4"
    assert ElementTree.parse(folder / "gates.xml").getroot().get("failures") == "1"
    assert summary.read_text().startswith("## Steelyard: FAIL (1 of 2 gates)")


def test_an_undecided_verdict_is_written_everywhere(folder: Path):
    summary = folder / "undecided.md"
    given = ("gate", "other", "--against", "main", "--json", "--junit", "other.xml")
    found = steelyard(folder, *given, GITHUB_STEP_SUMMARY=str(summary))
    content = json.loads(found.stdout)
    assert (found.returncode, content["verdict"], content["exit_code"]) == (3, "undecided", 3)
    assert all("--allow scorer" in entry["hint"] for entry in content["gates"])
    root = ElementTree.parse(folder / "other.xml").getroot()
    assert (root.get("errors"), root.get("failures")) == ("2", "0")
    assert summary.read_text().startswith("## Steelyard: UNDECIDED (2 of 2 gates)")


def test_a_gate_that_cannot_be_held_leaves_an_error_and_no_verdict_of_last_time(folder: Path):
    (folder / "stale.xml").write_text("<testsuites/>")
    summary = folder / "refused.md"
    given = ("gate", "same", "--against", "nowhere", "--junit", "stale.xml", "--json")
    found = steelyard(folder, *given, GITHUB_STEP_SUMMARY=str(summary))
    assert found.returncode == 3
    assert found.stderr.splitlines()[-1] == "steelyard: UNDECIDED (run-not-found)"
    assert json.loads(found.stdout)["verdict"] == "undecided"
    assert ElementTree.parse(folder / "stale.xml").getroot().get("errors") == "1"
    assert "run-not-found" in summary.read_text().replace("\\", "")


def test_the_gate_command_allows_fields(folder: Path):
    assert steelyard(folder, "gate", "other", "--against", "main", "--allow", "scorer").returncode == 0
    refused = steelyard(folder, "gate", "other", "--against", "main", "--allow", "scorr")
    assert refused.returncode == 2
    assert "did you mean 'scorer'" in refused.stderr


def test_no_error_leads_to_zero(folder: Path):
    assert steelyard(folder, "gate", "nowhere").returncode == 3
    assert steelyard(folder, "gate", "same", "--policy", "nowhere.yaml").returncode == 2
    (folder / "bad.yaml").write_text("gates:\n  - {metric: f1, max_drop: .nan}\n")
    assert steelyard(folder, "gate", "same", "--policy", "bad.yaml").returncode == 2
    assert steelyard(folder, "compare", "--runs", "main,other").returncode == 3
    assert steelyard(folder, "compare", "--runs", "main").returncode == 2
    assert steelyard(folder, "baseline", "show", "nothing").returncode == 3
    assert steelyard(folder, "plan", "--effect", "0").returncode == 2
    assert steelyard(folder, "runs", "list", STEELYARD_DATABASE_URL="sqlite:////nowhere/x.sqlite").returncode == 5


def test_a_comparison_prints_the_table_and_names_a_refusal(folder: Path):
    shown = steelyard(folder, "compare", "--runs", "main,worse", "--slice-by", "source").stdout
    assert "  Run     Overall   source=human   source=synthetic\n  main    0.9000    1.0000         0.8000" in shown
    assert "  Delta: -0.5000   -0.2000        -0.8000" in shown
    refused = steelyard(folder, "compare", "--runs", "main,other", "--json")
    assert json.loads(refused.stdout)["problems"][0]["code"] == "incomparable-runs"
    assert "score@v1 and score@v2" in refused.stderr
    assert steelyard(folder, "compare", "--runs", "main,other", "--allow", "scorer").returncode == 0


def test_a_comparison_is_written_in_every_format(folder: Path):
    def written(kind: str) -> str:
        steelyard(folder, "compare", "--runs", "main,worse", "--format", kind, "--output", f"found.{kind}")
        return (folder / f"found.{kind}").read_text()

    assert json.loads(written("json"))["deltas"]["worse"]["delta"] == -0.5
    rows = list(csv.DictReader(io.StringIO(written("csv"))))
    assert [(row["run"], float(row["value"])) for row in rows] == [("main", 0.9), ("worse", 0.4)]
    assert "| Delta | -0.5000 |" in written("markdown")
    assert "correlation" in written("table")


def test_a_baseline_is_set_listed_and_shown(folder: Path):
    assert steelyard(folder, "baseline", "set", "release", "main").returncode == 0
    assert json.loads(steelyard(folder, "baseline", "list", "--json").stdout)[0]["path"] == "main"
    assert "run_id" in json.loads(steelyard(folder, "baseline", "show", "release", "--json").stdout)
    assert steelyard(folder, "gate", "same", "--against", "release").returncode == 0


def test_runs_are_listed_shown_and_their_items_paged(folder: Path):
    assert steelyard(folder, "reindex").stdout == "indexed 4 runs\n"
    listed = json.loads(steelyard(folder, "runs", "list", "--json", "--limit", "2").stdout)
    assert (len(listed["runs"]), listed["total"]) == (2, 4)
    assert json.loads(steelyard(folder, "runs", "show", "worse", "--json").stdout)["run"]["primary_score"] == 0.4
    items = json.loads(steelyard(folder, "runs", "items", "worse", "--failing", "--json", "--limit", "2").stdout)
    assert ([item["item_id"] for item in items["items"]], items["total"]) == (["item-4", "item-5"], 6)
    assert steelyard(folder, "runs", "items", "worse", "--where", "sorce=human").returncode == 2


def test_a_plan_says_how_many_items(folder: Path):
    found = json.loads(steelyard(folder, "plan", "--effect", "0.02", "--baseline", "main", "--json").stdout)
    assert found["items"] == 3532  # twice the variance of 0.9: 7.84888 * 0.18 / 0.0004
