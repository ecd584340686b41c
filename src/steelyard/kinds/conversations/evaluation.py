"""Conversations and their turns ready to be judged: from traces, from a model's journal, or from a run's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from steelyard.conversations.blocks import METRICS, SCORER, report_plan
from steelyard.conversations.plan_text import PROMPT_VERSION
from steelyard.datasets.paths import plain_manifest
from steelyard.datasets.shipped import named_path
from steelyard.kinds.conversations.deriving import derive
from steelyard.kinds.conversations.files import ConversationJournal
from steelyard.kinds.conversations.reading import ConversationSource, Pair
from steelyard.kinds.conversations.recipe import TASK, ConversationsRecipe
from steelyard.reading.ids import sha256_file
from steelyard.records.plans import ReportPlan
from steelyard.records.runs import Reading
from steelyard.registry import bind_metric, bind_scorer
from steelyard.runs.places import Watching
from steelyard.runs.recipes import Found, Taking
from steelyard.runs.recording import RunIdentity

CANONICAL = "conversation@v1|references=displayed;executed"
"""How an answer is read: as a whole, against the displayed and the executed reference."""


@dataclass(frozen=True)
class ConversationsEvaluation:
    """Conversations over a source of turns."""

    recipe: ConversationsRecipe
    source: ConversationSource
    turns: Path
    """Traces, or the journal of a model or of the run itself."""
    model: Mapping[str, Any]
    keeps_journal: bool = False
    reading: Reading | None = None
    """What reading found when the run was made; None where that is told now."""
    aside: bool = False
    group_rows: int | None = None
    judged_by: dict[str, Any] | None = None

    @cached_property
    def identity(self) -> RunIdentity:
        """What the run says about itself."""
        metrics = [bind_metric(name).signature for name in METRICS]
        data = self.recipe.data()
        return RunIdentity(
            task=TASK,
            answer_type="number",
            scorer_version=SCORER,
            signatures={"scorers": [bind_scorer(SCORER).signature], "metrics": metrics, "canonical": [CANONICAL]},
            model=self.model,
            dataset={"path": named_path(data), "sha256": sha256_file(data)},
            prompt_version=PROMPT_VERSION if self.recipe.solver is not None else None,
            kind="conversations",
        )

    @property
    def plan(self) -> ReportPlan:
        """What is reported over turns."""
        return report_plan()

    def config(self) -> dict[str, Any]:
        """Return the recipe as the run keeps it."""
        return self.recipe.config()

    def manifest(self, taking: Taking, found: Found) -> dict[str, Any]:
        """Return the manifest of the conversations."""
        del taking
        counted = found.extra["conversations"]
        return conversations_manifest(self.recipe.data(), counted["num_conversations"], counted["num_turns"])

    def judge(self, taking: Taking, watching: Watching) -> Found:
        """Judge every turn, and write the tables, traces, statistics and plots of the run."""
        source, plots = self.source, self.recipe.plots and not self.aside
        with self._pairs(taking.path) as pairs:
            counted = derive(taking, source, pairs, plots=plots, progress=watching.judged)
        reading = self.reading or Reading(unknown_ids=source.unknown_total)
        facts = {"unknown_ids": reading.unknown_ids, "quarantined": 0}
        flags = ("limited",) if source.sample is not None and source.sample.passed_over else ()
        return Found({"conversations": counted, "predictions": facts}, reading, flags, tuple(source.unknown_ids))

    @contextmanager
    def _pairs(self, path: Path) -> Iterator[Iterator[Pair]]:
        pairs = self.source.with_traces(self.turns)
        if not self.keeps_journal:
            yield pairs
            return
        with ConversationJournal(path) as journal:
            yield journal.kept(pairs)


def conversations_manifest(data: Path, conversations: int, turns: int) -> dict[str, Any]:
    """Return the manifest of a file of conversations."""
    return plain_manifest(data, conversations) | {"num_turns": turns}


def open_source(recipe: ConversationsRecipe, named: Path | None = None) -> ConversationSource:
    """Return the conversations that a recipe selects; `named` is their file as the caller called it."""
    selection = recipe.selection
    return ConversationSource.open(named or recipe.data(), selection.get("sample_size"), selection.get("seed", 0))
