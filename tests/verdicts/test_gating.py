"""Runs under a policy: from directories to a verdict, and everything that must not pass."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from junitparser import JUnitXml

from steelyard.errors import IncomparableError, InputError, UsageError
from steelyard.runs.baselines import name_baseline
from steelyard.show.junit import verdict_junit
from steelyard.show.verdict import verdict_markdown, verdict_text
from steelyard.store.suites import list_verdicts
from steelyard.verdicts.gating import GateOptions, gate
from tests.made_runs import SIGNATURES, make_repeats, make_run


def judged(runs_dir: Path, gates: str = "", *, run="b", against="a", allow: str = ""):
    policy = None
    if gates:
        policy = runs_dir / "gates.yaml"
        policy.write_text(f"gates:\n{gates}\n" + (f"allow: [{allow}]\n" if allow else ""))
    return gate(GateOptions(run=run, runs_dir=runs_dir, against=against, policy=policy))


def outcomes(verdict) -> dict[str, str]:
    return {entry.gate: entry.outcome for entry in verdict.decisions}


def test_equal_runs_pass_the_default_policy(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0, 1])
    make_run(tmp_path, "b", [1, 0, 1])
    verdict = judged(tmp_path)
    line = "PASS (no drop; 3 items are too few to show any)"
    assert (verdict.outcome, verdict.line, verdict.exit_code, bool(verdict)) == ("pass", line, 0, True)
    assert outcomes(verdict) == {"score shown_drop 0.02": "pass", "skipped max_new 0": "pass"}


def test_a_drop_fails_the_default_policy(tmp_path: Path):
    make_run(tmp_path, "a", [1] * 100)
    make_run(tmp_path, "b", [1] * 95 + [0] * 5)  # 0.5^5 is under 0.05, 0.5^4 is not
    verdict = judged(tmp_path)
    assert (verdict.line, verdict.exit_code, bool(verdict)) == ("FAIL (1 of 2 gates)", 1, False)


def test_a_drop_that_so_many_items_would_have_shown_passes_the_default_policy(tmp_path: Path):
    make_run(tmp_path, "a", [1] * 100)
    make_run(tmp_path, "b", [1] * 97 + [0] * 3)
    assert judged(tmp_path).line == "PASS (drop 0.030 not shown; 100 items show 0.082)"


def test_eight_broken_and_two_fixed_of_twenty_is_no_pass(tmp_path: Path):
    make_run(tmp_path, "a", [1] * 18 + [0] * 2)
    make_run(tmp_path, "b", [0] * 8 + [1] * 12)
    verdict = judged(tmp_path)
    assert (verdict.line, verdict.exit_code, bool(verdict)) == ("UNDECIDED (1 of 2 gates)", 3, False)
    (first, _) = verdict.decisions
    assert f"about {first.decides_n} items would decide" in first.hint


def test_a_new_skipped_item_fails_the_default_policy(tmp_path: Path):
    make_run(tmp_path, "a", [1] * 99 + [0])
    make_run(tmp_path, "b", [1] * 99 + [0], states=["scored"] * 99 + ["timeout"])
    assert outcomes(judged(tmp_path)) == {"score shown_drop 0.02": "pass", "skipped max_new 0": "fail"}


def test_without_a_baseline_a_drop_is_undecided_and_blocks(tmp_path: Path):
    make_run(tmp_path, "b", [1, 1])
    verdict = judged(tmp_path, against=None)
    assert (verdict.outcome, verdict.exit_code) == ("undecided", 3)
    assert verdict.line == "UNDECIDED (2 of 2 gates)"


def test_an_absolute_gate_needs_no_baseline(tmp_path: Path):
    make_run(tmp_path, "b", [1, 1])
    assert judged(tmp_path, "  - {metric: f1, min: 0.9}", against=None).outcome == "pass"


def test_slices_are_judged_by_themselves(tmp_path: Path):
    tags = {"source": ["x"] * 20 + ["y"] * 20}
    make_run(tmp_path, "a", [1] * 40, tags=tags)
    make_run(tmp_path, "b", [1] * 20 + [1] * 18 + [0] * 2, tags=tags)
    verdict = judged(
        tmp_path,
        "  - {metric: f1, slice_each: source, max_drop: 0.03, min_n: 20}\n"
        "  - {metric: f1, slice: {source: x}, min: 1.0}\n"
        "  - {metric: f1, slice: {source: z}, max_drop: 0.5}",
    )
    assert outcomes(verdict) == {
        "f1 [source=x] max_drop 0.03": "pass",
        "f1 [source=y] max_drop 0.03": "fail",
        "f1 [source=x] min 1": "pass",
        "f1 [source=z] max_drop 0.5": "undecided",
    }


def test_a_slice_that_one_run_lacks_is_undecided(tmp_path: Path):
    make_run(tmp_path, "a", [1, 1], tags={"source": ["x", "y"]})
    make_run(tmp_path, "b", [1], tags={"source": ["x"]}, ids=["item-0"])
    verdict = judged(tmp_path, "  - {metric: f1, slice_each: source, max_drop: 0.5}", allow="dataset")
    assert outcomes(verdict) == {"f1 [source=x] max_drop 0.5": "pass", "f1 [source=y] max_drop 0.5": "undecided"}


def test_a_metric_that_the_run_lacks_is_undecided(tmp_path: Path):
    make_run(tmp_path, "b", [1])
    verdict = judged(tmp_path, "  - {metric: rouge1, min: 0.5}", against=None)
    assert verdict.outcome == "undecided"
    assert "no metric rouge1" in verdict.decisions[0].reason


def test_model_and_prompt_may_differ_and_no_more_unless_it_is_allowed(tmp_path: Path):
    make_run(tmp_path, "a", [1, 1], prompt_version="p1", dataset={"name": "qa@v1", "sha256": "sha256:0"})
    make_run(tmp_path, "b", [1, 1], prompt_version="p2", dataset={"name": "qa@v2", "sha256": "sha256:1"})
    gates = "  - {metric: f1, max_drop: 0.5}"
    assert "dataset differs" in judged(tmp_path, gates).decisions[0].reason
    allowed = judged(tmp_path, gates, allow="dataset")
    assert allowed.outcome == "pass"
    assert "differs in prompt_version: p1 and p2" in verdict_text(allowed)
    assert "differs in prompt\\_version: p1 and p2" in verdict_markdown(allowed)


@pytest.mark.parametrize("field", ["dataset", "scorer"])
def test_the_command_line_allows_what_a_policy_allows(tmp_path: Path, field: str):
    changed = {"dataset": {"dataset": {"name": "qa@v2", "sha256": "sha256:1"}}, "scorer": {}}[field]
    signatures = SIGNATURES | ({"metrics": ["f1@v2"], "scorers": ["score@v2"]} if field == "scorer" else {})
    make_run(tmp_path, "a", [1, 1])
    make_run(tmp_path, "b", [1, 1], signatures=signatures, **changed)
    assert f"--allow {field}" in judged(tmp_path).decisions[0].hint
    assert gate(GateOptions(run="b", runs_dir=tmp_path, against="a", allow=(field,))).outcome == "pass"


def test_a_field_that_nothing_can_differ_in_is_refused_with_the_nearest(tmp_path: Path):
    make_run(tmp_path, "a", [1, 1])
    with pytest.raises(UsageError, match="did you mean 'dataset'"):
        gate(GateOptions(run="a", runs_dir=tmp_path, allow=("datset",)))


def test_another_file_with_the_same_items_is_the_same_dataset(tmp_path: Path):
    make_run(tmp_path, "a", [1, 1], dataset={"sha256": "sha256:0"})
    make_run(tmp_path, "b", [1, 1], dataset={"sha256": "sha256:1"})
    assert judged(tmp_path, "  - {metric: f1, max_drop: 0.0}").outcome == "pass"


def test_another_scorer_is_undecided_unless_it_is_allowed(tmp_path: Path):
    make_run(tmp_path, "a", [1, 1])
    make_run(tmp_path, "b", [1, 1], signatures=SIGNATURES | {"metrics": ["f1@v2"]})
    verdict = judged(tmp_path, "  - {metric: f1, max_drop: 0.5}", allow="dataset, prompt_version")
    assert verdict.outcome == "undecided"
    assert "scorer differs" in verdict.decisions[0].reason
    assert judged(tmp_path, "  - {metric: f1, max_drop: 0.5}", allow="scorer").outcome == "pass"


def test_a_deleted_failing_item_cannot_raise_a_score_in_silence(tmp_path: Path):
    make_run(tmp_path, "a", [1, 1, 0], ids=["x", "y", "z"])
    make_run(tmp_path, "b", [1, 1], ids=["x", "y"])
    gates = "  - {metric: f1, max_drop: 0.0}"
    assert "1 removed" in judged(tmp_path, gates).decisions[0].reason
    allowed = judged(tmp_path, gates, allow="dataset").decisions[0]
    assert (allowed.outcome, allowed.n, allowed.baseline) == ("pass", 2, 1.0)  # over shared items, not 1 against 2/3


def test_rows_set_aside_need_an_allowance(tmp_path: Path):
    make_run(tmp_path, "a", [1, 1])
    make_run(tmp_path, "b", [1, 1], flags=["quarantined_rows"])
    gates = "  - {metric: f1, min: 0.5}"
    assert judged(tmp_path, gates).outcome == "undecided"
    assert judged(tmp_path, gates, allow="quarantined_rows").outcome == "pass"


@pytest.mark.parametrize("mock", ["a", "b"])
def test_a_mock_run_never_passes(tmp_path: Path, mock: str):
    for name in ("a", "b"):
        make_run(tmp_path, name, [1, 1], flags=["mock"] if name == mock else [])
    with pytest.raises(IncomparableError, match="mock"):
        judged(tmp_path, "  - {metric: f1, min: 0.5}")


def test_a_tampered_score_is_an_error_and_no_verdict(tmp_path: Path):
    make_run(tmp_path, "a", [1, 1])
    path = make_run(tmp_path, "b", [0, 0]) / "eval" / "eval_results.json"
    content = json.loads(path.read_text())
    content["scorecard"]["primary_score"] = 1.0
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="the items give 0"):
        judged(tmp_path)


def test_items_that_are_missing_from_the_file_are_an_error(tmp_path: Path):
    other = make_run(tmp_path, "b", [1]) / "eval" / "items.parquet"
    path = make_run(tmp_path, "c", [1, 0]) / "eval" / "items.parquet"
    path.write_bytes(other.read_bytes())
    with pytest.raises(InputError, match=r"there are 1 items, and run.json says 2"):
        judged(tmp_path, "  - {metric: f1, min: 0.5}", run="c", against=None)


def test_the_gates_of_the_task_hold_without_a_policy_file(tmp_path: Path):
    path = make_run(tmp_path, "b", [1, 0], gates=[{"metric": "f1", "min": 0.9}])
    verdict = judged(tmp_path, against=None)
    assert (verdict.outcome, verdict.policy) == ("fail", str(path / "config.yaml"))


def test_a_policy_for_other_tasks_decides_nothing(tmp_path: Path):
    make_run(tmp_path, "b", [1, 1])
    verdict = judged(tmp_path, "  - {metric: f1, min: 0.5, task: another}", against=None)
    assert (verdict.outcome, verdict.exit_code) == ("undecided", 3)


def test_a_baseline_is_a_name_that_stays_until_it_is_set(tmp_path: Path):
    make_run(tmp_path, "a", [1] * 20 + [0] * 20)
    make_run(tmp_path, "b", [1] * 40)
    name_baseline(tmp_path, "main", "a")
    assert judged(tmp_path, run="b", against="main").tasks[0].baseline == "main"
    name_baseline(tmp_path, "main", "b")
    assert judged(tmp_path, run="a", against="main").outcome == "fail"


def test_a_failure_comes_with_items_error_tags_and_drift(tmp_path: Path):
    tags = {"source": ["x", "x", "y", "y"]}
    make_run(tmp_path, "a", [1, 1, 1, 0], tags=tags, error_tags=[(), (), (), ("wrong_answer",)])
    wrong = [("wrong_answer",), (), ("wrong_unit",), ("wrong_answer",)]
    make_run(tmp_path, "b", [0, 1, 0, 0], tags=tags, error_tags=wrong)
    (part,) = judged(tmp_path).tasks
    assert [entry["item_id"] for entry in part.failures] == ["item-0", "item-2", "item-3"]
    assert [entry["regressed"] for entry in part.failures] == [True, True, False]
    assert part.error_tags[0] == {"tag": "wrong_answer", "baseline": 1, "current": 2, "change": 1}
    assert part.drift["metrics"]["f1"] == {
        "baseline": 0.75, "current": 0.25, "delta": -0.5, "n": 4, "improved": 0, "regressed": 2, "unchanged": 2,
        "direction": "higher",
    }  # fmt: skip
    assert part.drift["tags"]["source"]["x"]["delta"] == -0.5
    assert (part.grain.task, part.grain.model, part.grain.scorer_version) == ("made", "b", "score@v1")


def test_a_verdict_is_remembered(tmp_path: Path):
    make_run(tmp_path, "a", [1])
    make_run(tmp_path, "b", [1])
    judged(tmp_path)
    (line,) = list_verdicts(tmp_path)
    assert (line["run"], line["baseline"], line["verdict"]) == ("b", "a", "pass")


def test_hostile_names_stay_inside_their_cell(tmp_path: Path):
    tags = {"source": ["a|b\n::error::x", "<script>"]}
    make_run(tmp_path, "a", [1, 1], tags=tags)
    make_run(tmp_path, "b", [0, 0], tags=tags)
    verdict = judged(tmp_path, "  - {metric: f1, slice_each: source, max_drop: 0.1}")
    shown = verdict_markdown(verdict)
    assert "<script>" not in shown
    assert "\n::error" not in shown + verdict_text(verdict)
    rows = [line for line in shown.splitlines() if line.startswith("| fail")]
    assert all(line.replace("\\|", "").count("|") == 5 for line in rows)


def test_the_junit_file_has_a_case_for_every_gate(tmp_path: Path):
    make_run(tmp_path, "a", [1, 1], tags={"source": ["\x1b[31m", "ok"]})
    make_run(tmp_path, "b", [0, 1], tags={"source": ["\x1b[31m", "ok"]})
    verdict = judged(
        tmp_path,
        "  - {metric: f1, slice_each: source, max_drop: 0.1}\n"
        "  - {metric: rouge1, min: 0.1}\n"
        "  - {metric: f1, min: 0.9, level: advisory}",
    )
    (parsed,) = JUnitXml.fromstring(verdict_junit(verdict))
    assert [len(list(case.result)) for case in parsed] == [1, 0, 1, 1]
    root = ElementTree.fromstring(verdict_junit(verdict))
    (suite,) = root.findall("testsuite")
    cases = suite.findall("testcase")
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["4", "1", "1", "1"]
    assert [[child.tag for child in case] for case in cases] == [["failure"], [], ["error"], ["skipped"]]


def test_a_failing_slice_lists_its_own_items(tmp_path: Path):
    tags = {"source": ["x"] * 20 + ["y"] * 20}
    make_run(tmp_path, "a", [0] * 3 + [1] * 37, tags=tags)
    make_run(tmp_path, "b", [0] * 3 + [1] * 35 + [0] * 2, tags=tags)
    verdict = judged(tmp_path, "  - {metric: f1, slice_each: source, max_drop: 0.03}")
    failed = verdict.decisions[1]
    assert (failed.outcome, failed.slice, failed.failing) == ("fail", {"source": "y"}, ("item-38", "item-39"))
    assert [entry["item_id"] for entry in verdict.tasks[0].failures] == ["item-38", "item-39"]
    assert b"item-38" in verdict_junit(verdict)
    assert b"item-0" not in verdict_junit(verdict)


def test_a_verdict_names_run_and_baseline_by_name_and_id(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0])
    make_run(tmp_path, "b", [1, 0])
    verdict = judged(tmp_path)
    part = verdict.tasks[0]
    assert part.run_id != part.baseline_id
    said = f"b ({part.run_id}) against a ({part.baseline_id})"
    assert said in verdict_text(verdict)
    assert part.run_id in verdict_markdown(verdict).replace("\\_", "_")
    assert f"a {part.baseline_id}".encode() in verdict_junit(verdict)


def test_the_noise_floor_of_repeats_is_allowed_for_in_each_slice_by_its_own(tmp_path: Path):
    # Of the 50 steady items none flips; of the 50 flaky ones ten are right in one of two repeats.
    tags = {"kind": ["steady"] * 50 + ["flaky"] * 50}
    make_repeats(tmp_path, "a", [[1] * 100, [1] * 90 + [0] * 10], tags=tags)
    make_run(tmp_path, "b", [1] * 48 + [0] * 2 + [1] * 43 + [0] * 7, tags=tags)
    verdict = judged(tmp_path, "  - {metric: f1, slice_each: kind, max_drop: 0.01, allow_noise: true}")
    assert outcomes(verdict) == {"f1 [kind=flaky] max_drop 0.01": "pass", "f1 [kind=steady] max_drop 0.01": "fail"}
    # Within items the variance is 0.5 in ten of fifty; the baseline's mean is of two repeats, the run of one.
    floor = 1.959964 * np.sqrt(0.5 * 10 / 50 * (1 / 2 + 1) / 50)
    flaky = next(entry for entry in verdict.decisions if entry.slice == {"kind": "flaky"})
    assert f"noise floor of {floor:.4g}" in flaky.reason


def test_classification_metrics_are_gated_from_the_labels(tmp_path: Path):
    truth = ["p", "n"] * 50
    worse = ["p" if row % 10 == 1 else label for row, label in enumerate(truth)]
    make_run(tmp_path, "a", [1] * 100, classes=(truth, truth))
    make_run(tmp_path, "b", np.equal(truth, worse).astype(float), classes=(truth, worse))
    verdict = judged(tmp_path, "  - {metric: macro_f1, no_significant_drop: 0.05}\n  - {metric: accuracy, min: 0.9}")
    assert [entry.outcome for entry in verdict.decisions] == ["fail", "pass"]


def test_a_verdict_reads_well_in_a_notebook(tmp_path: Path):
    make_run(tmp_path, "b", [1, 0], tags={"source": ["<b>", "x"]})
    verdict = judged(tmp_path, "  - {metric: f1, slice_each: source, min: 0.5}", against=None)
    assert repr(verdict) == "Verdict on b: FAIL (1 of 2 gates)"
    assert "<b>]" not in verdict._repr_html_()
    assert verdict.to_polars()["outcome"].to_list() == ["pass", "fail"]
    assert verdict.to_pandas()["gate"].tolist() == ["f1 [source=<b>] min 0.5", "f1 [source=x] min 0.5"]
