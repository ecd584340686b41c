"""A run over research artifacts judged again: everything under `eval/` is derived anew from the same artifacts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem, UsageError
from steelyard.pipeline.recording.reporting import write_report
from steelyard.pipeline.recording.run import Derivation, Evaluation, Progress, abandoned_on_error, outcome
from steelyard.pipeline.recording.sealing import other_items, renew_seals
from steelyard.pipeline.recording.standing import write_standing
from steelyard.pipeline.research.items import BLOCK_OBJECTIVES
from steelyard.pipeline.research.order import SCORER, SIGNATURES, TASK, Judging, ResearchOptions
from steelyard.pipeline.research.reading import find_runs, read_golden
from steelyard.reading.hashing import sha256_file
from steelyard.records.runs import MANIFEST_FILE, Rescored, RunRecord
from steelyard.research.gates import DEFAULT_THRESHOLDS
from steelyard.store.checking import read_object
from steelyard.store.directories import RunDirectory


def is_research(record: RunRecord, config: Mapping[str, Any]) -> bool:
    """Return whether `steelyard research` made a run; a task file may use the same name for its task."""
    return record.task == TASK and "golden" in config and "outputs" in config


def rescore_research(
    path: Path, record: RunRecord, config: Mapping[str, Any], *, progress: Progress | None
) -> Evaluation:
    """Derive the run's `eval/` again from the golden queries and artifacts it was made from, which must be the same."""
    judging = _judging(config, progress)
    expected = _outputs_hash(path)
    directory = RunDirectory.reopen(path)
    try:
        return _derived(path, record, judging, expected)
    finally:
        directory.release()


def _outputs_hash(path: Path) -> str:
    """Return the hash of the artifacts that a run was made from, as it keeps it."""
    outputs = read_object(path / MANIFEST_FILE).get("outputs")
    found = outputs.get("sha256") if isinstance(outputs, dict) else None
    if isinstance(found, str):
        return found
    hint = "bring the file back as it was, or judge the artifacts again under another name"
    raise InputError(
        Problem("run-damaged", f"{MANIFEST_FILE} has no hash of the outputs", hint=hint, file=str(path / MANIFEST_FILE))
    )


def _judging(config: Mapping[str, Any], progress: Progress | None) -> Judging:
    given = {gate["metric"]: gate["min"] for gate in config.get("gates", ())}
    thresholds = DEFAULT_THRESHOLDS | given | config.get("thresholds", {})
    options = ResearchOptions(
        golden=Path(str(config["golden"])),
        outputs=Path(str(config["outputs"])),
        slice_by=tuple(map(tuple, config.get("slice_by", ()))),
    )
    entries = read_golden(options.golden, options.limits)
    folders, ignored = find_runs(options.outputs)
    return Judging(options, thresholds, entries, folders, tuple(ignored), progress)


def _derived(path: Path, record: RunRecord, judging: Judging, expected: str) -> Evaluation:
    derivation = Derivation(path, judging.plan(), BLOCK_OBJECTIVES)
    with abandoned_on_error(derivation):
        _, _, extra = judging.derive(derivation, sha256_file(judging.options.golden), expected)
    results, hard = derivation.finish(SIGNATURES, extra)
    rescored = Rescored(SCORER, SIGNATURES, **outcome(results), items=other_items(path, record))
    standing = write_standing(path, record, rescored)
    write_report(path, standing, results, hard)
    renew_seals(path, record)
    return Evaluation(path, standing, results, hard)


def other_scorer() -> UsageError:
    """Return the error of a request to judge research runs by something else."""
    hint = "leave out --scorer and --task: research runs are judged by their evidence"
    return UsageError(Problem("usage", "a run over research artifacts has no other scorer or task", hint=hint))
