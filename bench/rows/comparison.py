"""Two runs of a million items compared, against the script people write; a page of 10,000 runs, against 200 ms."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
from measure import Cost, interleaved, run_command, run_function
from setting import Result, Setting

from steelyard.records.blocks import ErrorTags, Labels, ScoredBlock
from steelyard.records.plans import ReportPlan
from steelyard.runs.indexing import reindex
from steelyard.runs.listing import list_page
from steelyard.runs.places import Place
from steelyard.runs.recording import RunIdentity, recording

BLOCK = 65_536
PAGE_SECONDS = 0.2
# What people write: both files in dictionaries, items paired by id, McNemar's counts, a mean per source.
SCRIPT = """
import sys
import pyarrow.parquet as pq
from scipy.stats import binomtest
sides = []
for path in sys.argv[1:]:
    rows = pq.read_table(path, columns=["item_id", "item_hash", "correctness", "tag.source"]).to_pylist()
    sides.append({row["item_id"]: row for row in rows})
pairs = [(row, sides[1][key]) for key, row in sides[0].items() if key in sides[1]]
pairs = [(a, b) for a, b in pairs if a["item_hash"] == b["item_hash"]]
better = sum(a["correctness"] < b["correctness"] for a, b in pairs)
worse = sum(a["correctness"] > b["correctness"] for a, b in pairs)
for source in sorted({a["tag.source"] for a, b in pairs}):
    chosen = [b["correctness"] - a["correctness"] for a, b in pairs if a["tag.source"] == source]
    print(source, sum(chosen) / len(chosen))
print(better, worse, binomtest(min(better, worse), better + worse).pvalue)
"""


def measure(setting: Setting) -> list[Result]:
    size = setting.size(1_000_000, 100_000)
    runs = setting.folder / f"comparison-{size}"
    for seed, name in enumerate(("first", "second")):
        if not (runs / name / "run.json").exists():
            shutil.rmtree(runs / name, ignore_errors=True)
            make_run(runs, name, size, seed)
    script = setting.folder / "compare_script.py"
    script.write_text(SCRIPT)
    files = [str(runs / name / "eval" / "items.parquet") for name in ("first", "second")]
    command = [setting.command, "compare", "--runs", "first,second", "--slice-by", "source", "--runs-dir", str(runs)]
    ours, peer = interleaved(
        lambda: run_command(command, folder=setting.folder),
        lambda: run_command([setting.python, str(script), *files], folder=setting.folder),
        3,
    )
    title = f"two runs of {size:,} items compared, one slice key"
    return [
        Result(title, "the script people write", 3, ours, peer),
        Result(f"{title}, memory", "the same", 2, ours, peer, unit="memory"),
        _page(setting),
    ]


def make_run(runs: Path, name: str, size: int, seed: int) -> None:
    """Record a run of 0/1 scores in three sources."""
    generator = np.random.default_rng(seed)
    signatures = {"scorers": ["score@v1"], "metrics": [], "canonical": []}
    identity = RunIdentity(task="bench", scorer_version="score@v1", signatures=signatures, model={"name": name})
    plan = ReportPlan(primary="score", metrics=(), directions={}, rounds=10)
    with recording(Place(runs_dir=runs, name=name), identity, plan) as recorder:
        for start in range(0, size, BLOCK):
            recorder.add(_block(start, min(BLOCK, size - start), generator))
        recorder.complete(config={"task": "bench"}, manifest={})


def _block(start: int, size: int, generator: np.random.Generator) -> ScoredBlock:
    names = [f"item-{row:09}" for row in range(start, start + size)]
    scores = (generator.random(size) < 0.7).astype(np.float64)
    return ScoredBlock(
        start=start,
        ids=names,
        lines=range(start, start + size),
        inputs=["input of " + name for name in names],
        item_hashes=[f"sha256:{row:064x}" for row in range(start, start + size)],
        states=Labels(["scored"], np.zeros(size, np.int32)),
        expected=["yes"] * size,
        predicted=["yes" if score else "no" for score in scores],
        outputs=["yes" if score else "no" for score in scores],
        primary=scores,
        passed=scores == 1,
        scores={},
        error_tags=ErrorTags([()], np.zeros(size, np.int32)),
        explain=[""] * size,
        tags={"source": Labels(["human", "synthetic", "web"], (np.arange(size) % 3).astype(np.int32))},
    )


def _page(setting: Setting) -> Result:
    """Return the cost of a page of 10,000 runs, with every directory looked at, beside what it may take."""
    runs = setting.folder / "many-runs"
    record = {"status": "completed", "task": "bench", "steelyard_version": "0", "primary_metric": "f1"}
    for number in range(10_000):
        folder = runs / f"run-{number:05}"
        if not (folder / "run.json").exists():
            folder.mkdir(parents=True, exist_ok=True)
            day = f"2024-01-{number % 28 + 1:02}T00:00:00+00:00"
            own = {"run_id": f"run_{number}", "name": folder.name, "created_at": day, "primary_score": 0.5}
            (folder / "run.json").write_text(json.dumps(record | own))
    reindex(runs)
    cost = sorted((run_function(lambda: list_page(runs, limit=50)) for _ in range(5)), key=lambda one: one.seconds)[2]
    title = "a page of `runs list` over 10,000 runs"
    return Result(title, "200 ms", 1, cost, Cost(PAGE_SECONDS))
