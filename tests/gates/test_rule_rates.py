"""How often each rule is wrong: 0/1 scores counted out exactly, other scores by simulation with a recorded seed."""

import json
import math
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from steelyard.records.gates import TESTED
from tests.made_runs import make_run

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from made_pairs import KINDS, MARGIN, RULES, SIZES, counted, decisions, exact, rates  # noqa: E402 - on the path just set

ASKED = ("default", "no_significant_drop", "non_inferior")
WORSE = 2.5 * MARGIN
GRADED = [kind for kind in KINDS if kind != "0/1"]
SIMULATIONS = 2000
CHANGED = (0.02, 0.10, 0.30)
QUICK = {(n, 0.10) for n in SIZES if n <= 200}


def allowed(limit, simulations):
    """A limit with three standard errors of the simulations."""
    return limit + 3 * math.sqrt(limit * (1 - limit) / simulations)


def seed_of(*case):
    return zlib.crc32(repr(case).encode())


@pytest.mark.parametrize(
    ("n", "changed"),
    [
        pytest.param(n, changed, marks=() if (n, changed) in QUICK else pytest.mark.campaign)
        for n in SIZES
        for changed in CHANGED
    ],
)
def test_rates_are_judged_within_their_limits_by_count(n, changed):
    equal, worse, margin = (exact(n, drop, changed, ASKED) for drop in (0.0, WORSE, MARGIN))
    assert sum(equal["default"].values()) == pytest.approx(1, abs=1e-3)
    assert equal["default"]["fail"] <= 0.05
    assert equal["no_significant_drop"]["fail"] <= 0.05
    assert worse["non_inferior"]["pass"] <= 0.025
    assert margin["non_inferior"]["pass"] <= 0.025
    assert equal["non_inferior"]["fail"] <= 0.025
    if n >= 200:
        assert min(worse[name]["fail"] for name in ("default", "no_significant_drop")) >= 0.9


def judged(kind, n, simulations):
    """Return the shares of outcomes of equal runs, of runs on the margin, and of runs far beyond it."""
    return [
        {name: {word: count / simulations for word, count in found.items()} for name, found in counts.items()}
        for drop in (0.0, MARGIN, WORSE)
        for counts in [counted(kind, n, drop, simulations, seed_of(kind, n, drop))]
    ]


def hold(kind, n, simulations):
    equal, margin, worse = judged(kind, n, simulations)
    assert equal["default"].get("fail", 0) <= allowed(0.05, simulations)
    assert equal["no_significant_drop"].get("fail", 0) <= allowed(0.05, simulations)
    assert worse["non_inferior"].get("pass", 0) <= allowed(0.025, simulations)
    assert margin["non_inferior"].get("pass", 0) <= allowed(0.025, simulations)
    return equal, margin, worse


@pytest.mark.parametrize("kind", GRADED)
def test_graded_and_clustered_scores_are_judged_within_their_limits(kind):
    hold(kind, 20, 100)


@pytest.mark.campaign
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", GRADED)
def test_every_rule_holds_its_limits_in_thousands_of_simulations(kind, n, capsys):
    equal, margin, worse = hold(kind, n, SIMULATIONS)
    with capsys.disabled():
        row = [found[name].get(word, 0) for found, name, word in (
            (equal, "default", "fail"), (equal, "no_significant_drop", "fail"), (margin, "non_inferior", "pass"),
            (worse, "non_inferior", "pass"), (worse, "default", "fail"),
        )]  # fmt: skip
        print(f"\n| {kind} | {n} | " + " | ".join(f"{share:.4f}" for share in row) + " |", end="")
    if n == 1000:
        assert worse["default"]["fail"] >= 0.8


def shown(kind, n, drop, simulations, seed):
    """Return what the gate says that so many items show, and how often the test shows it; the same of false alarms."""
    draw, scores = KINDS[kind]
    made = draw(n, drop)(np.random.Generator(np.random.PCG64(seed)), simulations)
    found = [decisions(*pair, scores, made.clusters) for pair in zip(made.baseline, made.candidate, strict=True)]
    tested, limited = ([entry[name] for entry in found] for name in ("no_significant_drop", "max_drop"))
    says = float(np.median([math.inf if entry.detectable is None else entry.detectable for entry in tested]))
    alarm = float(np.mean([entry.false_alarm for entry in limited]))
    return says, *(np.mean([entry.outcome == "fail" for entry in part]) for part in (tested, limited)), alarm


@pytest.mark.campaign
@pytest.mark.parametrize("n", [20, 50, 100, 200])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("skewed", "clustered")])
def test_what_so_many_items_are_said_to_show_is_shown_in_four_of_five_cases(kind, n):
    drop = 0.1
    for _ in range(4):  # The spread grows with the drop, so the drop that is its own is looked for.
        drop = min(0.5, shown(kind, n, drop, 60, 1)[0])
    says, power, _, _ = shown(kind, n, drop, 500, 2)
    assert says == pytest.approx(drop, rel=0.15)
    assert power >= 0.8 - 0.05 - 3 * math.sqrt(0.8 * 0.2 / 500)


@pytest.mark.parametrize(("kind", "n"), [("0/1", 100), ("f1-like", 100), ("skewed", 50)])
def test_the_false_alarm_that_a_limit_prints_is_the_one_it_has(kind, n):
    _, _, fails, says = shown(kind, n, 0.0, 400, 3)
    assert says == pytest.approx(fails, abs=0.03 + 3 * math.sqrt(0.2 * 0.8 / 400))


def test_the_command_decides_as_the_rules_do(tmp_path):
    """A handful of drawn pairs through `steelyard gate`: reading, pairing, evidence and rules join."""
    alone = {name: ", correction: none" if rule.limit in TESTED else "" for name, rule in RULES.items()}
    gates = "".join(f"  - {{metric: score, {rule.limit}: {rule.value}{alone[name]}}}\n" for name, rule in RULES.items())
    (tmp_path / "gates.yaml").write_text("gates:\n" + gates)
    made = [rates(n, drop)(np.random.Generator(np.random.PCG64(n)), 1) for n, drop in ((20, 0.3), (60, 0.1), (100, 0))]
    for number, pair in enumerate(made):
        for name, side in (("a", pair.baseline), ("b", pair.candidate)):
            make_run(tmp_path / "runs", f"{name}{number}", side[0])
        command = ["gate", f"b{number}", "--against", f"a{number}", "--policy", "gates.yaml", "--json"]
        done = subprocess.run(
            [sys.executable, "-m", "steelyard", *command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        expected = decisions(pair.baseline[0], pair.candidate[0], "rate")
        found = json.loads(done.stdout)["gates"]
        assert [entry["outcome"] for entry in found] == [entry.outcome for entry in expected.values()]
        assert [entry["reason"] for entry in found] == [entry.reason for entry in expected.values()]
