"""The ledger of ids: says that one stands twice and where, and reads a file again only when it must."""

import pytest

from steelyard.errors import Problems
from steelyard.reading.ids import IdLedger


def ledger_of(ids: list[str]) -> IdLedger:
    ledger = IdLedger()
    for item_id in ids:
        ledger.add(item_id)
    return ledger


def test_ids_that_differ_need_no_second_reading():
    ledger = ledger_of(["a", "b", "\ud800"])
    assert list(ledger.duplicates(lambda: pytest.fail("read again"))) == []
    assert len(ledger) == 3


def test_each_repetition_is_told_with_the_first_line_and_its_own():
    ids = ["a", "b", "a", "c", "a"]
    found = ledger_of(ids).duplicates(lambda: [(item_id, line) for line, item_id in enumerate(ids, start=1)])
    assert list(found) == [("a", 1, 3), ("a", 1, 5)]


def test_two_ids_with_one_hash_are_no_repetition(monkeypatch):
    monkeypatch.setattr("steelyard.reading.ids.hash", lambda _: 7, raising=False)
    assert list(ledger_of(["a", "b"]).duplicates(lambda: [("a", 1), ("b", 2)])) == []


def test_a_report_names_the_id_both_lines_and_what_to_do():
    problems = Problems()
    ledger_of(["q\x1b", "q\x1b"]).report(problems, "items.jsonl", lambda: [("q\x1b", 3), ("q\x1b", 9)])
    assert str(problems.listed[0]) == (
        "items.jsonl:9: [duplicate-id] the id 'q\\x1b' stands on lines 3 and 9, expected each id once (item q\\x1b)\n"
        "    hint: remove one of the two rows, or give it an id of its own"
    )


def test_an_empty_ledger_has_no_repetition():
    assert list(IdLedger().duplicates(list)) == []
