"""A block form enters where its scorer stands, built in or from a plugin."""

import json
import sys
from types import ModuleType

import numpy as np
import pytest

from steelyard.errors import ConfigurationError
from steelyard.judging.path import block_path
from steelyard.kinds.task import streaming
from steelyard.kinds.task.order import evaluate
from steelyard.records.answers import Text
from steelyard.records.blocks import ErrorTags
from steelyard.records.runs import ITEMS_FILE
from steelyard.records.scores import Score
from steelyard.registry import bind_scorer, block_form, scorer, scorers
from steelyard.registry.parameters import SCORERS
from steelyard.scoring.blocks import BlockScores
from steelyard.tasks.loading import EvaluateOptions

HELD = {
    "answer_correctness@v1": "tests/invariants/test_block_forms.py",
    "text@v1": "tests/invariants/test_block_forms.py",
    "text@v2": "tests/invariants/test_block_forms.py",
    "number@v1": "tests/invariants/test_number_blocks.py",
    "list@v1": "tests/invariants/test_list_blocks.py",
}
"""Scorers with a block form, and what holds it to the item form."""


def test_every_block_form_is_held_to_its_item_form():
    assert {definition.key for definition in scorers() if definition.block is not None} == set(HELD)


def test_every_block_form_is_there_for_its_scorer_as_it_is():
    assert all(block_form(bind_scorer(key)) is not None for key in HELD)


def test_parameters_that_no_loop_knows_have_no_block_form():
    assert block_form(bind_scorer("text", {"normalize": "strip_lower"})) is None
    assert block_form(bind_scorer("list", {"order_weight": 2.0})) is None
    assert block_form(bind_scorer("choice")) is None


def same_length(predicted: Text, expected: Text) -> Score:
    """1 where both texts have one length."""
    return Score(float(len(predicted.value) == len(expected.value)), explain="counted")


ASKED = []


def same_length_form(bound):
    """The same of many rows."""

    def judge(pair):
        ASKED.append(len(pair))
        same = [float(len(found) == len(wanted)) for found, wanted in zip(pair.predicted, pair.expected, strict=True)]
        primary, none = np.array(same), ErrorTags([()], np.zeros(len(pair), np.int32))
        return BlockScores(primary, primary >= bound.pass_threshold, {}, none, ["counted"] * len(pair))

    return judge


@pytest.fixture
def plugin(monkeypatch):
    """A scorer of somebody else's module, with its block form."""
    monkeypatch.setattr("steelyard.registry.decorators.SCORERS", given := dict(SCORERS))
    scorer("same_length", version=1, block="somebodys.blocks:same_length_form")(same_length)
    monkeypatch.setitem(SCORERS, ("same_length", 1), given["same_length", 1])
    module = ModuleType("somebodys.blocks")
    module.same_length_form = same_length_form
    monkeypatch.setitem(sys.modules, "somebodys", ModuleType("somebodys"))
    monkeypatch.setitem(sys.modules, "somebodys.blocks", module)
    return module


def test_a_plugin_s_block_form_judges_what_its_scorer_judges(plugin, tmp_path, monkeypatch):
    rows = [{"id": f"i{n}", "reference": "é" * (n % 3 + 1), "prediction": "ab"} for n in range(30)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    task = {"task": "t", "answer_type": "text", "scorers": ["same_length"]}
    ASKED.clear()

    def items(name, smallest):
        monkeypatch.setattr(streaming, "block_path", lambda *given: block_path(*given, smallest=smallest))
        given = {"dataset": str(tmp_path / "rows.jsonl"), "runs_dir": tmp_path / "runs"}
        return (evaluate(EvaluateOptions(task=task, name=name, **given)).path / ITEMS_FILE).read_bytes()

    by_items = items("items", 1 << 40)
    assert not ASKED
    assert items("blocks", 0) == by_items
    assert ASKED == [30]


def test_a_block_form_that_is_not_there_is_the_plugin_s_fault(plugin):
    del plugin.same_length_form
    with pytest.raises(ConfigurationError, match="block form of same_length@v1") as caught:
        block_form(bind_scorer("same_length"))
    assert caught.value.as_dict()["problems"][0]["code"] == "bad-plugin"


def test_a_block_form_is_named_by_its_module_and_function():
    with pytest.raises(TypeError, match="expected `module:name`"):
        scorer("same_length", version=1, block="somewhere")
