"""Lists as blocks: every figure, tag and sentence is the item form's, whatever the items are."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.records.answers import ListAnswer
from steelyard.registry import bind_scorer
from steelyard.scoring import list_blocks
from steelyard.scoring.list_blocks import ListBlocks, list_block_fits
from tests.invariants.test_block_forms import assert_same_bytes, both_ways  # noqa: F401 - a fixture

ROOT = Path(__file__).resolve().parents[2]
ITEMS = st.lists(
    st.sampled_from(["ai", "AI ", "Ａi", "tax", "tax  cut", "", " ", "\n", "'", "\ud800", "ß", "SS", "a" * 90])
    | st.text(max_size=3),
    max_size=7,
)
ANSWERS = st.builds(ListAnswer, ITEMS.map(tuple), st.booleans(), st.booleans())
TASK = {
    "task": "lists",
    "answer_type": "list",
    "metrics": ["exact_match"],
    "eval": {"format_rules": [{"name": "bracket", "pattern": r"^\["}], "slice_by_tags": ["source"], "hard_examples": 5},
}


def assert_equal_rows(scorer, predicted, expected):
    block = ListBlocks(scorer).judge(predicted, expected)
    for row, (items, reference) in enumerate(zip(predicted, expected, strict=True)):
        card = scorer(ListAnswer(tuple(items)), reference)
        parts = {name: values[row].item() for name, values in block.sub_scores.items()}
        assert {name: None if np.isnan(value) else value for name, value in parts.items()} == dict(card.sub_scores)
        assert (block.primary[row], block.passed[row]) == (card.primary_score, card.passed)
        assert (block.error_tags[row], block.explain[row]) == (card.error_tags, card.explain)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(ITEMS, ANSWERS), min_size=1, max_size=12),
    st.sampled_from([{}, {"order_weight": 0.5}, {"normalize": "none"}, {"normalize": "squad"}]),
)
def test_the_block_form_of_lists_equals_the_item_form(rows, parameters):
    assert_equal_rows(bind_scorer("list@v1", parameters), *zip(*rows, strict=True))


@pytest.mark.parametrize("unique", [True, False])
def test_items_that_stand_in_both_lists_in_every_way_equal_the_item_form(unique):
    lists = [[], ["a"], ["a", "a"], ["a", "b"], ["b", "a", "b"], ["A", "a"], ["c"], ["a", "b", "c", "d", "e"]]
    pairs = [(found, ListAnswer(tuple(wanted), unique=unique)) for found in lists for wanted in lists]
    assert_equal_rows(bind_scorer("list@v1"), *zip(*pairs, strict=True))


def test_the_conformance_table_holds_in_the_block_form():
    lines = (ROOT / "tests/conformance/list@v1.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        scorer = bind_scorer("list@v1", row.get("parameters") or {})
        expected = ListAnswer(
            tuple(row["expected"]["items"]), row["expected"].get("ordered", False), row["expected"].get("unique", True)
        )
        block = ListBlocks(scorer).judge([row["predicted"]["items"]], [expected])
        parts = {name: None if np.isnan(values[0]) else values[0] for name, values in block.sub_scores.items()}
        assert parts == row["sub_scores"]
        assert (block.primary[0], list(block.error_tags[0])) == (row["primary"], row["error_tags"])


def test_forgotten_items_are_normalised_again(monkeypatch):
    monkeypatch.setattr(list_blocks, "_KEPT_ITEMS", 3)
    lists = [[f"Item {number % 11}", f"item {number % 7}"] for number in range(40)]
    expected = [ListAnswer(tuple(items)) for items in reversed(lists)]
    blocks = ListBlocks(bind_scorer("list@v1"))
    first, second = blocks.judge(lists, expected), blocks.judge(lists, expected)
    assert (first.explain, first.primary.tolist()) == (second.explain, second.primary.tolist())


def test_a_weight_that_is_refused_takes_the_item_form():
    assert not list_block_fits(bind_scorer("list@v1", {"order_weight": 2.0}))


WORDS = [
    "ai",
    "AI",
    "tax",
    "naïve",
    "营收",
    "",
    " ",
    ",",
    '","',
    "x<y",
    "<think>",
    "\\",
    "\x7f",
    "\n",
    "a b",
    "\ud800",
    "[",
    "ß",
]


def made_rows(seed, count=250):
    """Lists as JSON and as text, in several shapes, with rows that no column can judge."""
    chance = random.Random(seed)

    def items():
        return chance.choices(WORDS, k=chance.randint(0, 5))

    for number in range(count):
        row = {"id": f"l{number}", "input": f"q{number}\té", "prediction": items(), "reference": items()}
        row["tags"] = {"source": chance.choice(["human", "web"])}
        match number % 9:
            case 1:
                row["prediction"] = chance.choice(
                    ["ai, tax", "- ai\n- tax", '["ai", 5]', "", " ", "<think>ai</think> tax", "营收、利润"]
                )
            case 2:
                row["reference"] = chance.choice(["ai, tax", '["ai"]', "tax; ai"])
            case 3:
                row["reference"] = {"items": items(), "ordered": True, "unique": chance.random() < 0.5}
            case 4:
                row["prediction"] = chance.choice([None, 5, ["ai", 5], {"items": ["ai"]}, [["ai"]], True])
            case 5:
                row["pred_more"] = items()
            case 6:
                del row["prediction"]
        yield row


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spaced", [True, False])
def test_files_of_lists_leave_the_same_bytes(both_ways, seed, spaced):  # noqa: F811
    separators = (", ", ": ") if spaced else (",", ":")
    lines = [
        json.dumps(row, ensure_ascii="\\ud800" in json.dumps(row), separators=separators).encode() + b"\n"
        for row in made_rows(seed)
    ]
    assert_same_bytes(*both_ways(lines, TASK))


def test_white_space_inside_lists_does_not_matter(both_ways):  # noqa: F811
    spelled = ["[]", "[ ]", '["a"]', '[ "a" ,\t"b"]', '["a","b" ]', '[" a", "b,"]', '["\u4e2d", ","]', '[",",","]']
    lines = [
        f'{{"id":"{number}-{place}","prediction":{text},"reference":{other},"tags":{{"source":"web"}}}}\n'.encode()
        for number, text in enumerate(spelled)
        for place, other in enumerate(spelled)
    ]
    assert_same_bytes(*both_ways(lines, TASK))
