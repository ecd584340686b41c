"""The order of an evaluation of conversations: read, solve or take stored traces, judge, count, store, draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import msgspec

from steelyard.conversations.columns import ColumnsBuilder
from steelyard.conversations.judging import judge
from steelyard.conversations.plan_and_compute import GENERATION
from steelyard.conversations.plan_text import prompt_hash
from steelyard.conversations.statistics import statistics
from steelyard.errors import InputError, Problem, UsageError
from steelyard.pipeline.conversation_blocks import SCORER, report_plan, scored_block
from steelyard.pipeline.conversation_files import ConversationFiles, write_plots, write_statistics
from steelyard.pipeline.conversation_options import ConversationOptions
from steelyard.pipeline.conversation_reading import ConversationSource, Pair
from steelyard.pipeline.conversation_solving import Solving, solving
from steelyard.pipeline.recording import Evaluation, Progress, Recorder, RunIdentity, recording
from steelyard.reading.hashing import sha256_file
from steelyard.registry import bind_metric, bind_scorer

TASK = "conversations"
CANONICAL = "conversation@v1|references=displayed;executed"
"""How an answer is read: as a whole, against the displayed and the executed reference."""
BLOCK_CONVERSATIONS = 512

_METRICS = ("logic_recall", "logic_precision", "logic_f1", "operation_order", "program_equivalence", "operand_accuracy")


def evaluate_conversations(options: ConversationOptions, *, progress: Progress | None = None) -> Evaluation:
    """Evaluate conversations and leave a complete run behind; bad input leaves nothing behind."""
    if (options.model is None) == (options.traces is None):
        hint = "--traces DIR_OR_FILE judges stored traces, --model SPEC asks a model"
        raise UsageError(Problem("usage", "give one of --model and --traces", hint=hint))
    source = ConversationSource.open(options.dataset, options.sample_size, options.seed)
    with (
        solving(options) as solved,
        recording(options.runs_dir, options.name, _identity(options, solved), report_plan()) as recorder,
    ):
        with ConversationFiles(recorder.path) as files:
            columns = _stream(recorder, files, solved.pairs(source, recorder.path), progress)
            _check(source, recorder)
        found = statistics(columns.columns(), source.sample.as_dict() if source.sample else None)
        write_statistics(recorder.path, found)
        if options.plots:
            write_plots(recorder.path, found)
        finished = recorder.complete(
            config=_configuration(options, solved),
            manifest=_manifest(options, recorder.report.n_items, found["num_conversations"]),
            extra={"conversations": found, "predictions": {"unknown_ids": source.unknown_total, "quarantined": 0}},
            flags=_flags(source),
        )
    return replace(finished, unknown_ids=source.unknown_ids, unknown_total=source.unknown_total)


def _stream(
    recorder: Recorder, files: ConversationFiles, pairs: Iterable[Pair], progress: Progress | None
) -> ColumnsBuilder:
    """Carry blocks through the rooms. Nothing here holds more than one but the columns, a few dozen bytes a turn."""
    columns = ColumnsBuilder()
    for block in _blocks(pairs):
        judged = judge([conversation for conversation, _ in block], [turns for _, turns in block])
        recorder.add(scored_block(judged, recorder.report.n_items))
        files.write(judged)
        columns.add(judged)
        if progress is not None:
            progress(recorder.report.n_items)
    return columns


def _blocks(pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
    iterator = iter(pairs)
    while block := list(islice(iterator, BLOCK_CONVERSATIONS)):
        yield block


def _check(source: ConversationSource, recorder: Recorder) -> None:
    source.problems.raise_if_any()
    if not recorder.report.n_items:
        hint = "check --sample-size; an evaluation of nothing would say nothing"
        problem = Problem("no-items", "no conversations are left to evaluate", hint=hint, file=str(source.dataset))
        raise InputError(problem)


def _identity(options: ConversationOptions, solved: Solving) -> RunIdentity:
    metrics = [bind_metric(name).signature for name in _METRICS]
    return RunIdentity(
        task=TASK,
        answer_type="number",
        scorer_version=SCORER,
        signatures={"scorers": [bind_scorer(SCORER).signature], "metrics": metrics, "canonical": [CANONICAL]},
        model=solved.model,
        dataset={"path": str(options.dataset), "sha256": sha256_file(options.dataset)},
        prompt_version=solved.prompt_version,
        flags=("mock",) if solved.is_mock else (),
    )


def _configuration(options: ConversationOptions, solved: Solving) -> dict[str, Any]:
    """Return the effective configuration: everything that decides what was asked and judged."""
    config: dict[str, Any] = {"task": TASK, "dataset": str(options.dataset.resolve())}
    if options.traces is not None:
        config["traces"] = str(options.traces.resolve())
    else:
        config |= {"model": options.model, "history": options.history}
    if solved.solver is not None:
        config["solver"] = solved.solver
        config |= {"prompt_sha256": prompt_hash(), "generation": msgspec.to_builtins(GENERATION)}
        config |= {"max_retries": options.max_retries, "validation": options.validation}
    if options.sample_size is not None:
        config["selection"] = {"sample_size": options.sample_size, "seed": options.seed, "stratified": True}
    return config


def _manifest(options: ConversationOptions, n_items: int, n_conversations: int) -> dict[str, Any]:
    content = sha256_file(options.dataset)
    file = {"path": options.dataset.name, "split": "test", "num_rows": n_conversations, "sha256": content}
    return {
        "dataset_id": options.dataset.name.split(".", maxsplit=1)[0],
        "version": content,
        "format": options.dataset.suffix.lstrip("."),
        "num_rows": n_conversations,
        "num_turns": n_items,
        "content_hash": content,
        "files": [file],
    }


def _flags(source: ConversationSource) -> list[str]:
    flags = [] if source.sample is None or not source.sample.passed_over else ["limited"]
    return flags + (["unknown_ids"] if source.unknown_total else [])
