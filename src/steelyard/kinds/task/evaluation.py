"""A task and its answers ready to be judged: for the first time, from a model's journal, or from a run's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from steelyard.canonical.answer_forms import BESIDE
from steelyard.configuration.task import FieldMetric
from steelyard.items.journal import StoredJournal
from steelyard.items.source import Quarantine, Source
from steelyard.judging.items import DryJudge
from steelyard.kinds.task.identity import identify, judging_configuration, manifest_of
from steelyard.kinds.task.recipe import TaskRecipe
from steelyard.kinds.task.streaming import make_judge, make_source, prediction_facts, report_over, stream
from steelyard.records.plans import ReportPlan
from steelyard.records.runs import JOURNAL_FILE, REJECTED_FILE, Reading, RunRecord
from steelyard.runs.places import Watching
from steelyard.runs.recipes import Found, Taking
from steelyard.runs.recording import RunIdentity
from steelyard.store.files import json_line
from steelyard.tasks.gold import add_gold
from steelyard.tasks.loading import EvaluateOptions
from steelyard.tasks.preparation import Prepared


@dataclass(frozen=True)
class TaskEvaluation:
    """A task, prepared, over a source of items and answers."""

    prepared: Prepared
    recipe: TaskRecipe
    source: Source
    model: Mapping[str, Any]
    """What the run says of the model."""
    flags: tuple[str, ...] = ()
    keeps_journal: bool = False
    """Whether answers are read for the first time, so that the run keeps them in a journal of its own."""
    bad_rows_aside: bool = False
    reading: Reading | None = None
    """What reading found when the run was made; None where that is told now."""
    aside: bool = False
    """Whether the run is judged as it was made, and nothing of it may change."""
    trained_on: Mapping[str, Any] = field(default_factory=dict)
    """Of a trained model: the version of its data, beside what it is evaluated on."""
    own_manifest: Mapping[str, Any] | None = None
    """The manifest of data that is more than the items."""
    group_rows: int | None = None

    @cached_property
    def identity(self) -> RunIdentity:
        """What the run says about itself."""
        found = identify(self.prepared, self.source, self.model)
        dataset = {**found.dataset, **self.trained_on}
        return replace(found, flags=self.flags, kind=self.recipe.kind, dataset=dataset)

    @cached_property
    def plan(self) -> ReportPlan:
        """What is reported over the items."""
        return report_over(self.prepared, self.source)

    @property
    def judged_by(self) -> dict[str, Any]:
        """By what items are judged, whatever their data."""
        return judging_configuration(self.prepared)

    def config(self) -> dict[str, Any]:
        """Return the recipe as the run keeps it."""
        return self.recipe.config()

    def manifest(self, taking: Taking, found: Found) -> dict[str, Any]:
        """Return the manifest of the dataset."""
        del found
        if self.own_manifest is not None:
            return dict(self.own_manifest)
        return manifest_of(self.source, taking.report.n_items, self.identity.dataset["sha256"])

    def judge(self, taking: Taking, watching: Watching) -> Found:
        """Judge every item; what is read for the first time is journaled."""
        source, judge = self.source, make_judge(self.prepared, self.source)
        judging = DryJudge(judge) if "mock" in self.flags else judge
        with self._quarantine(taking.path), self._journal(taking.path) as journal:
            stream(taking, judging, source, journal, watching.judged, aside=self.aside)
            add_gold(taking.report, self.prepared, source, journal, aside=self.aside)
        source.check_unknown(strict=bool(self.recipe.strict_ids) and self.reading is None)
        reading = self.reading or Reading(source.unknown_total, source.rejected, source.unaccounted)
        reading = msgspec.structs.replace(reading, by_columns=source.by_columns)
        journaled = taking.path / JOURNAL_FILE if self.keeps_journal else source.predictions
        flags = () if source.selection.is_whole else ("limited",)
        return Found(prediction_facts(journaled, reading), reading, flags, tuple(source.unknown_ids))

    def _journal(self, path: Path) -> Any:
        if not self.keeps_journal:
            return nullcontext()
        entries = [entry for entry in self.prepared.task.metrics or () if isinstance(entry, FieldMetric)]
        named = [entry.pred_field for entry in entries]
        if any(entry.type == "reasoning_consistency" for entry in entries):
            named += [spelling for name in BESIDE for spelling in (name, f"pred_{name}")]
        separate = self.source.predictions is not None
        return StoredJournal(path / JOURNAL_FILE, self.prepared.field_names, named, separate=separate)

    @contextmanager
    def _quarantine(self, path: Path) -> Iterator[None]:
        """Set bad rows of predictions aside in `rejected.jsonl` where the caller asked for that."""
        if not self.bad_rows_aside:
            yield
            return
        with (path / REJECTED_FILE).open("wb") as stream:

            def write(line: int, reason: str, raw: bytes) -> None:
                text = raw.decode("utf-8", "backslashreplace")
                stream.write(json_line({"line": line, "reason": reason, "text": text}))

            self.source.quarantine = Quarantine(write, self.source.names.id)
            yield
        if not self.source.rejected:
            (path / REJECTED_FILE).unlink()


def first_evaluation(
    prepared: Prepared, options: EvaluateOptions, recipe: TaskRecipe, reading: Reading | None = None
) -> TaskEvaluation:
    """Return stored answers that become a run; `reading` where another run found it out."""
    return TaskEvaluation(
        prepared,
        recipe,
        make_source(prepared, options),
        {"name": recipe.model_name, "kind": "stored predictions"},
        keeps_journal=True,
        bad_rows_aside=options.bad_rows == "quarantine" and reading is None,
        reading=reading,
    )


def own_evaluation(
    prepared: Prepared, options: EvaluateOptions, recipe: TaskRecipe, record: RunRecord, *, aside: bool
) -> TaskEvaluation:
    """Return a run's own journal, to be judged again; of a mock run no score is invented now either."""
    source = make_source(prepared, options, journal=True)
    flags = tuple(flag for flag in record.flags if flag == "mock")
    reading = record.reading or Reading()
    return TaskEvaluation(prepared, recipe, source, record.model, flags, reading=reading, aside=aside)
