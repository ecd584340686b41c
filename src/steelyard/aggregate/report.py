"""Judged blocks to one report. `update` takes blocks as they come, `merge` joins parts, `results` says it all."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from steelyard.aggregate.classification import Confusion, ConfusionTally, figures
from steelyard.aggregate.hard_examples import HardExamples
from steelyard.aggregate.losses import Losses
from steelyard.aggregate.means import ClusteredMeans, Mean, columns, detail, ends
from steelyard.aggregate.slices import Slices
from steelyard.aggregate.tallies import TagTallies
from steelyard.aggregate.worst_slices import worst_slices
from steelyard.records.blocks import Floats, ScoredBlock
from steelyard.records.items import SKIPPED, STATES, State
from steelyard.records.plans import NOTICE, ReportPlan
from steelyard.registry import metrics as registered_metrics
from steelyard.registry import scorers as registered_scorers
from steelyard.stats import bootstrap_matrix

MATRIX_STATISTICS = ("accuracy", "macro_f1", "weighted_f1")


class Report:
    """Everything that is reported over the items of a run."""

    def __init__(self, plan: ReportPlan) -> None:
        self.plan = plan
        self.bounded = {name: is_bounded(name) for name in (plan.primary, *plan.metrics)}
        self.bounded[plan.primary] = True
        self.states: Counter[State] = Counter()
        self.error_tags: Counter[str] = Counter()
        self.means = {name: Mean(bounded=bounded) for name, bounded in self.bounded.items()}
        self.answered = Mean(bounded=True)
        self.confusion = ConfusionTally()
        self.tallies = TagTallies()
        self.slices = Slices(plan, self.bounded)
        self.clusters = ClusteredMeans()
        self.losses = Losses()
        self.hard = HardExamples(plan.hard_examples, plan.primary)
        self.ranked_by = ""

    def update(self, block: ScoredBlock) -> None:
        """Add a block of judged items."""
        numbers = columns(self.plan.metrics, block.scores, len(block)) | {self.plan.primary: block.primary}
        for name, values in numbers.items():
            self.means[name].update(values)
        self._count(block)
        self.tallies.update(block.primary, block.tags)
        self.slices.update(block, numbers)
        if block.truth is not None and block.guess is not None:
            self.confusion.update(block.truth, block.guess)
        if self.plan.clustered and block.clusters is not None:
            self.clusters.update(block.clusters, numbers)
        self.losses.update(block)
        name, values = self._hardness(block)
        self.hard.metric_name = self.ranked_by = name
        self.hard.update(block, values)

    def _count(self, block: ScoredBlock) -> None:
        counts = np.bincount(block.states.codes, minlength=len(block.states.names)).tolist()
        for name, count in zip(block.states.names, counts, strict=True):
            self.states[name] += count  # type: ignore[index]
        skipped = [index for index, name in enumerate(block.states.names) if name in SKIPPED]
        self.answered.update(block.primary[~np.isin(block.states.codes, skipped)])
        sets = np.bincount(block.error_tags.codes, minlength=len(block.error_tags.sets)).tolist()
        for tags, count in zip(block.error_tags.sets, sets, strict=True):
            for tag in tags:
                self.error_tags[tag] += count

    def _hardness(self, block: ScoredBlock) -> tuple[str, Floats]:
        """Return what hard examples are ranked by, and its values."""
        wanted = self.plan.hard_by
        if wanted == "confidence":
            known = block.confidence
            if known is not None and not np.isnan(known).all():
                return "confidence", np.where(np.isnan(known), block.primary, known)
            return self.plan.primary, block.primary
        if wanted and wanted in block.scores:
            return wanted, block.scores[wanted]
        return self.plan.primary, block.primary

    def merge(self, other: Report) -> None:
        """Add the report of further items."""
        self.states.update(other.states)
        self.error_tags.update(other.error_tags)
        for name, mean in other.means.items():
            self.means[name].merge(mean)
        self.answered.merge(other.answered)
        self.confusion.merge(other.confusion)
        self.tallies.merge(other.tallies)
        self.slices.merge(other.slices)
        self.losses.merge(other.losses)
        self.hard.merge(other.hard)
        self.ranked_by = self.ranked_by or other.ranked_by

    @property
    def n_items(self) -> int:
        """How many items were judged."""
        return sum(self.states.values())

    def scorecard(self) -> dict[str, Any]:
        """Return seed 000's scorecard of the run."""
        primary = self.means[self.plan.primary].values
        skipped = {state: self.states[state] for state in SKIPPED}
        n_skipped = sum(skipped.values())
        found: dict[str, Any] = {
            "n_items": self.n_items,
            "n_scored": self.n_items - n_skipped,
            "n_skipped": n_skipped,
            "skipped": skipped,
            "states": {state: self.states[state] for state in STATES},
            "primary_score": primary.mean,
            "score_if_answered": self.answered.values.mean,
            "stddev": primary.population_stddev if self.n_items >= 2 else None,
            "min_score": getattr(primary, "minimum", None),
            "max_score": getattr(primary, "maximum", None),
        }
        for (key, *others), _ in sorted(self.tallies.searched().items()):
            if not others:
                parts = self.tallies.breakdown(key)
                found[f"{key}_scores"] = {name: moments.mean for name, moments in parts.items()}
                found[f"{key}_counts"] = {name: moments.n for name, moments in parts.items()}
        return found

    def results(self, signatures: dict[str, str] | None = None) -> dict[str, Any]:
        """Return the content of `eval_results.json`, as far as the items decide it."""
        details = self._details(signatures or {})
        matrix = self.confusion.confusion(self.plan.choices)
        values = {name: entry["value"] for name, entry in details.items()}
        classified = figures(matrix, self.plan.classification) if self.plan.classification else {}
        found: dict[str, Any] = {
            "primary_metric": self.plan.primary,
            "scorecard": self.scorecard(),
            "metrics": {**values, **classified, **self.losses.figures(self.plan.losses)},
            "metric_details": {**details, **self._matrix_details(matrix, classified)},
            "unavailable": {**self.plan.unavailable, **self.losses.unavailable(self.plan.losses)},
            "error_tags": dict(sorted(self.error_tags.items(), key=lambda pair: (-pair[1], pair[0]))),
        }
        if self.plan.classification:
            found["labels"] = list(matrix.labels)
            found["confusion_columns"] = list(matrix.columns)
        if self.plan.slice_by:
            found["slices"] = self.slices.results()
        found["worst_slices"] = worst_slices(self.tallies)
        found["tags_left_out"] = sorted(self.tallies.left_out)
        found["hard_examples"] = self._hard_summary()
        return found | {"notice": NOTICE}

    def _details(self, signatures: dict[str, str]) -> dict[str, dict[str, Any]]:
        plan, found = self.plan, {}
        for name, mean in self.means.items():
            if not mean.values.n and name not in (plan.primary, *plan.metrics):
                continue
            if plan.clustered:
                interval = self.clusters.interval(name, rounds=plan.rounds, seed=plan.seed)
            else:
                interval = mean.interval(rounds=plan.rounds, seed=plan.seed)
            direction = "higher" if name == plan.primary else plan.directions.get(name)
            found[name] = detail(mean, interval, direction, signatures.get(name))
        return found

    def _matrix_details(self, matrix: Confusion, classified: dict[str, Any]) -> dict[str, dict[str, Any]]:
        if not self.plan.classification or not matrix.labels:
            return {}
        size = len(matrix.labels)
        rest = matrix.matrix[:, size:].sum(axis=1, keepdims=True)
        padded = np.concatenate([matrix.square, rest], axis=1)
        found = {}
        for name in MATRIX_STATISTICS:
            if name in classified:
                interval = bootstrap_matrix(padded, name, rounds=self.plan.rounds, seed=self.plan.seed)  # type: ignore[arg-type]
                n = int(matrix.matrix.sum())
                found[name] = {"value": classified[name], "n": n, **ends(interval), "direction": "higher"}
        return found

    def _hard_summary(self) -> dict[str, Any]:
        """Return which tags are over-represented among hard examples, with shares and lift."""
        kept = [example.entry["tags"] for example in self.hard.kept]
        found = []
        for (key, *others), groups in self.tallies.searched().items():
            if others or not kept:
                continue
            for value, moments in groups.items():
                share = sum(tags.get(key) == value for tags in kept) / len(kept)
                overall = moments.n / self.n_items
                if share > overall:
                    found.append(
                        {"tag": f"{key}={value}", "hard_share": share, "item_share": overall, "lift": share / overall}
                    )
        found.sort(key=lambda entry: (-entry["lift"], entry["tag"]))
        return {
            "n": len(kept),
            "primary_metric_name": self.hard.metric_name,
            "over_represented": found,
            "notice": NOTICE,
        }


def is_bounded(name: str) -> bool:
    """Return whether every value of a metric, scorer or part lies in [0, 1]."""
    for definition in registered_metrics():
        if definition.name == name:
            return definition.bounded
    part = name.rsplit(".", maxsplit=1)[-1]
    for registered in registered_scorers():
        if part in registered.sub_scores:
            return registered.sub_scores[part] == "higher"
    return True
