"""What holds for every registered metric: bounds, order, merging, slices, and what a wrong answer may do.

A metric that is in no group fails: whoever adds one says here what it is computed from.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.aggregate.report import Report
from steelyard.judging.corpus import corpus_figures, count_columns
from steelyard.records.answers import Instruction, Text
from steelyard.records.plans import FORMAT_COMPLIANCE, Rule
from steelyard.registry import bind_metric, metrics
from steelyard.scoring.rules import FormatRules
from tests.made_blocks import plan, scored_block

METRICS = {definition.name: definition for definition in metrics() if definition.module.startswith("steelyard.")}

TEXT = {"exact_match", "f1", "rouge1", "rouge2", "rougeL", "rougeLsum", "gold_set_accuracy"}
PROGRAM = {
    "logic_recall", "logic_precision", "logic_f1", "operation_order", "program_equivalence", "operand_accuracy",
    "operations_per_turn",
}  # fmt: skip
CORPUS = {"bleu", "chrf"}
INSTRUCTED = {"instruction_accuracy", "instruction_accuracy_loose"}
CLASSES = {
    "accuracy", "macro_f1", "weighted_f1", "precision_per_class", "recall_per_class", "f1_per_class", "support",
    "confusion_matrix",
}  # fmt: skip
LOSSES = {"eval_loss", "perplexity"}
RULES = {FORMAT_COMPLIANCE}
ELSEWHERE = {name for name, definition in METRICS.items() if definition.kind == "research"}
"""Computed from whole artifacts; `test_research.py` holds them to invariants of their own."""
REPEATS = {"pass_at_k", "majority"}
"""Computed from several runs; `test_metric_intervals.py` holds them to its invariants."""

HERE = sorted(TEXT | PROGRAM | CORPUS | INSTRUCTED | CLASSES | LOSSES | RULES)
NEVER_RAISED = sorted(
    (TEXT | PROGRAM | CORPUS | INSTRUCTED | RULES | {"accuracy", "macro_f1"}) - {"operations_per_turn"}
)
"""Not the weighted F1: an unanswered item also moves weight to its class, so it can rise."""

WORDS = st.sampled_from(["the", "cat", "sat", "on", "mat.", "营收", "Ünï", "3,000", "\n"])
PROSE = st.one_of(st.lists(WORDS, max_size=8).map(" ".join), st.text(max_size=12))
CALLS = st.sampled_from(["add(1, 2)", "subtract(5, #0)", "divide(#0, 4)", "multiply(2, 3)", "junk("])
PROGRAMS = st.lists(CALLS, min_size=1, max_size=4).map(", ".join)
LABELS = st.sampled_from(["a", "b", "c"])
ASKED = st.sampled_from(["punctuation:no_comma", "startend:quotation", "detectable_format:title"]).map(Instruction)
REFERENCES = st.lists(ASKED, min_size=1, max_size=3).map(lambda asked: Text("x", instructions=tuple(asked)))
CHECKED = FormatRules([Rule("period", pattern=r"\.$"), Rule("short", max_tokens=4)])


def row(text, reference):
    loss = st.one_of(st.none(), st.floats(0, 20))
    return st.tuples(text, reference, st.sampled_from(["x", "y", None]), loss, st.integers(1, 50))


def rows_for(name):
    if name in PROGRAM:
        return st.lists(row(PROGRAMS, PROGRAMS), min_size=1, max_size=10)
    if name in CLASSES:
        return st.lists(row(LABELS, LABELS), min_size=1, max_size=10)
    if name in INSTRUCTED:
        return st.lists(row(PROSE, REFERENCES), min_size=1, max_size=10)
    return st.lists(row(PROSE, PROSE.filter(str.strip)), min_size=1, max_size=10)


def columns_of(name, rows):
    """Return what a judged block holds for a metric; a prediction of None is an item without an answer."""
    definition, pairs = METRICS[name], [entry[:2] for entry in rows]
    if name in CLASSES:
        return {"classes": ([true for _, true in pairs], [guess for guess, _ in pairs])}
    if name in CORPUS | INSTRUCTED:
        return {"counts": count_columns([bind_metric(name)], [(text, as_answer(true)) for text, true in pairs])}
    if name in LOSSES:
        return {"details": {"loss": [entry[3] for entry in rows], "n_tokens": [entry[4] for entry in rows]}}
    if name in RULES:
        return {"scores": {name: np.array([CHECKED.check(text)[0][name] for text, _ in pairs])}}
    values = [0.0 if text is None else definition.function(text, true) for text, true in pairs]
    return {"scores": {name: np.array([math.nan if value is None else value for value in values])}}


def as_answer(reference):
    return Text(reference) if isinstance(reference, str) else reference


def plan_for(name, **given):
    definition = METRICS[name]
    if name in CLASSES:
        given["classification"] = (name,)
    elif name in CORPUS | INSTRUCTED:
        given["corpus"] = corpus_figures([bind_metric(name)])
    elif name in LOSSES:
        given["losses"] = True
    else:
        given["metrics"] = (name,)
    return plan(directions={name: definition.direction}, rounds=20, slice_by=(("tag",),), **given)


def report_of(name, rows, start=0):
    report = Report(plan_for(name))
    block = scored_block(
        np.zeros(len(rows)), start=start, tags={"tag": [entry[2] for entry in rows]}, **columns_of(name, rows)
    )
    report.update(block)
    return report


def value_of(name, rows):
    return report_of(name, rows).results()["metrics"].get(name)


def test_every_metric_is_in_exactly_one_group():
    groups = [TEXT, PROGRAM, CORPUS, INSTRUCTED, CLASSES, LOSSES, RULES, REPEATS, ELSEWHERE]
    assert sorted(name for group in groups for name in group) == sorted(METRICS)


@pytest.mark.parametrize("name", sorted(METRICS))
def test_every_metric_says_its_direction_and_what_it_is(name):
    definition = METRICS[name]
    assert definition.summary
    assert definition.direction in ("higher", "lower", None)


def numbers_in(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for entry in value for number in numbers_in(entry)]
    return [] if value is None else [value]


@pytest.mark.parametrize("name", HERE)
@settings(max_examples=10, deadline=None)
@given(st.data())
def test_values_are_finite_and_within_their_bounds(name, data):
    found = numbers_in(value_of(name, data.draw(rows_for(name))))
    assert all(math.isfinite(number) for number in found)
    if METRICS[name].bounded:
        assert all(0 <= number <= 1 for number in found)
    if name in CORPUS:
        assert all(0 <= number <= 100 + 1e-9 for number in found)


@pytest.mark.parametrize("name", HERE)
@settings(max_examples=5, deadline=None)
@given(st.data())
def test_the_order_of_rows_does_not_matter(name, data):
    rows = data.draw(rows_for(name))
    assert value_of(name, rows) == value_of(name, data.draw(st.permutations(rows)))


@pytest.mark.parametrize("name", HERE)
@settings(max_examples=5, deadline=None)
@given(st.data())
def test_merged_parts_equal_the_whole(name, data):
    rows = data.draw(rows_for(name))
    cut = data.draw(st.integers(0, len(rows) - 1))
    whole, last = report_of(name, rows), report_of(name, rows[cut:], start=cut)
    if cut:
        last.merge(report_of(name, rows[:cut]))
    assert last.results() == whole.results()


@pytest.mark.parametrize("name", HERE)
@settings(max_examples=5, deadline=None)
@given(st.data())
def test_slices_add_up_to_all_items(name, data):
    rows = data.draw(rows_for(name))
    results = report_of(name, rows).results()
    slices = results["slices"]["tag"].values()
    assert sum(entry["n"] for entry in slices) == len(rows)
    if name in TEXT | PROGRAM | RULES and results["metrics"][name] is not None:
        parts = [(entry["intervals"][name]["n"], entry[name]) for entry in slices if entry[name] is not None]
        total = results["metric_details"][name]["n"] * results["metrics"][name]
        assert math.fsum(n * value for n, value in parts) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("name", NEVER_RAISED)
@settings(max_examples=10, deadline=None)
@given(st.data())
def test_an_item_without_an_answer_never_raises_a_metric(name, data):
    rows = data.draw(rows_for(name))
    reference = data.draw(st.sampled_from([entry[1] for entry in rows]))
    before, after = value_of(name, rows), value_of(name, [*rows, (None, reference, None, None, 1)])
    assert before is None or after <= before + 1e-12


@pytest.mark.parametrize("name", sorted((TEXT | CLASSES) - {"support", "confusion_matrix"}))
@settings(max_examples=5, deadline=None)
@given(st.data())
def test_right_answers_have_the_best_value(name, data):
    rows = data.draw(rows_for(name))
    same = [(entry[1], *entry[1:]) for entry in rows]
    if name.startswith("rouge"):
        # rouge-score keeps only letters and digits; a text without any shares nothing with itself.
        same = [entry for entry in same if METRICS["rouge2"].function(entry[0], entry[1]) > 0]
    found = numbers_in(value_of(name, same)) if same else [1.0]
    assert found == pytest.approx([1.0] * len(found))
