"""Predictions beside their items: in order, out of order, twice, missing, unknown; always what a dict would give."""

import json
import random

import pytest

from steelyard.errors import MachineError, Problems
from steelyard.items.joined import join_predictions
from steelyard.reading.rows import Row


def prediction(item_id: str, line: int, *, raw: bool = True) -> tuple[str, Row]:
    fields = {"id": item_id, "output": f"answer {line}"}
    return item_id, Row(line, fields, json.dumps(fields).encode() if raw else None)


def join(items: list[str], ids: list[str]):
    problems = Problems()
    rows = [prediction(item_id, line, raw=line % 2 == 0) for line, item_id in enumerate(ids, start=1)]
    joined = join_predictions([(item, item) for item in items], iter(rows), problems=problems, file="out.jsonl")
    pairs = [(item, None if row is None else row.line) for item, row in joined]
    return pairs, joined, problems


def test_predictions_in_the_order_of_the_dataset_are_paired_side_by_side():
    pairs, joined, problems = join(["a", "b"], ["a", "b"])
    assert (pairs, joined.unknown_total, problems.total) == ([("a", 1), ("b", 2)], 0, 0)


def test_an_item_without_a_prediction_has_none():
    assert join(["a", "b", "c"], ["a", "c"])[0] == [("a", 1), ("b", None), ("c", 2)]
    assert join(["a", "b"], ["a"])[0] == [("a", 1), ("b", None)]


def test_unknown_ids_are_counted_and_the_first_twenty_listed():
    _, joined, problems = join(["a"], ["a", *(f"x{number}" for number in range(30))])
    assert (joined.unknown_total, len(joined.unknown), joined.unknown[0], problems.total) == (30, 20, ("x0", 2), 0)


def test_an_id_that_stands_twice_is_a_problem_with_both_lines():
    for ids in (["a", "b", "a"], ["b", "a", "a"], ["x", "x", "a", "b"]):
        _, _, problems = join(["a", "b"], ids)
        twice = next(item_id for item_id in ids if ids.count(item_id) == 2)
        lines = [line for line, item_id in enumerate(ids, start=1) if item_id == twice]
        assert [(problem.code, problem.line, problem.item_id) for problem in problems.listed] == [
            ("duplicate-id", lines[1], twice)
        ]
        assert f"on lines {lines[0]} and {lines[1]}" in problems.listed[0].message


def test_any_order_gives_what_a_dictionary_gives():
    chance = random.Random(11)
    for _ in range(200):
        items = [f"i{number}" for number in range(chance.randrange(1, 12))]
        ids = chance.sample([*items, "x", "y", "\ud800"], chance.randrange(1, len(items) + 3))
        line_of = {item_id: line for line, item_id in enumerate(ids, start=1)}
        pairs, joined, problems = join(items, ids)
        assert pairs == [(item, line_of.get(item)) for item in items]
        assert sorted(joined.unknown) == sorted((i, line) for i, line in line_of.items() if i not in items)
        assert not problems


def test_rows_come_back_as_they_were_put_away():
    fields = {"id": "b", "n": 2**70, "text": "\ud800 \u2028 é"}
    rows = [("b", Row(1, fields, None)), ("a", Row(2, {"id": "a"}, b'{"id": "a"}'))]
    joined = join_predictions([("a", 1), ("b", 2)], iter(rows), problems=Problems(), file="out.jsonl")
    assert [row for _, row in joined] == [rows[1][1], rows[0][1]]


def test_a_full_temporary_folder_is_the_machines_fault(monkeypatch):
    class Full:
        def write(self, data):
            raise OSError(28, "No space left on device")

        def close(self):
            return None

    monkeypatch.setattr("steelyard.items.joined.tempfile.TemporaryFile", lambda **_: Full())
    with pytest.raises(MachineError, match="No space left"):
        join(["a", "b"], ["b", "a"])
