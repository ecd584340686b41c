"""How the turns of a run come about: from stored traces, or from a solver with a journal that loses nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from steelyard.conversations.callables import CallableSolver
from steelyard.conversations.plan_and_compute import NAME, PlanAndCompute
from steelyard.conversations.plan_text import PROMPT_VERSION
from steelyard.conversations.solving import Solver, solve_conversation
from steelyard.models import Model, open_model
from steelyard.pipeline.conversation_files import ConversationJournal, journal_entry
from steelyard.pipeline.conversation_options import ConversationOptions
from steelyard.pipeline.conversation_reading import ConversationSource, Pair
from steelyard.records.runs import JOURNAL_FILE
from steelyard.store.files import json_line, machine_errors


@dataclass(frozen=True, slots=True)
class Solving:
    """Where turns come from, and what the run says about it."""

    model: Mapping[str, Any]
    pairs: Callable[[ConversationSource, Path], Iterator[Pair]]
    """Conversations with their turns, from a source, journaled in a run's directory."""
    prompt_version: str | None = None
    solver: str | None = None
    is_mock: bool = False


@contextmanager
def solving(options: ConversationOptions) -> Iterator[Solving]:
    """Open what answers the turns."""
    if options.traces is not None:
        traces = options.traces
        name = options.model_name or traces.name
        yield Solving({"name": name, "kind": "stored traces"}, lambda source, run: _stored(source, run, traces))
        return
    assert options.model is not None
    model = open_model(options.model)
    try:
        yield _with_model(model, options)
    finally:
        model.close()


def _with_model(model: Model, options: ConversationOptions) -> Solving:
    identity = model.identity
    plain = identity.kind == "python"
    solver: Solver = (
        CallableSolver(model)
        if plain
        else PlanAndCompute(model, max_retries=options.max_retries, validation=options.validation)
    )
    return Solving(
        msgspec.to_builtins(identity),
        lambda source, run: _solved(source, run, solver, options),
        prompt_version=None if plain else PROMPT_VERSION,
        solver=None if plain else NAME,
        is_mock=identity.is_mock,
    )


def _stored(source: ConversationSource, run: Path, traces: Path) -> Iterator[Pair]:
    with ConversationJournal(run) as journal:
        for conversation, turns in source.with_traces(traces):
            journal.write(conversation, turns)
            yield conversation, turns


def _solved(source: ConversationSource, run: Path, solver: Solver, options: ConversationOptions) -> Iterator[Pair]:
    """Solve turn by turn; each is on disk before the next is asked."""
    with machine_errors(run), (run / JOURNAL_FILE).open("ab") as journal:
        for conversation in source.conversations():
            turns = []
            for trace in solve_conversation(conversation, solver, options.history):
                journal.write(json_line(journal_entry(conversation, trace)))
                journal.flush()
                os.fsync(journal.fileno())
                turns.append(trace)
            yield conversation, list(turns)
