"""Judged blocks to one report. `update` takes blocks as they come, `merge` joins parts, `results` says it all."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from steelyard.aggregate.classification import ConfusionTally, unavailable
from steelyard.aggregate.groups import TagGroups
from steelyard.aggregate.hard_examples import HardExamples
from steelyard.aggregate.means import Mean
from steelyard.aggregate.slices import Slices
from steelyard.aggregate.tallies import BlockMoments, TagTallies
from steelyard.aggregate.tally import Numbers, Tally
from steelyard.records.blocks import ScoredBlock
from steelyard.records.items import SKIPPED, STATES
from steelyard.records.plans import NOTICE, RULE_PREFIX, ReportPlan
from steelyard.records.scores import ValueKind
from steelyard.registry import value_kind
from steelyard.stats.binning import ValueCounts
from steelyard.stats.intervals import method_signature


class Report:
    """Everything that is reported over the items of a run."""

    def __init__(self, plan: ReportPlan) -> None:
        self.plan = plan
        self.kinds = kinds(plan)
        self.states: Counter[str] = Counter()
        self.error_tags: Counter[str] = Counter()
        self.all = Tally(plan, self.kinds)
        self.answered = Mean(self.kinds[plan.primary])
        self.tallies = TagTallies()
        self.slices = Slices(plan, self.kinds)
        self.hard = HardExamples(plan)
        self.further: dict[str, dict[str, Any]] = {}
        """Details of metrics that are not over the items of the run, such as a gold set's."""

    def update(self, block: ScoredBlock) -> None:
        """Add a block of judged items."""
        if not len(block):
            return
        numbers = Numbers.of(block, self.plan)
        self.all.update(numbers)
        self._count(block)
        tags = TagGroups(block.tags, len(block))
        self.tallies.add(BlockMoments(block.primary, numbers.coded.get(self.plan.primary)), tags)
        self.slices.update(tags, numbers)
        self.hard.update(block)

    def _count(self, block: ScoredBlock) -> None:
        counts = np.bincount(block.states.codes, minlength=len(block.states.names)).tolist()
        self.states.update(dict(zip(block.states.names, counts, strict=True)))
        skipped = [index for index, name in enumerate(block.states.names) if name in SKIPPED]
        self.answered.update(block.primary[~np.isin(block.states.codes, skipped)] if skipped else block.primary)
        sets = np.bincount(block.error_tags.codes, minlength=len(block.error_tags.sets)).tolist()
        for tags, count in zip(block.error_tags.sets, sets, strict=True):
            for tag in tags if count else ():
                self.error_tags[tag] += count

    def merge(self, other: Report) -> None:
        """Add the report of further items."""
        self.states.update(other.states)
        self.error_tags.update(other.error_tags)
        self.all.merge(other.all)
        self.answered.merge(other.answered)
        self.tallies.merge(other.tallies)
        self.slices.merge(other.slices)
        self.hard.merge(other.hard)
        self.further |= other.further

    @property
    def n_items(self) -> int:
        """How many items were judged."""
        return sum(self.states.values())

    @property
    def _primary(self) -> ValueCounts:
        primary = self.all.means[self.plan.primary].values
        assert isinstance(primary, ValueCounts)
        return primary

    @property
    def confusion(self) -> ConfusionTally:
        """The counts of true and predicted labels."""
        return self.all.confusion

    @property
    def design_effect(self) -> float:
        """By how much clustering widens the variance of the primary score."""
        clusters = self.all.clusters
        return 1.0 if clusters is None else clusters.design_effect(self.plan.primary, self.tallies.total.squares)

    def scorecard(self) -> dict[str, Any]:
        """Return seed 000's scorecard of the run."""
        primary = self._primary
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
            "min_score": primary.minimum,
            "max_score": primary.maximum,
        }
        for key, *others in self.tallies.searched():
            if not others:
                parts = self.tallies.breakdown(key)
                found[f"{key}_scores"] = {name: moments.mean for name, moments in parts.items()}
                found[f"{key}_counts"] = {name: moments.n for name, moments in parts.items()}
        return found

    def results(self, signatures: dict[str, str] | None = None) -> dict[str, Any]:
        """Return the content of `eval_results.json`, as far as the items decide it."""
        plan, known = self.plan, signatures or {}
        details = self.all.details(plan) | self.further
        signed = {name: entry | _signature(known.get(name), entry) for name, entry in details.items()}
        found: dict[str, Any] = {
            "primary_metric": plan.primary,
            "scorecard": self.scorecard(),
            "metrics": {**{name: entry["value"] for name, entry in details.items()}, **self.all.figures(plan)},
            "metric_details": signed,
            "unavailable": self._unavailable(),
            "error_tags": dict(sorted(self.error_tags.items(), key=lambda pair: (-pair[1], pair[0]))),
        }
        if plan.classification:
            matrix = self.all.matrix(plan)
            found |= {"labels": list(matrix.labels), "confusion_columns": list(matrix.columns)}
        if plan.rules:
            found["format_rules"] = {name: self.all.mean_detail(RULE_PREFIX + name, plan) for name in plan.rules}
        if plan.slice_by:
            found["slices"] = self.slices.results()
            found["slices_left_out"] = self.slices.reasons()
        return found | self._attribution()

    def _unavailable(self) -> dict[str, str]:
        plan = self.plan
        found = {**plan.unavailable, **(self.all.losses.unavailable() if plan.losses else {})}
        return found | (unavailable(self.all.matrix(plan), plan.classification) if plan.classification else {})

    def _attribution(self) -> dict[str, Any]:
        from steelyard.aggregate.worst_slices import WeakSlices  # noqa: PLC0415 - at the end, and with tags alone

        weak = WeakSlices(self.tallies, self._primary, self.kinds[self.plan.primary], design_effect=self.design_effect)
        found: dict[str, Any] = {
            "worst_slices": weak.worst(),
            "slice_search": weak.search(),
            "tags_left_out": sorted(self.tallies.left_out),
            "hard_examples": self.hard.summary(self.tallies),
        }
        if self.all.clusters is not None:
            found["design_effect"] = self.design_effect
        return found | {"notice": NOTICE}


def kinds(plan: ReportPlan) -> dict[str, ValueKind]:
    """Return what values each number of a plan can have; what is not registered lies in [0, 1]."""
    found: dict[str, ValueKind] = {name: value_kind(name) or "bounded" for name in (plan.primary, *plan.metrics)}
    found |= plan.values
    found[plan.primary] = "rate" if found[plan.primary] == "rate" else "bounded"
    return found | dict.fromkeys((RULE_PREFIX + name for name in plan.rules), "rate")


def _signature(known: str | None, entry: dict[str, Any]) -> dict[str, str]:
    """Return the signature of a metric's value, with the method of its interval."""
    return {"signature": f"{known}|interval={method_signature(entry['method'])}"} if known else {}
