"""The journal of generated predictions."""

import json
import os

import pytest

from steelyard.errors import InputError, MachineError
from steelyard.store.journal import Journal, odd_answers, without_failures


def lines(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_what_was_appended_is_done_when_the_journal_is_opened_again(tmp_path):
    path = tmp_path / "predictions.jsonl"
    with Journal(path) as journal:
        journal.append("a", {"prediction": "4"})
        journal.append("b", {"state": "failed"}, state="failed")
    assert Journal(path).done == {"a": None, "b": "failed"}
    assert lines(path) == [{"item_id": "a", "prediction": "4"}, {"item_id": "b", "state": "failed"}]


def test_an_item_is_done_only_once_it_is_on_disk(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    journal = Journal(tmp_path / "predictions.jsonl")
    monkeypatch.setattr("steelyard.store.journal.SYNC_SECONDS", 1e9)
    before = len(synced)
    journal.append("a", {})
    assert (journal.done, len(synced)) == ({}, before)
    journal.sync()
    assert (journal.done, len(synced)) == ({"a": None}, before + 1)


def test_cut_at_every_byte_it_keeps_exactly_the_whole_lines(tmp_path):
    path = tmp_path / "predictions.jsonl"
    with Journal(path) as journal:
        for name in "abc":
            journal.append(name, {"prediction": f"é\n{name}"})
    whole = path.read_bytes()
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        with Journal(path) as journal:
            assert len(journal.done) == whole[:size].count(b"\n")
        assert path.read_bytes() == whole[: whole.rfind(b"\n", 0, size) + 1]


def test_lone_surrogates_in_an_output_survive(tmp_path):
    path = tmp_path / "predictions.jsonl"
    with Journal(path) as journal:
        journal.append("a", {"prediction": "\ud800"})
    assert Journal(path).done == {"a": None}


@pytest.mark.parametrize("content", ['{"item_id": "a"}\n{"item_id": "a"}\n', "what\n", '{"id": 3}\n'])
def test_a_journal_that_something_else_changed_is_refused(tmp_path, content):
    path = tmp_path / "predictions.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match="run-damaged"):
        Journal(path)


def test_a_line_that_the_disk_takes_in_part_is_taken_back(tmp_path, monkeypatch):
    path = tmp_path / "predictions.jsonl"
    journal = Journal(path)
    journal.append("a", {})
    real, calls = os.write, []

    def half(handle, data):
        calls.append(len(data))
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return real(handle, data[: len(data) // 2])

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(MachineError, match="No space"):
        journal.append("b", {})
    monkeypatch.undo()
    assert lines(path) == [{"item_id": "a"}]


def test_failures_can_be_left_out_for_a_retry(tmp_path):
    path = tmp_path / "predictions.jsonl"
    with Journal(path) as journal:
        journal.append("a", {"prediction": "4"})
        journal.append("b", {"state": "timeout"}, state="timeout")
    assert without_failures(path) == b'{"item_id":"a","prediction":"4"}\n'


@pytest.mark.parametrize("before", [0, 1, 15, (1 << 20) - 40, (1 << 20) - 20, (1 << 20) - 8, 1 << 20])
def test_cut_answers_are_counted_wherever_they_stand(tmp_path, before):
    path = tmp_path / "predictions.jsonl"
    line = b'{"item_id":"a","truncated":true}\n'
    path.write_bytes(b" " * before + b"\n" + line + b'{"item_id":"b","prediction":"\\"truncated\\":true"}\n' + line)
    assert odd_answers(path) == {"truncated": 2}


def test_a_journal_without_cut_answers_has_none(tmp_path):
    path = tmp_path / "predictions.jsonl"
    path.write_bytes(b'{"item_id":"b","prediction":"\\"truncated\\":true"}\n' * 40_000)
    assert odd_answers(path) == {}
