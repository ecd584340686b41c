"""What a gate prints, and that it says what its numbers are: limit, observed, evidence, tests, levels, methods."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

from tests.made_runs import make_run

N = 60
TAGS = {"source": ["a"] * 30 + ["b"] * 30}
RULES = """
  - {metric: f1, max_drop: 0.05}
  - {metric: f1, max_drop_relative: 0.05}
  - {metric: f1, non_inferior: 0.05}
  - {metric: f1, no_significant_drop: 0.05}
  - {metric: f1, shown_drop: 0.02}
  - {metric: f1, slice_each: source, max_drop: 0.05}
  - {metric: f1, slice: {source: a}, no_significant_drop: 0.05}
  - {metric: mae, max_rise: 0.5}
  - {metric: f1, min: 0.5}
  - {metric: mae, max: 3}
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wording")
    generator = np.random.Generator(np.random.PCG64(2))
    for name, move in (("main", 0.0), ("next", 0.04)):
        scores = np.clip(generator.beta(4, 2, N) - move, 0, 1)
        make_run(folder / "runs", name, scores, tags=TAGS, numbers={"mae": generator.exponential(1.0, N)})
    (folder / "gates.yaml").write_text(f"gates:{RULES}")

    def gated(kind):
        command = ["gate", "next", "--against", "main", "--policy", "gates.yaml", "--format", kind]
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "NO_COLOR": "1"}
        done = subprocess.run(
            [sys.executable, "-m", "steelyard", *command],
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.stdout

    found = {kind: gated(kind).replace("\\", "") for kind in ("text", "json", "markdown")}
    return found | {"sentences": " ".join(found["text"].split())}


def test_every_rule_says_its_limit_what_was_observed_and_what_so_many_items_can_show(told):
    gates = json.loads(told["json"])["gates"]
    assert len(gates) == 11
    for entry in gates:
        assert entry["limit"] is not None
        assert entry["observed"] is not None
        assert re.search(
            r"items (can show a (drop|rise|distance) of .* or more|are too few to show any)", entry["context"]
        )


def test_every_p_has_its_test_sides_and_correction(told):
    for kind in ("sentences", "markdown"):
        found = re.findall(r"(?<=; )p \d[^|\n]*?level \S+", told[kind])
        assert len(found) == 3
        for said in found:
            assert re.match(
                r"p [\d.e-]+, [\d.e-]+ by Holm over 3 tests \(one-sided, sign-flip-permutation\), level 0.05", said
            )


def test_json_has_test_sides_and_correction_beside_every_p(told):
    for entry in json.loads(told["json"])["gates"]:
        assert (entry["p_drop"] is None) == (entry["correction"] == "")
        assert entry["p_value"] is None or entry["test"]
        assert (entry["ci_low"] is None) == (entry["ci_level"] is None)
        assert entry["ci_low"] is None or entry["ci_method"]


@pytest.mark.parametrize("kind", ["sentences", "markdown"])
def test_level_and_method_of_intervals_are_said_once(told, kind):
    assert "delta in [" in told[kind]
    assert told[kind].count("95 % sure (bayesian-bootstrap-bounded") == 1
    assert told[kind].count("p: how often an equally good run would look at least this much worse") == 1
    assert told[kind].count("can show: noticed in four of five cases") == 1


@pytest.mark.parametrize("kind", ["sentences", "markdown"])
def test_a_limit_on_a_drop_says_how_often_chance_fails_it_and_slices_how_often_as_a_family(told, kind):
    assert re.search(r"an equally good run fails this in \d+ % of cases", told[kind])
    assert re.search(r"an equally good run fails one or more of these 2 slices in \d+ %", told[kind])


def test_each_slice_carries_the_false_alarm_of_its_family(told):
    slices = [entry for entry in json.loads(told["json"])["gates"] if entry["rule"].startswith("f1 [each source]")]
    alone = [1 - entry["false_alarm"] for entry in slices]
    assert [entry["family_false_alarm"] for entry in slices] == pytest.approx([1 - alone[0] * alone[1]] * 2)


def test_drift_says_its_signs_and_where_lower_is_better(told):
    assert "+ improved, - regressed, = neither" in told["text"]
    assert re.search(r"mae .*\(lower is better\)", told["text"])
    assert told["text"].count("source=a ") == 1


def test_every_line_of_a_verdict_fits_a_terminal_of_eighty_columns(told):
    shown = [line for line in told["text"].splitlines() if not line.startswith("Slice metrics show correlation")]
    assert max(map(len, shown)) <= 80


def test_a_metric_without_values_is_left_out_of_the_drift(told):
    assert "N/A -> N/A" not in told["text"]
