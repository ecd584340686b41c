"""Rows on disk by id: the first of each id, those that stand twice, those never asked for."""

from steelyard.items.joined import Shelf
from steelyard.reading.rows import Row


def shelf_of(*ids: str) -> Shelf:
    shelf = Shelf()
    for line, item_id in enumerate(ids, start=1):
        shelf.put(item_id, Row(line, {"id": item_id, "line": line}, None))
    return shelf


def test_the_first_row_of_an_id_is_taken():
    with shelf_of("a", "b", "a") as shelf:
        assert [shelf.take(item_id) for item_id in ("a", "c")] == [Row(1, {"id": "a", "line": 1}, None), None]


def test_ids_that_stand_again_are_told_with_both_lines():
    with shelf_of("a", "b", "a", "c", "a", "b") as shelf:
        assert list(shelf.duplicates()) == [("a", 1, 3), ("a", 1, 5), ("b", 2, 6)]


def test_what_was_never_asked_for_is_left_over_once():
    with shelf_of("a", "b", "x", "b", "x", "a") as shelf:
        shelf.take("a")
        assert list(shelf.left_over()) == [("b", 2), ("x", 3)]


def test_ids_with_one_hash_are_told_apart_by_the_id_on_disk(monkeypatch):
    monkeypatch.setattr("steelyard.items.joined.hash", lambda _: 7, raising=False)
    with shelf_of("a", "b", "c", "b") as shelf:
        assert shelf.take("b") == Row(2, {"id": "b", "line": 2}, None)
        assert shelf.take("d") is None
        assert list(shelf.duplicates()) == [("b", 2, 4)]
        assert list(shelf.left_over()) == [("a", 1), ("c", 3)]


def test_a_shelf_with_nothing_on_it_has_nothing_to_give():
    with Shelf() as shelf:
        assert (shelf.take("a"), list(shelf.duplicates()), list(shelf.left_over())) == (None, [], [])
