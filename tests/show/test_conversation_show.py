"""Conversations shown: terminal, HTML, plots."""

import io
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.image import imread

from steelyard.conversations.dataset import read_conversation
from steelyard.conversations.judging import judge
from steelyard.conversations.statistics import Statistics
from steelyard.conversations.traces import read_turn
from steelyard.records.runs import RunRecord
from steelyard.show.conversation_html import conversations
from steelyard.show.conversation_plots import conversation_plots
from steelyard.show.conversation_text import conversation_text
from tests.conversation_rows import compute, extract, row, turn

HOSTILE = "<script>alert(1)</script>\x1b[31m"
TURNS = [
    turn(0, "1500", extract(1500)),
    turn(1, "12", extract(12)),
    turn(2, "300", compute("subtract", 1500, 1200)),
    turn(3, "7", compute("subtract", 1500, 1200), compute("divide", "s9", 1200, step_id="s10")),
]


@pytest.fixture(scope="module")
def found():
    rows = [row(f"c{number}") for number in range(3)]
    rows[0]["features"] = {**rows[0]["features"], HOSTILE: HOSTILE}
    statistics = Statistics()
    statistics.add(judge([read_conversation(given) for given in rows], [[read_turn(entry) for entry in TURNS]] * 3))
    return statistics.content()


def test_the_report_has_every_part_with_n_and_intervals(found):
    page = conversations({"conversations": found})
    for part in ("Diagnosis", "Accuracy by turn", "Accuracy by operations", "Error propagation", "Accuracy by feature"):
        assert f"<h2>{part}</h2>" in page
    assert "n=12" in page
    assert "3 of 12 turns (25.0 %) have the right digits in another scale" in page
    assert "null (no conversation succeeded)" in page


def test_hostile_features_are_escaped(found):
    page = conversations({"conversations": found})
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page


def test_a_run_of_another_kind_has_no_section():
    assert conversations({"metrics": {}}) == ""


def test_plots_are_pictures_with_their_labels(found):
    plots = dict(conversation_plots(found))
    names = {"accuracy_by_turn", "accuracy_by_operations", "accuracy_by_program_operations"}
    assert set(plots) == {f"{name}.{kind}" for name in names for kind in ("png", "svg")}
    picture = imread(io.BytesIO(plots["accuracy_by_turn.png"]), format="png")
    assert picture.shape[:2] == (504, 900)
    texts = [node.text.strip() for node in ElementTree.fromstring(plots["accuracy_by_turn.svg"]).iter() if node.text]
    assert "Numerical accuracy by turn" in texts
    assert "n=3" in texts
    assert "average operations" in texts


def test_the_same_numbers_give_the_same_bytes_without_a_date(found):
    first, second = dict(conversation_plots(found)), dict(conversation_plots(found))
    assert first == second
    assert not any(re.search(rb"date>|Software|20\d\d-\d\d-\d\d", content) for content in first.values())


def test_a_plot_of_nothing_is_left_out(found):
    blank = {**found, "accuracy_by_operations": {"0": None}}
    assert not any(name.startswith("accuracy_by_operations.") for name, _ in conversation_plots(blank))


def test_the_terminal_says_what_was_found(found):
    run = RunRecord("id", "a", "completed", "", "conversations", "0")
    results = {"conversations": found, "predictions": {"unknown_ids": 2}}
    text = conversation_text(Path("runs/a"), run, results, [(HOSTILE, 1)])
    assert text.startswith("conversations: 3 conversations, 12 turns\n")
    assert "numerical_accuracy            0.5000" in text
    assert "cost per correct answer (conversation): null (no conversation succeeded)" in text
    assert "2 turns of the traces are not in the dataset" in text
    assert "\x1b" not in text
    assert text.endswith("run: runs/a")
