"""A run of conversations judged again from its journal: everything under `eval/` is derived anew."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import Problem, UsageError
from steelyard.pipeline.conversations.blocks import report_plan
from steelyard.pipeline.conversations.deriving import derive
from steelyard.pipeline.conversations.order import TASK, extra_results
from steelyard.pipeline.conversations.reading import ConversationSource
from steelyard.pipeline.recording.reporting import write_report
from steelyard.pipeline.recording.run import Derivation, Evaluation, Progress, abandoned_on_error
from steelyard.pipeline.recording.sealing import renew_seals
from steelyard.reading.shipped import opened_path
from steelyard.records.runs import JOURNAL_FILE, RunRecord
from steelyard.store.directories import RunDirectory


def is_conversations(record: RunRecord, config: Mapping[str, Any]) -> bool:
    """Return whether `steelyard evaluate` made a run; a task file may use the same name for its task."""
    return record.task == TASK and ("traces" in config or "history" in config)


def rescore_conversations(
    path: Path, record: RunRecord, config: Mapping[str, Any], *, progress: Progress | None
) -> Evaluation:
    """Derive the run's `eval/` again, with the same conversations and the turns of its journal."""
    selection: Mapping[str, Any] = config.get("selection", {})
    dataset = opened_path(str(config["dataset"]))
    source = ConversationSource.open(dataset, selection.get("sample_size"), selection.get("seed", 0))
    directory = RunDirectory.reopen(path)
    try:
        return _derived(path, record, source, plots=bool(config.get("plots", True)), progress=progress)
    finally:
        directory.release()


def _derived(
    path: Path, record: RunRecord, source: ConversationSource, *, plots: bool, progress: Progress | None
) -> Evaluation:
    derivation = Derivation(path, report_plan())
    with abandoned_on_error(derivation):
        found = derive(derivation, source, source.with_traces(path / JOURNAL_FILE), plots=plots, progress=progress)
    results, hard = derivation.finish(record.signatures, extra_results(source, found))
    write_report(path, record, results, hard)
    renew_seals(path, record)
    return Evaluation(path, record, results, hard)


def other_scorer() -> UsageError:
    """Return the error of a request to judge conversations by something else."""
    hint = "leave out --scorer and --task: turns are judged by the numeric ladder and their programs"
    return UsageError(Problem("usage", "a run of conversations has no other scorer or task", hint=hint))
