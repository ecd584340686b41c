"""Hashes of files and items; expected digests are what sha256sum prints."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import InputError
from steelyard.reading.ids import item_hash, sha256_file


def test_a_file_is_hashed_as_it_stands(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    expected = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256_file(tmp_path / "a") == expected


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="missing-file"):
        sha256_file(tmp_path / "none")


def test_the_order_of_keys_does_not_matter():
    assert item_hash("q", {"a": 1, "b": 2}) == item_hash("q", {"b": 2, "a": 1})


def test_type_and_place_matter():
    hashes = [item_hash("q", "1"), item_hash("q", 1), item_hash("q", True), item_hash("q", None), item_hash("1", "q")]
    assert len(set(hashes)) == 5


@given(st.text(st.characters()), st.text(st.characters()))
def test_any_text_has_a_hash_that_survives_json(text, reference):
    again = json.loads(json.dumps([text, reference]))
    assert item_hash(text, reference) == item_hash(*again)
