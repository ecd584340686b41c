"""What a run, held against its baseline, shows for the rules of a policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from steelyard.comparison.contract import FREE_IN_GATES, contract, gate_hint, with_settings
from steelyard.comparison.measures import Measure, reach_of
from steelyard.comparison.pairing import Pairing, pair_items, shared_clusters
from steelyard.comparison.repeated import RepeatedColumns
from steelyard.comparison.repeats import noise_floor
from steelyard.comparison.retagging import StandingTags
from steelyard.comparison.slices import grouping
from steelyard.errors import excerpt
from steelyard.items.named_fields import nearest
from steelyard.records.columns import ItemColumns, Rows, Tagged
from steelyard.records.comparisons import Contract, Paired
from steelyard.records.gates import NEEDS_BASELINE, Evidence, ItemsRule, MetricRule, Obstacle, Policy, Rule, SkippedRule
from steelyard.records.items import SKIPPED, UNTAGGED
from steelyard.records.plans import SEPARATOR
from steelyard.runs.repeated import without_repeats
from steelyard.runs.stored import StoredRun, measured
from steelyard.verdicts.attributing import answered, counting, in_states, n_silenced, n_silent, own_error, silence_gains

Mask = npt.NDArray[np.bool_]
Where = tuple[tuple[str, str], ...]
"""Tags that items must have."""

NO_BASELINE = "give --against BASELINE; `steelyard baseline set NAME RUN` names one"


@dataclass
class Case:
    """One run and what it is held against."""

    run: StoredRun
    baseline: StoredRun | None
    policy: Policy
    missing: str = "there is no baseline"
    """Why there is no baseline, where there is none."""
    _measures: dict[tuple[str, bool, float | None], Measure | None] = field(default_factory=dict)

    @property
    def task(self) -> str:
        """The task of the run."""
        return self.run.record.task

    @property
    def sides(self) -> list[StoredRun]:
        """The run, and its baseline where there is one."""
        return [run for run in (self.run, self.baseline) if run is not None]

    @cached_property
    def pairing(self) -> Pairing | None:
        """Which items go together; None without a baseline."""
        return None if self.baseline is None else pair_items(self.baseline.columns, self.run.columns)

    @cached_property
    def standing(self) -> StandingTags | None:
        """The tags of the run's items as the baseline had them; None without a baseline."""
        if self.baseline is None or self.pairing is None:
            return None
        return StandingTags(self.baseline.columns, self.run.columns, self.pairing)

    @property
    def tagged(self) -> Tagged:
        """The run's items as rules over slices see them."""
        return self.standing or self.run.columns

    def contract(self, metric: str) -> Contract:
        """Return in what the run differs from its baseline."""
        if self.baseline is None:
            return Contract(comparable=True)
        found = contract(self.baseline.record, self.run.record, metric, allow=self.policy.allow)
        return with_settings(found, self.baseline.config, self.run.config)

    def obstacle(self, metric: str) -> Obstacle | None:
        """Return why nothing can be decided against the baseline; without more, model and prompt may differ."""
        if self.baseline is None or self.pairing is None:
            return Obstacle(self.missing, NO_BASELINE)
        lacking = without_repeats(metric, (self.baseline, self.run))
        if lacking:
            return Obstacle(lacking, "evaluate both with --repeats N")
        free = {*FREE_IN_GATES, *self.policy.allow, *self._same_items(self.baseline, self.pairing)}
        for entry in self.contract(metric).differences:
            if entry.field not in free:
                values = f"{excerpt(str(entry.baseline))} and {excerpt(str(entry.candidate))}"
                return Obstacle(f"incomparable: {entry.field} differs: {values}", gate_hint(entry.field))
        if not self.pairing.whole and "dataset" not in free:
            counts = {
                "edited": len(self.pairing.edited_candidate),
                "added": len(self.pairing.added),
                "removed": len(self.pairing.removed),
            }
            listed = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
            return Obstacle(f"incomparable: the items differ: {listed}", gate_hint("dataset"))
        return None

    def _same_items(self, baseline: StoredRun, pairing: Pairing) -> tuple[str, ...]:
        """Return the dataset as a field that may differ, where two unnamed files hold exactly the same items.

        Rows that carry their predictions make another file of the same dataset with every model.
        """
        names = {run.record.dataset.get("name") for run in (baseline, self.run)}
        return ("dataset",) if pairing.whole and len(names) == 1 else ()

    def measured(self, metric: str, unanswered: float | None = None) -> Measure | None:
        """Return a metric over baseline and run; `unanswered` is the value that counts for no answer."""
        if self.baseline is None:
            return None
        return self._measure(metric, (self.baseline, self.run), unanswered)

    def own(self, metric: str, unanswered: float | None = None) -> Measure | None:
        """Return a metric over the run alone."""
        return self._measure(metric, (self.run, self.run), unanswered)

    def _measure(self, metric: str, runs: tuple[StoredRun, StoredRun], unanswered: float | None) -> Measure | None:
        # A policy asks for one metric many times, and a column is read once.
        key = metric, runs[0] is runs[1], unanswered
        if key not in self._measures:
            found = measured(metric, *runs)
            self._measures[key] = found if unanswered is None else counting(found, runs, unanswered)
        return self._measures[key]

    def evidence(self, rule: Rule) -> Iterator[Evidence]:
        """Yield what there is to decide a rule by; a rule for each slice of a key gives one for each value."""
        match rule:
            case MetricRule():
                for where in self.slices(rule):
                    yield self._metric(rule, where)
            case SkippedRule():
                yield self._skipped(rule)
            case ItemsRule():
                yield self._items(rule)

    def slices(self, rule: MetricRule) -> Sequence[Where]:
        """Return the slices that a rule looks at; without one, all items."""
        if rule.slice_each is None:
            return [rule.slice]
        keys = rule.slice_each.split(SEPARATOR)
        sides = [self.tagged, *([self.baseline.columns] if self.baseline is not None else [])]
        values = {value for side in sides for value in grouping(side, rule.slice_each).rows()}
        ordered = sorted(values, key=lambda name: (UNTAGGED in name, name))
        if len(keys) == 1:
            return [((keys[0], value),) for value in ordered]
        return [tuple(_pair(part) for part in value.split(SEPARATOR)) for value in ordered]

    def _metric(self, rule: MetricRule, where: Where) -> Evidence:
        metric = rule.metric or self.run.primary
        own, bounded = self.own(metric, rule.unanswered), self.run.is_bounded(metric)
        rows = None if not where else np.flatnonzero(mask(self.tagged, where))
        candidate = own.figure(0, rows) if own is not None else (self.run.figure(metric) if not where else None)
        found = Evidence(
            task=self.task,
            title=title(rule, metric, where),
            metric=metric,
            direction=self.run.direction(metric),
            slice=where,
            candidate=candidate,
            standard_error=own_error(own, self.run.columns, rows, bounded=bounded),
            obstacle=self.obstacle(metric),
            absent=without_repeats(metric, [self.run]),
            noise=self._noise(metric, where),
            gained=self._gained(rule, metric, rows),
            meant=self._meant(where) if rows is not None and not len(rows) else "",
            n_answered=self.n_answered,
            n_silent=n_silent(own, self.run.columns, rows, bounded=bounded),
        )
        if found.obstacle is not None or candidate is None:
            return found
        both = self.measured(metric, rule.unanswered)
        return self._with_pairs(found, both, where) if both is not None else self._with_totals(found, metric, where)

    def _gained(self, rule: MetricRule, metric: str, rows: Rows | None) -> Obstacle | None:
        """Return why the run would gain by silence: by the mean of its own answers, and by the baseline's."""
        if rule.unanswered is None:
            return None
        own, lower = self.own(metric), self.run.direction(metric) == "lower"
        both = self.measured(metric) if rule.limit in NEEDS_BASELINE and rows is None else None
        means = [side.figure(0, of).value for side, of in ((own, rows), (both, None)) if side is not None]
        known = [mean for mean in means if mean is not None]
        best = (max if lower else min)(known, default=None)
        return silence_gains(own, self.run.columns, rows, rule.unanswered, best, lower=lower)

    def _meant(self, where: Where) -> str:
        """Return the question whether other values of tags were meant, where no item has these."""
        asked = [nearest(value, self.tagged.tag(key).names) for key, value in where]
        return next(filter(None, asked), "")

    @cached_property
    def n_answered(self) -> int:
        """How many items of the run have an answer that could be read."""
        return int(answered(self.run.columns).sum())

    def _with_totals(self, found: Evidence, metric: str, where: Where) -> Evidence:
        """Add the difference of a figure that single items do not decide, where both runs have the same items."""
        assert self.baseline is not None
        assert self.pairing is not None
        before, after = self.baseline.figure(metric), found.candidate
        if where or before is None or after is None or before.value is None or after.value is None:
            return found
        delta = after.value - before.value if self.pairing.whole else None
        reason = "single items do not decide this metric, so there is neither test nor interval"
        paired = Paired(
            delta, None, None, None, "", after.n, 0, 0, 0, None,
            reason=reason if self.pairing.whole else f"{reason}, and the runs do not have the same items",
            baseline=before.value, candidate=after.value,
        )  # fmt: skip
        return replace(found, baseline=before, paired=paired)

    def _with_pairs(self, found: Evidence, measure: Measure, where: Where) -> Evidence:
        assert self.baseline is not None
        assert self.pairing is not None
        first, second = self.pairing.baseline_rows, self.pairing.candidate_rows
        rows = None
        if where:
            masks = mask(self.baseline.columns, where), mask(self.tagged, where)
            both = masks[0][first] & masks[1][second]
            first, second = first[both], second[both]
            rows = np.flatnonzero(masks[0])
        clusters = self._clusters
        paired = measure.paired(first, second, None if clusters is None else clusters[first])
        bounded = self.run.is_bounded(found.metric or self.run.primary)
        return replace(
            found,
            baseline=measure.figure(0, rows),
            paired=paired,
            reach=reach_of(measure),
            n_baseline_answered=int(answered(self.baseline.columns)[first].sum()),
            n_silent=n_silenced(measure, self.run.columns, (first, second), bounded=bounded),
        )

    @cached_property
    def _clusters(self) -> npt.NDArray[np.int64] | None:
        """A cluster number for each row of the baseline; None where items are independent."""
        assert self.baseline is not None
        assert self.pairing is not None
        return shared_clusters(self.baseline.columns, self.run.columns, self.pairing)

    def _noise(self, metric: str, where: Where) -> float | None:
        """Return the noise floor over these items that repeats of the baseline, or else of the run, have shown."""
        counts = [1 if run is None else len(run.members) for run in (self.baseline, self.run)]
        for run in (self.baseline, self.run):
            columns: object = None if run is None else run.columns
            scores = columns.each(metric) if isinstance(columns, RepeatedColumns) else None
            if scores is not None:
                assert run is not None
                inside = mask(run.columns, where)
                return noise_floor([values[inside] for values in scores], counts[0], counts[1])
        return None

    def _skipped(self, rule: SkippedRule) -> Evidence:
        skipped = _skipped(self.run.columns)
        obstacle = self.obstacle(self.run.primary)
        new = None
        if obstacle is None:
            assert self.baseline is not None
            assert self.pairing is not None
            before = _skipped(self.baseline.columns)[self.pairing.baseline_rows]
            new = int((skipped[self.pairing.candidate_rows] & ~before).sum())
        return Evidence(
            task=self.task,
            title=rule.title,
            obstacle=obstacle,
            n_answered=self.n_answered,
            n_baseline_answered=None if self.baseline is None else int(answered(self.baseline.columns).sum()),
            n_skipped=int(skipped.sum()),
            n_new_skipped=new,
            n_items=len(self.run.columns),
        )

    def _items(self, rule: ItemsRule) -> Evidence:
        places = pc.index_in(pa.array(rule.items, pa.large_string()), value_set=self.run.columns.ids()).to_pylist()
        passed = self.run.columns.passed()
        pairs = list(zip(rule.items, places, strict=True))
        return Evidence(
            task=self.task,
            title=rule.title,
            n_answered=self.n_answered,
            failing_items=tuple(name for name, place in pairs if place is not None and not passed[place]),
            absent_items=tuple(name for name, place in pairs if place is None),
        )


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key, value


def mask(columns: Tagged, where: Where) -> Mask:
    """Return which items hold all of the given tags."""
    found = np.ones(len(columns), np.bool_)
    for key, value in where:
        labels = columns.tag(key)
        code = -1 if value == UNTAGGED else labels.names.index(value) if value in labels.names else -2
        found &= labels.codes == code
    return found


def _skipped(columns: ItemColumns) -> Mask:
    return in_states(columns, SKIPPED)


def title(rule: MetricRule, metric: str, where: Where) -> str:
    """Return the name of one gate: the rule over one slice."""
    place = f" [{SEPARATOR.join(f'{key}={value}' for key, value in where)}]" if where else ""
    return f"{metric}{place} {rule.limit} {rule.value:g}"
