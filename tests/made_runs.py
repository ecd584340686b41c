"""Runs for tests of what is done with runs: made from columns, recorded as every evaluation records its own."""

import json
from pathlib import Path

import numpy as np

from steelyard.records.plans import ReportPlan
from steelyard.runs.places import Place
from steelyard.runs.recording import RunIdentity, recording
from steelyard.runs.sealing import seal_derived
from steelyard.store.directories import read_run
from tests.made_blocks import scored_block

REPEATS = "eval/repeats.json"
SIGNATURES = {"scorers": ["score@v1"], "metrics": ["f1@v1|normalize=basic"], "canonical": ["canonical@v1"]}


def make_run(
    runs_dir: Path,
    name: str,
    scores,
    *,
    ids=None,
    hashes=None,
    inputs=None,
    metric="f1",
    tags=None,
    states=None,
    clusters=None,
    classes=None,
    flags=(),
    error_tags=None,
    numbers=None,
    losses=None,
    gates=None,
    **identity,
):
    """Write a completed run whose items have these scores, as the primary and as the metric; return its directory."""
    scores = np.asarray(scores, np.float64)
    ids = [f"item-{row}" for row in range(len(scores))] if ids is None else list(ids)
    said = {
        "task": "made",
        "scorer_version": "score@v1",
        "signatures": SIGNATURES,
        "model": {"name": name},
        "dataset": {"sha256": "sha256:0"},
    } | identity
    further = {metric: scores} | (numbers or {})
    plan = ReportPlan(
        primary="score",
        metrics=tuple(further),
        directions={metric: "higher"},
        rounds=10,
        classification=("accuracy", "macro_f1", "weighted_f1") if classes else (),
        losses=losses is not None,
    )
    details = {"conversation": clusters} if clusters is not None else {}
    if losses is not None:
        details |= {"loss": losses[0], "n_tokens": losses[1]}
    block = scored_block(
        scores,
        tags=tags,
        states=states,
        clusters=clusters,
        classes=classes,
        error_tags=error_tags,
        ids=ids,
        item_hashes=hashes or [f"hash of {entry}" for entry in ids],
        inputs=inputs or [f"input of {entry}" for entry in ids],
        details=details,
        scores=further,
    )
    with recording(Place(runs_dir=runs_dir, name=name), RunIdentity(**said), plan) as recorder:
        recorder.add(block)
        config = {"task": said["task"], "model": name} | ({"gates": gates} if gates else {})
        recorder.complete(config=config, manifest={}, flags=flags)
    return runs_dir / name


def make_repeats(runs_dir: Path, name: str, repeats, each=({},), **more):
    """Write a run and its further repeats, each with its scores and what is in its place of `each`."""
    names = [name, *(f"{name}.r{number}" for number in range(2, len(repeats) + 1))]
    own = [*each, *({} for _ in range(len(repeats) - len(each)))]
    made = zip(names, repeats, own, strict=True)
    paths = [make_run(runs_dir, one, scores, **(more | extra)) for one, scores, extra in made]
    records = [read_run(path) for path in paths]
    runs = [{"name": one.name, "run_id": one.run_id, "fingerprint": one.fingerprint} for one in records]
    (paths[0] / REPEATS).write_text(json.dumps({"repeats": len(repeats), "runs": runs, "metrics": {}}))
    seal_derived(paths[0])
    return paths[0]
