"""What stands above a verdict: runs that hardly answered, and slices that fell while no rule looks at them."""

import json
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from tests.made_runs import make_run

N = 200
SOURCES = ["a"] * 40 + ["b"] * 160
RIGHT = [1.0] * 180 + [0.0] * 20
FELL = [0.0] * 12 + [1.0] * 180 + [0.0] * 8  # a falls by 12 of 40 and b rises by 12 of 160: no drop in all


def gated(folder, run, *more):
    given = [sys.executable, "-m", "steelyard", "gate", run, "--against", "main", "--junit", "gates.xml", *more]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
    (folder / "summary.md").unlink(missing_ok=True)
    return subprocess.run(given, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)


def warnings_of(folder, run, *more):
    """The warnings of a gate, which are the same in every output."""
    found = json.loads(gated(folder, run, "--json", *more).stdout)["warnings"]
    text = " ".join(gated(folder, run, *more).stdout.split())
    junit = ElementTree.parse(folder / "gates.xml").getroot().findtext(".//system-out") or ""
    summary = (folder / "summary.md").read_text().replace("\\", "")
    for line in found:
        assert f"warning: {line}" in text
        assert text.index(f"warning: {line}") < text.index("PASS " if "PASS " in text else "UNDECIDED ")
        assert line in junit
        assert f"> **Warning:** {line}" in summary
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("warnings")
    runs, tags = found / "runs", {"source": SOURCES, "all": ["x"] * N}
    make_run(runs, "main", RIGHT, tags=tags)
    make_run(runs, "fell", FELL, tags=tags)
    make_run(runs, "same", RIGHT, tags=tags)
    states = ["missing"] * 101 + ["scored"] * 99
    make_run(runs, "silent", [0.0] * 101 + [1.0] * 99, tags=tags, states=states)
    make_run(runs, "half", [0.0] * 100 + [1.0] * 100, tags=tags, states=["missing"] * 100 + ["scored"] * 100)
    for name, rule in {
        "each": "{metric: f1, slice_each: source, max_drop: 0.5}",
        "one": "{metric: f1, slice: {source: a}, max_drop: 0.5}",
        "other": "{metric: f1, slice: {source: b}, max_drop: 0.5}",
    }.items():
        (found / f"{name}.yaml").write_text(f"gates: [{rule}]")
    return found


def test_a_slice_that_fell_while_no_rule_looks_at_it_is_a_warning(folder):
    (line,) = warnings_of(folder, "fell")
    assert line.startswith("source=a fell by 0.300 in score on 40 items (p 0.00024, 0.00049 by Holm over 2 slices")
    assert line.endswith("one-sided, mcnemar-exact), and no rule looks at this slice")


@pytest.mark.parametrize(("policy", "count"), [("each", 0), ("one", 0), ("other", 1)])
def test_a_slice_that_a_rule_looks_at_is_no_warning(folder, policy, count):
    assert len(warnings_of(folder, "fell", "--policy", f"{policy}.yaml")) == count


def test_equal_runs_have_no_warning(folder):
    assert warnings_of(folder, "same") == []


def test_a_run_that_answered_less_than_half_is_told_above_the_verdict(folder):
    found = json.loads(gated(folder, "silent", "--json").stdout)["warnings"]
    assert "silent has no answer to 101 of its 200 items: more than half is unanswered" in found
    assert "warning: silent has no answer to 101 of its 200" in gated(folder, "silent").stdout


def test_a_baseline_that_answered_less_than_half_is_told_too(folder):
    found = json.loads(gated(folder, "same", "--json", "--against", "silent").stdout)["warnings"]
    assert found == ["silent has no answer to 101 of its 200 items: more than half is unanswered"]


def test_half_is_not_more_than_half(folder):
    assert not [line for line in json.loads(gated(folder, "half", "--json").stdout)["warnings"] if "half" in line]
