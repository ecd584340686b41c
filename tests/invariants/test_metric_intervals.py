"""What holds for the interval of every registered metric and scorer, over one run and over two, on hostile data.

A value lies in its own interval; an interval has width, or none and a reason; the method follows from what a metric is
and from how many units there are, never from the values; clusters change it; exchanging two runs changes signs only.
Whoever registers a metric puts it into a group here, else a test fails.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from steelyard.aggregate.report import Report
from steelyard.comparison.corpus import CorpusMeasure
from steelyard.comparison.means import MeanMeasure
from steelyard.comparison.measures import measure
from steelyard.judging.corpus import corpus_figures, count_columns
from steelyard.records.answers import Instruction, Text
from steelyard.records.blocks import Labels
from steelyard.records.columns import WEIGHT
from steelyard.records.runs import RepeatOutcomes
from steelyard.registry import bind_metric, metrics, scorers, value_kind
from steelyard.research.measures import RATIOS
from steelyard.research.measures import measure as measured_ratio
from tests.made_blocks import plan, scored_block

METRICS = {definition.name: definition for definition in metrics() if definition.module.startswith("steelyard.")}
OWN = [definition for definition in scorers() if definition.module.startswith("steelyard.")]
NAMED_BY_SCORERS = {definition.name for definition in OWN} | {part for entry in OWN for part in entry.sub_scores}

BY_CLASS = {"precision_per_class", "recall_per_class", "f1_per_class", "support", "confusion_matrix"}
"""No single number, so no interval."""
MATRIX = {"accuracy", "macro_f1", "weighted_f1"}
CORPUS = {"bleu", "chrf"}
INSTRUCTED = {"instruction_accuracy", "instruction_accuracy_loose"}
LOSSES = {"eval_loss", "perplexity"}
REPEATS = {"pass_at_k", "majority"}
RESEARCH = {ratio.name for ratio in RATIOS}
ITEMS = {
    "exact_match", "f1", "rouge1", "rouge2", "rougeL", "rougeLsum", "gold_set_accuracy", "logic_recall",
    "logic_precision", "logic_f1", "operation_order", "program_equivalence", "operand_accuracy", "operations_per_turn",
    "format_compliance",
}  # fmt: skip

MEANS = sorted(ITEMS | NAMED_BY_SCORERS)
OTHERS = sorted(MATRIX | CORPUS | INSTRUCTED | LOSSES | REPEATS | RESEARCH)
SIZES = (2, 3, 19, 24)
"""On both sides of the number of units from which a studentised bootstrap is used."""


def hostile(kind, n):
    """Return columns of n values that a kind of number can have, each with a trap of its own."""
    generator, last = np.random.default_rng(n), np.arange(n) == n - 1
    rates = [np.zeros(n), np.ones(n), 1.0 - last, 1.0 * last, np.arange(n) % 2.0]
    if kind == "rate":
        return rates
    inside = [*rates, np.full(n, 0.5), np.where(last, 1e-300, 0.0), np.where(last, np.nextafter(1, 0), 1.0)]
    inside += [generator.random(n), np.where(generator.random(n) < 0.95, 1.0, generator.random(n))]
    if kind in ("bounded", "percent"):
        return [values * (100 if kind == "percent" else 1) for values in inside]
    amounts = [*inside, np.full(n, 1e6), np.where(last, 1e12, 1.0), generator.lognormal(0, 2, n), np.full(n, 1e-12)]
    return amounts if kind == "amount" else [*amounts, -generator.lognormal(0, 2, n), generator.normal(0, 1, n)]


def labels(n):
    """Return (truth, guesses) over few and many classes: all right, all wrong, no answer, one label for all."""
    generator = np.random.default_rng(n)
    truth = [f"c{row % max(2, n // 2)}" for row in range(n)]
    mixed = [name if generator.random() < 0.7 else "c0" for name in truth]
    one = ["c0"] * n
    return [(truth, truth), (truth, ["other"] * n), (truth, [None] * n), (one, one), (truth, mixed), (truth, one)]


def texts(n):
    """Return (predictions, references): equal, nothing in common, empty, all the same, one that differs."""
    wanted = [f"word{row} of the long sentence number {row}" for row in range(n)]
    cut = [text if row else "no" for row, text in enumerate(wanted)]
    return [(wanted, wanted), (["x"] * n, wanted), ([""] * n, wanted), ([wanted[0]] * n, wanted), (cut, wanted)]


INSTRUCTIONS = (Instruction("punctuation:no_comma"), Instruction("startend:quotation"))


def counted(name, n):
    """Return the whole numbers of items for a corpus metric."""
    for predictions, references in texts(n):
        wanted = [Text(text, instructions=INSTRUCTIONS if name in INSTRUCTED else ()) for text in references]
        yield count_columns([bind_metric(name)], list(zip(predictions, wanted, strict=True)))[name]


def losses(n):
    generator = np.random.default_rng(n)
    tokens = generator.integers(1, 50, n).astype(float)
    return [(values, tokens) for values in hostile("amount", n) if values.max() < 100]


def blocks_of(name, n):
    """Yield what judged blocks hold for a metric."""
    if name in MATRIX:
        yield from ({"classes": pair} for pair in labels(n))
    elif name in CORPUS | INSTRUCTED:
        yield from ({"counts": {name: counts}} for counts in counted(name, n))
    elif name in LOSSES:
        yield from ({"details": {"loss": values, "n_tokens": tokens}} for values, tokens in losses(n))
    else:
        yield from ({"scores": {name: values}} for values in hostile(value_kind(name), n))


def plan_for(name, clustered):
    given = {"rounds": 50, "clustered": clustered, "directions": {name: "higher"}}
    if name in MATRIX:
        return plan(classification=(name,), **given)
    if name in CORPUS | INSTRUCTED:
        return plan(corpus=corpus_figures([bind_metric(name)]), **given)
    return plan(losses=True, **given) if name in LOSSES else plan(metrics=(name,), **given)


def one_run(name, n, clusters):
    """Return the details of a metric over one run, for every hostile block."""
    if name in RESEARCH:
        ratio = next(ratio for ratio in RATIOS if ratio.name == name)
        size = 1 if clusters is None else 4
        units = [[{ratio.numerator: int(v) * size, ratio.denominator: size} for v in vs] for vs in hostile("rate", n)]
        return [measured_ratio(ratio, unit).facts() for unit in units]
    found = []
    for columns in blocks_of(name, n):
        report = Report(plan_for(name, clusters is not None))
        primary = np.random.default_rng(n).integers(0, 2, n)
        report.update(scored_block(primary, clusters=clusters, **columns))
        found.append(report.results()["metric_details"][name])
    return found


def grouped(n):
    """Return clusters of up to three items."""
    return [f"talk-{row // 3}" for row in range(n)]


def holds(found):
    low, value, high = found["ci_low"], found["value"], found["ci_high"]
    if low is None or high is None:
        return low is None and high is None and bool(found.get("ci_reason") or found.get("reason"))
    return low <= value <= high and low < high


def test_every_metric_is_in_exactly_one_group():
    groups = [BY_CLASS, MATRIX, CORPUS, INSTRUCTED, LOSSES, REPEATS, RESEARCH, ITEMS]
    assert sorted(name for group in groups for name in group) == sorted(METRICS)


def test_every_scorer_and_every_part_says_what_values_it_can_have():
    assert {value_kind(name) for name in NAMED_BY_SCORERS} <= {"rate", "bounded", "percent", "amount", "unbounded"}


@pytest.mark.parametrize("name", [*MEANS, *(name for name in OTHERS if name not in REPEATS)])
@pytest.mark.parametrize("clustered", [False, True])
def test_a_value_lies_in_its_interval_which_has_width_or_says_why_not(name, clustered):
    for n in SIZES:
        for found in one_run(name, n, grouped(n) if clustered else None):
            assert holds(found), (n, found)


@pytest.mark.parametrize("name", [*MEANS, *(name for name in OTHERS if name not in REPEATS)])
def test_the_method_follows_from_the_kind_and_the_number_of_units_and_clusters_change_it(name):
    for n in SIZES:
        alone, together = ({found["method"] for found in one_run(name, n, c)} for c in (None, grouped(n)))
        assert len(alone) == len(together) == 1, (n, alone, together)
        # Instructions and ratios of counts have their items for clusters already.
        assert alone != together or name in INSTRUCTED


@pytest.mark.parametrize("name", MEANS)
def test_values_that_are_seen_never_make_a_mean_between_bounds_certain(name):
    if value_kind(name) not in ("rate", "bounded"):
        return
    for values in (np.zeros(24), np.ones(24)):
        report = Report(plan_for(name, clustered=False))
        report.update(scored_block(values, scores={name: values}))
        found = report.results()["metric_details"][name]
        # An event that none of 24 items shows can be as frequent as 14.2 %, by Wilson 13.8 % (z² / (n + z²)).
        assert found["ci_high"] - found["ci_low"] > 0.137


@dataclass
class Columns:
    """As much of a run's items as a measure asks for."""

    numbers: dict[str, Any] = field(default_factory=dict)
    pair: Any = None
    tokens: Any = None
    repeats = 1

    def number(self, name):
        return self.numbers.get(name)

    def classes(self):
        return self.pair

    def losses(self):
        return self.tokens


def pairs_of(name, n):
    """Yield a measure of a metric over every two hostile runs, and over the same two exchanged."""
    for first, second in ((a, b) for sides in [list(sides_of(name, n))] for a in sides for b in sides):
        yield between(name, first, second), between(name, second, first)


def sides_of(name, n):
    if name in MATRIX:
        return ((Labels.of(truth), Labels.of(guess)) for truth, guess in labels(n)[:3] + labels(n)[4:])
    if name in CORPUS | INSTRUCTED:
        return counted(name, n)
    if name in LOSSES:
        return losses(n)[:8]
    if name in REPEATS:
        return (outcomes(values) for values in hostile("rate", n))
    kind = value_kind(name)
    return hostile(kind, n) if kind != "unbounded" else hostile(kind, n)[8:]


def outcomes(values):
    passed = np.stack([values > 0, np.roll(values, 1) > 0, values > 0], axis=1)
    return RepeatOutcomes(passed, passed * 1.0, passed.astype(np.int64))


def between(name, first, second):
    if name in MATRIX:
        return measure(name, "higher", Columns(pair=first), Columns(pair=second))
    if name in CORPUS | INSTRUCTED:
        return CorpusMeasure(first, second, corpus_figures([bind_metric(name)])[name].figure)
    if name in LOSSES:
        return measure(name, "lower", Columns(tokens=first), Columns(tokens=second))
    if name in REPEATS:
        function = METRICS[name].function
        return MeanMeasure(function(first), function(second), kind="bounded", rounds=200)
    weight = {name + WEIGHT: np.full(len(first), 3.0)} if name in RESEARCH else {}
    return measure(name, "higher", Columns({name: first} | weight), Columns({name: second} | weight))


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch):
    for room in ("means", "labels", "corpus"):
        monkeypatch.setattr(f"steelyard.comparison.{room}.ROUNDS", 100)
    monkeypatch.setattr(MeanMeasure, "__init__", _with_rounds(MeanMeasure.__init__))


def _with_rounds(initialise):
    return lambda self, *given, **named: initialise(self, *given, **(named | {"rounds": 100}))


PAIRED = [*MEANS, *OTHERS]


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize("clustered", [False, True])
def test_a_difference_lies_in_its_interval_and_exchanging_the_runs_changes_signs_only(name, clustered):
    for n in (2, 24):
        rows, clusters = np.arange(n), np.arange(n) // 3 if clustered else None
        for forward, backward in pairs_of(name, n):
            one, other = (entry.paired(rows, rows, clusters) for entry in (forward, backward))
            assert (one.p_value, one.test, one.method) == (other.p_value, other.test, other.method)
            assert (one.improved, one.regressed) == (other.regressed, other.improved)
            assert one.units == (n if clusters is None else len(set(clusters.tolist())))
            if one.ci_low is None:
                assert one.reason, (n, one)
                continue
            assert one.ci_low <= one.delta <= one.ci_high, (n, one)
            assert one.ci_low < one.ci_high, (n, one)
            assert (one.delta, one.ci_low, one.ci_high) == (-other.delta, -other.ci_high, -other.ci_low)


@pytest.mark.parametrize("name", PAIRED)
def test_the_paired_method_and_test_follow_from_the_kind_and_clusters_change_them(name):
    for n in (19, 24):
        rows = np.arange(n)
        ways = []
        for clusters in (None, rows // 3):
            found = [forward.paired(rows, rows, clusters) for forward, _ in pairs_of(name, n)]
            ways.append({(entry.method.removesuffix("-log-scale"), entry.test) for entry in found})
        assert len(ways[0]) == len(ways[1]) == 1, (n, ways)
        assert ways[0] != ways[1]
