"""A run over research artifacts judged again: the same bytes from the same artifacts, nothing from others."""

import msgspec
import pytest

from steelyard.errors import InputError, UsageError
from steelyard.kinds.rejudging import RescoreOptions, rescore
from steelyard.kinds.research.order import ResearchOptions, evaluate_research
from steelyard.store.directories import read_run
from tests.research_artifacts import claim, event, evidence, golden, output, step, write_golden, write_run


@pytest.fixture
def judged(tmp_path):
    """Leave a run behind that has slices, a threshold of its own and a gate that does not apply."""
    for number, cited in enumerate([[evidence("E1")], [], [evidence("E3", quote=None)]]):
        content = output(f"r{number}", f"objective {number}", claims=[claim("a", *cited)], evidence=cited)
        steps = {"events": [event(f"r{number}", 0), event(f"r{number}", 1)], "manifests": [step(f"r{number}", 0)]}
        write_run(tmp_path / "outputs", f"run_{number}", content, **steps)
    entries = [golden(f"objective {number}", "E1") | {"tags": {"field": f"f{number % 2}"}} for number in range(3)]
    write_golden(tmp_path / "golden.json", *entries)
    options = ResearchOptions(
        golden=tmp_path / "golden.json",
        outputs=tmp_path / "outputs",
        thresholds={"golden_recall": 0.25},
        slice_by=(("field",),),
        name="first",
        runs_dir=tmp_path / "runs",
    )
    with evaluate_research(options) as found:
        assert found.run is not None
        return found.run.path


def rescored(path, **given):
    return rescore(RescoreOptions(run="first", runs_dir=path.parent, **given))


def content(path):
    return {file.relative_to(path): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_the_same_artifacts_give_the_same_bytes(judged):
    before = content(judged)
    for name in ("items.parquet", "eval_results.json", "research_runs.jsonl", "report.html"):
        (judged / "eval" / name).write_bytes(b"lost")
    found = rescored(judged)
    assert content(judged) == before
    assert found.results["research"]["metrics"]["golden_recall"]["value"] == 1 / 3
    assert [gate["threshold"] for gate in found.results["research"]["gates"]] == [0.95, 0.25, 0.90, 1.00]
    assert set(found.results["slices"]["field"]) == {"f0", "f1"}


def test_a_run_that_was_judged_by_older_metrics_stands_under_todays(judged):
    record = msgspec.json.decode((judged / "run.json").read_bytes())
    record["signatures"]["metrics"] = [name.replace("@v2", "@v1") for name in record["signatures"]["metrics"]]
    (judged / "run.json").write_bytes(msgspec.json.encode(record))
    found = rescored(judged)
    assert found.results["metric_details"]["abstention_accuracy"]["signature"].startswith("abstention_accuracy@v2")
    assert "abstention_accuracy@v2" in read_run(judged).signatures["metrics"]
    assert "abstention_accuracy@v1" in read_run(judged, as_made=True).signatures["metrics"]


def test_changed_artifacts_are_refused_and_leave_the_run_as_it_was(judged):
    before = content(judged)
    (judged.parents[1] / "outputs/run_1/manifests.jsonl").write_text("")
    with pytest.raises(InputError, match="they have changed since the run"):
        rescored(judged)
    assert content(judged) == before


def test_changed_golden_queries_are_refused(judged):
    write_golden(judged.parents[1] / "golden.json", golden("objective 0", "E1"))
    with pytest.raises(InputError, match="its content has changed since the run"):
        rescored(judged)


def test_lost_artifacts_are_refused(judged):
    (judged.parents[1] / "outputs").rename(judged.parents[1] / "elsewhere")
    with pytest.raises(InputError, match="the outputs cannot be listed"):
        rescored(judged)


def test_there_is_no_other_scorer(judged):
    with pytest.raises(UsageError, match="not-for-this-kind"):
        rescored(judged, scorer="text@v1")
