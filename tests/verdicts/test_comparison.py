"""Runs compared from their directories: the contract, the pairing, the table, the shape for machines."""

import json
from pathlib import Path

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from steelyard.errors import ConfigurationError, IncomparableError, IncompleteError, InputError, UsageError
from steelyard.records.plans import NOTICE
from steelyard.show.comparison import comparison_text, table_lines
from steelyard.show.comparison_files import comparison_markdown
from steelyard.show.html_comparison import comparison_section
from steelyard.verdicts.comparison import CompareOptions, compare
from tests.made_runs import SIGNATURES, make_run

# Seed 001's example, character by character.
SEED_TABLE = """\
  Run                   Overall   source=human   source=synthetic
  human-only            0.7139    0.7312         N/A
  human-plus-synthetic  0.7285    0.7298         0.7271

  Delta:               +0.0146   -0.0014        N/A"""


def run_of(runs_dir: Path, *names: str, **options):
    return compare(CompareOptions(runs=names, runs_dir=runs_dir, **options))


def spread(mean: float, size: int) -> list[float]:
    """Scores around a mean that are exact in four decimals: half above, half below."""
    return [mean + 0.05, mean - 0.05] * (size // 2)


@pytest.fixture
def seed_runs(tmp_path: Path) -> Path:
    # human-only: 1000 human items at 0.7312, and 173 without a source that bring all to 0.7139.
    # human-plus-synthetic: 0.7298 and 0.7271 in the mix that gives 0.7285.
    bare = (0.7139 * 1173 - 0.7312 * 1000) / 173
    make_run(
        tmp_path,
        "human-only",
        spread(0.7312, 1000) + [bare] * 173,
        tags={"source": ["human"] * 1000 + [None] * 173},
        ids=[f"h{row}" for row in range(1000)] + [f"u{row}" for row in range(173)],
    )
    make_run(
        tmp_path,
        "human-plus-synthetic",
        spread(0.7298, 1000) + spread(0.7271, 930),
        tags={"source": ["human"] * 1000 + ["synthetic"] * 930},
        ids=[f"h{row}" for row in range(1000)] + [f"s{row}" for row in range(930)],
    )
    return tmp_path


def test_the_table_of_seed_001_is_reproduced(seed_runs: Path):
    found = run_of(seed_runs, "human-only", "human-plus-synthetic", metric="f1", slice_by=("source",))
    assert "\n".join(table_lines(found)) == SEED_TABLE


def test_paired_figures_stand_beside_the_plain_ones(seed_runs: Path):
    found = run_of(seed_runs, "human-only", "human-plus-synthetic", metric="f1", slice_by=("source",))
    delta = found.deltas["human-plus-synthetic"]
    assert delta.delta == pytest.approx(0.0146, abs=5e-5)
    assert delta.paired.n == 1000
    assert delta.paired.delta == pytest.approx(-0.0014)
    assert NOTICE in comparison_text(found)


def test_a_run_compared_with_itself_shows_no_change(tmp_path: Path):
    make_run(tmp_path, "a", [0.2, 0.9, 1.0])
    found = run_of(tmp_path, "a", "a")
    (label,) = found.candidates
    paired = found.deltas[label].paired
    assert (found.deltas[label].delta, paired.delta, paired.p_value) == (0.0, 0.0, 1.0)
    assert (paired.improved, paired.regressed, paired.unchanged) == (0, 0, 3)


def test_exchanging_two_runs_negates_the_comparison(tmp_path: Path):
    generator = np.random.default_rng(1)
    make_run(tmp_path, "a", generator.random(60))
    make_run(tmp_path, "b", generator.random(60))
    forward = run_of(tmp_path, "a", "b").deltas["b"].paired
    backward = run_of(tmp_path, "b", "a").deltas["a"].paired
    assert forward.delta == -backward.delta
    assert (forward.ci_low, forward.ci_high) == (-backward.ci_high, -backward.ci_low)
    assert forward.p_value == backward.p_value
    assert (forward.improved, forward.regressed) == (backward.regressed, backward.improved)


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("task", {"task": "another"}),
        ("scorer", {"signatures": SIGNATURES | {"metrics": ["f1@v1|normalize=squad"]}}),
        ("canonical", {"signatures": SIGNATURES | {"canonical": ["canonical@v2"]}}),
    ],
)
def test_a_difference_in_meaning_is_refused_unless_allowed(tmp_path: Path, field: str, changes):
    make_run(tmp_path, "a", [1, 0])
    make_run(tmp_path, "b", [1, 1], **changes)
    with pytest.raises(IncomparableError, match=f"differ in {field}") as refused:
        run_of(tmp_path, "a", "b", metric="f1")
    assert refused.value.exit_code == 3
    assert run_of(tmp_path, "a", "b", metric="f1", allow=(field,)).deltas["b"].delta == 0.5


def test_another_schema_version_is_refused(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0])
    path = make_run(tmp_path, "b", [1, 1]) / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schema_version": "v2"}))
    with pytest.raises(IncomparableError, match=r"schema_version: v1 and v2"):
        run_of(tmp_path, "a", "b")


def test_dataset_prompt_and_model_may_differ_and_are_named(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0], prompt_version="p1")
    make_run(tmp_path, "b", [1, 1], prompt_version="p2", dataset={"sha256": "sha256:1"})
    found = run_of(tmp_path, "a", "b").contract
    assert found.comparable
    assert [entry.field for entry in found.differences] == ["dataset", "prompt_version", "model"]


def test_a_metric_that_only_one_run_computed_differently_does_not_block_another(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0])
    make_run(tmp_path, "b", [1, 1], signatures=SIGNATURES | {"metrics": ["f1@v1|normalize=squad"]})
    assert run_of(tmp_path, "a", "b", metric="score").deltas["b"].delta == 0.5


def test_a_mock_run_is_never_comparable(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0])
    make_run(tmp_path, "b", [1, 1], flags=["mock"])
    with pytest.raises(IncomparableError, match="mock"):
        run_of(tmp_path, "a", "b", allow=("scorer", "task"))


def test_edited_added_and_removed_items_are_listed_and_not_paired(tmp_path: Path):
    make_run(tmp_path, "a", [0, 1, 0, 1], ids=["gone", "same", "edited", "kept"])
    hashes = ["hash of same", "another hash", "hash of kept", "hash of new"]
    make_run(tmp_path, "b", [1, 1, 0, 1], ids=["same", "edited", "kept", "new"], hashes=hashes)
    found = run_of(tmp_path, "a", "b")
    changes, paired = found.items["b"], found.deltas["b"].paired
    assert (changes.edited, changes.added, changes.removed) == (("edited",), ("new",), ("gone",))
    assert (paired.n, paired.delta) == (2, -0.5)
    assert found.deltas["b"].delta == 0.25


def test_tags_do_not_count_for_pairing(tmp_path: Path):
    make_run(tmp_path, "a", [0, 1], tags={"source": ["x", "y"]})
    make_run(tmp_path, "b", [1, 1], tags={"source": ["y", "y"]})
    found = run_of(tmp_path, "a", "b", slice_by=("source",))
    assert found.deltas["b"].paired.n == 2
    shared = {row.value: row.deltas["b"].paired.n for row in found.slices["source"]}
    assert shared == {"x": 0, "y": 1}


def test_a_lower_loss_is_an_improvement(tmp_path: Path):
    make_run(tmp_path, "a", [1, 1], losses=([2.0, 4.0], [10, 30]))
    make_run(tmp_path, "b", [1, 1], losses=([1.0, 4.0], [10, 30]))
    found = run_of(tmp_path, "a", "b", metric="eval_loss")
    paired = found.deltas["b"].paired
    # (2*10 + 4*30) / 40 = 3.5, and (1*10 + 4*30) / 40 = 3.25
    assert (found.overall["a"].value, paired.delta) == (3.5, -0.25)
    assert (paired.improved, paired.regressed) == (1, 0)
    perplexity = run_of(tmp_path, "a", "b", metric="perplexity").deltas["b"].paired
    assert perplexity.delta == pytest.approx(np.exp(3.25) - np.exp(3.5))


def test_regressed_and_fixed_items_come_whole_with_their_tags(tmp_path: Path):
    tags = {"kind": ["x", "x", "y", "y"]}
    make_run(tmp_path, "a", [1, 1, 0, 1], tags=tags)
    make_run(tmp_path, "b", [0, 0, 1, 1], tags=tags)
    changes = run_of(tmp_path, "a", "b").items["b"]
    assert [entry.item_id for entry in changes.regressed] == ["item-0", "item-1"]
    assert [entry.item_id for entry in changes.fixed] == ["item-2"]
    assert changes.regressed[0].candidate["scorecard"]["primary_score"] == 0.0
    assert changes.regressed[0].baseline["input"] == "input of item-0"
    assert changes.over_represented[0] == {"tag": "kind=x", "n": 2, "share": 1.0, "item_share": 0.5, "lift": 2.0}


def test_more_than_two_runs_are_each_held_against_the_first(tmp_path: Path):
    for name, scores in (("a", [0, 0]), ("b", [1, 0]), ("c", [1, 1])):
        make_run(tmp_path, name, scores)
    found = run_of(tmp_path, "a", "b", "c")
    assert {run: delta.delta for run, delta in found.deltas.items()} == {"b": 0.5, "c": 1.0}
    assert "  Delta c: +1.0000" in comparison_text(found)


def test_the_json_has_the_shape_of_page_30(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0, 1], tags={"source": ["x", "x", "y"]})
    make_run(tmp_path, "b", [1, 1, 1], tags={"source": ["x", "x", "y"]})
    found = json.loads(json.dumps(run_of(tmp_path, "a", "b", slice_by=("source",)).as_dict()))
    assert {
        "baseline", "candidates", "metric", "contract", "overall", "deltas", "slices", "items", "attribution",
        "config_diff", "notice",
    } <= set(found)  # fmt: skip
    assert found["baseline"] == "a"
    assert found["candidates"] == ["b"]
    assert set(found["contract"]) == {"comparable", "differences"}
    assert found["contract"]["differences"] == [{"field": "model", "baseline": "a", "candidate": "b"}]
    assert found["overall"] == {"a": pytest.approx(2 / 3), "b": 1.0}
    paired = found["deltas"]["b"]["paired"]
    assert {
        "delta", "ci_low", "ci_high", "p_value", "test", "n", "improved", "regressed", "unchanged",
        "minimum_detectable",
    } <= set(paired)  # fmt: skip
    assert found["slices"]["source"]["x"] == {"a": {"n": 2, "value": 0.5}, "b": {"n": 2, "value": 1.0}}
    assert found["slices"]["source"]["deltas"]["x"]["b"]["delta"] == 0.5
    assert {"edited", "added", "removed"} <= set(found["items"])
    assert found["config_diff"] == {"model": {"a": "a", "b": "b"}}


def test_a_tag_value_cannot_take_the_place_of_the_deltas(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0], tags={"source": ["deltas", "x"]})
    make_run(tmp_path, "b", [1, 1], tags={"source": ["deltas", "x"]})
    found = run_of(tmp_path, "a", "b", slice_by=("source",)).as_dict()["slices"]["source"]
    assert set(found) == {"deltas=", "x", "deltas"}


def test_runs_of_one_name_are_told_apart(tmp_path: Path):
    make_run(tmp_path / "one", "same", [1, 0])
    make_run(tmp_path / "two", "same", [1, 1])
    found = run_of(tmp_path, str(tmp_path / "one" / "same"), str(tmp_path / "two" / "same"))
    assert len({found.baseline, *found.candidates}) == 2


def test_a_tampered_score_is_refused(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0])
    path = make_run(tmp_path, "b", [0, 0]) / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"primary_score": 1.0}))
    with pytest.raises(InputError, match=r"says that score is 1.0, and the items give 0.0"):
        run_of(tmp_path, "a", "b")


def test_a_tampered_metric_is_refused(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0])
    path = make_run(tmp_path, "b", [0, 0]) / "eval" / "eval_results.json"
    content = json.loads(path.read_text())
    content["metrics"]["f1"] = 0.75
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"says that f1 is 0.75"):
        run_of(tmp_path, "a", "b", metric="f1")


def test_a_run_that_is_not_complete_is_refused(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0])
    path = make_run(tmp_path, "b", [1, 0]) / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"status": "interrupted"}))
    with pytest.raises(IncompleteError, match="interrupted"):
        run_of(tmp_path, "a", "b")


def test_an_unknown_metric_or_tag_or_field_is_named_with_what_there_is(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0], tags={"source": ["x", "y"]})
    with pytest.raises(ConfigurationError, match="there are score, f1"):
        run_of(tmp_path, "a", "a", metric="rouge9")
    with pytest.raises(UsageError, match="did you mean 'source'"):
        run_of(tmp_path, "a", "a", slice_by=("sorce",))
    with pytest.raises(UsageError, match="did you mean 'scorer'"):
        run_of(tmp_path, "a", "a", allow=("score",))


def test_one_run_is_no_comparison(tmp_path: Path):
    with pytest.raises(UsageError, match="two runs"):
        run_of(tmp_path, "a")


def test_a_metric_that_one_run_lacks_is_not_available(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0])
    make_run(tmp_path, "b", [1, 0], numbers={"rouge1": np.array([0.5, 0.7])})
    found = run_of(tmp_path, "a", "b", metric="rouge1")
    assert found.overall["a"].value is None
    assert "N/A" in comparison_text(found)


def test_loss_curves_come_with_runs_that_were_trained(tmp_path: Path):
    path = make_run(tmp_path, "a", [1, 0])
    (path / "train_log.jsonl").write_text('{"step": 1, "loss": 2.5}\n')
    make_run(tmp_path, "b", [1, 0])
    assert run_of(tmp_path, "a", "b").as_dict()["loss_curves"] == {"a": [{"step": 1, "loss": 2.5}]}


def test_a_conversation_is_flipped_whole(tmp_path: Path):
    clusters = [f"c{row // 4}" for row in range(40)]
    make_run(tmp_path, "a", [0] * 40, clusters=clusters)
    make_run(tmp_path, "b", [1] * 8 + [0] * 32, clusters=clusters)
    paired = run_of(tmp_path, "a", "b").deltas["b"].paired
    # Two of ten conversations changed: four sign patterns, of which both extremes are as far out.
    assert (paired.test, paired.p_value) == ("sign-flip-permutation-clustered", 0.5)


def test_the_directory_of_a_run_is_left_alone(tmp_path: Path):
    path = make_run(tmp_path, "a", [1, 0])
    before = sorted(file.stat().st_mtime_ns for file in path.rglob("*"))
    run_of(tmp_path, "a", "a")
    assert sorted(file.stat().st_mtime_ns for file in path.rglob("*")) == before


def test_a_comparison_reads_well_in_a_notebook(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0], tags={"source": ["<script>", "x"]})
    make_run(tmp_path, "b", [1, 1], tags={"source": ["<script>", "x"]})
    found = run_of(tmp_path, "a", "b", slice_by=("source",))
    assert repr(found) == "Comparison of score with a: b +0.5000"
    assert "<script>" not in found._repr_html_()
    assert found.to_polars().filter(slice="x", run="b")["delta"].to_list() == [1.0]
    assert len(found.to_pandas()) == 6


def test_the_p_values_of_several_candidates_are_one_family(tmp_path: Path):
    generator = np.random.default_rng(4)
    tags = {"kind": ["x", "y"] * 60}
    base = (generator.random(120) < 0.5).astype(float)
    make_run(tmp_path, "base", base, tags=tags)
    for name, gain in (("a", 0.1), ("b", 0.2), ("c", 0.0)):
        make_run(tmp_path, name, np.maximum(base, generator.random(120) < gain), tags=tags)
    found = run_of(tmp_path, "base", "a", "b", "c", slice_by=("kind",))
    paired = [delta.paired for delta in found.deltas.values()]
    expected = multipletests([entry.p_value for entry in paired], method="holm")[1]
    assert [entry.p_holm for entry in paired] == pytest.approx(expected.tolist())
    sliced = [delta.paired for row in found.slices["kind"] for delta in row.deltas.values()]
    expected = multipletests([entry.p_value for entry in sliced], method="holm")[1]
    assert [entry.p_holm for entry in sliced] == pytest.approx(expected.tolist())
    text = " ".join(comparison_text(found).split())
    assert f"{paired[0].p_holm:.4f} by Holm over 3 candidates" in text
    assert "(p: mcnemar-exact, by Holm over 6 tests)" in text
    assert text.count("95 % sure (tango-score)") == text.count("(two-sided)") == 1


def test_one_candidate_has_nothing_to_be_corrected_for(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0])
    make_run(tmp_path, "b", [1, 1])
    assert run_of(tmp_path, "a", "b").deltas["b"].paired.p_holm is None


def test_it_says_how_many_items_each_side_left_unanswered(tmp_path: Path):
    make_run(tmp_path, "a", [1, 1, 1, 0], states=["scored", "scored", "scored", "missing"])
    make_run(tmp_path, "b", [1, 0, 0, 0], states=["scored", "unparsed", "failed", "failed"])
    found = run_of(tmp_path, "a", "b")
    assert found.as_dict()["unanswered"] == {"a": 1, "b": 3}
    said = "unanswered: a 1 of 4 (1 missing), b 3 of 4 (1 unparsed, 2 failed)"
    more = "b has no answer to 3 of its 4 items: more than half is unanswered"
    assert comparison_text(found).startswith(f"warning: {more}\n")
    assert f"  {said}\n" in comparison_text(found)
    for page in (comparison_markdown(found), comparison_section(found)):
        assert said in page
        assert more in page


def test_runs_that_answered_everything_need_no_such_line(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0])
    make_run(tmp_path, "b", [1, 1])
    found = run_of(tmp_path, "a", "b")
    assert found.as_dict()["unanswered"] == {"a": 0, "b": 0}
    assert "unanswered" not in comparison_text(found)
