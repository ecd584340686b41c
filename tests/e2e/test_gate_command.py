"""`compare`, `gate`, `baseline`, `runs`, `plan` and `reindex` as processes: output, exit codes, last lines."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_runs import SIGNATURES, make_run

TAGS = {"source": ["human"] * 5 + ["synthetic"] * 5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    found = tmp_path_factory.mktemp("gates")
    make_run(found / "runs", "main", [1] * 9 + [0], tags=TAGS)
    make_run(found / "runs", "same", [1] * 9 + [0], tags=TAGS)
    make_run(found / "runs", "worse", [1] * 5 + [0] * 5, tags=TAGS)
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
        ("same", 0, "steelyard: PASS"),
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
    assert content["gates"][0]["observed"] == 0.4
    assert content["tasks"][0]["failures"][0]["item_id"] == "item-5"
    assert ElementTree.parse(folder / "gates.xml").getroot().get("failures") == "1"
    assert summary.read_text().startswith("## Steelyard: FAIL (1 of 2 gates)")


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
    assert "  Delta: -0.4000    0.0000        -0.8000" in shown
    refused = steelyard(folder, "compare", "--runs", "main,other", "--json")
    assert json.loads(refused.stdout)["problems"][0]["code"] == "incomparable-runs"
    assert "score@v1 and score@v2" in refused.stderr
    assert steelyard(folder, "compare", "--runs", "main,other", "--allow", "scorer").returncode == 0


def test_a_comparison_is_written_in_every_format(folder: Path):
    def written(kind: str) -> str:
        steelyard(folder, "compare", "--runs", "main,worse", "--format", kind, "--output", f"found.{kind}")
        return (folder / f"found.{kind}").read_text()

    assert json.loads(written("json"))["deltas"]["worse"]["delta"] == -0.4
    rows = list(csv.DictReader(io.StringIO(written("csv"))))
    assert [(row["run"], float(row["value"])) for row in rows] == [("main", 0.9), ("worse", 0.5)]
    assert "| Delta | -0.4000 |" in written("markdown")
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
    assert json.loads(steelyard(folder, "runs", "show", "worse", "--json").stdout)["run"]["primary_score"] == 0.5
    items = json.loads(steelyard(folder, "runs", "items", "worse", "--failing", "--json", "--limit", "2").stdout)
    assert ([item["item_id"] for item in items["items"]], items["total"]) == (["item-5", "item-6"], 5)
    assert steelyard(folder, "runs", "items", "worse", "--where", "sorce=human").returncode == 2


def test_a_plan_says_how_many_items(folder: Path):
    found = json.loads(steelyard(folder, "plan", "--effect", "0.02", "--baseline", "main", "--json").stdout)
    assert found["items"] == 3532  # twice the variance of 0.9: 7.84888 * 0.18 / 0.0004
