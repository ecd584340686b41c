"""What loops write, against the functions that write one row."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.errors import excerpt
from steelyard.kernels import writing
from steelyard.kernels.labels import labels_block, text_hashes
from steelyard.reading.ids import item_hash
from steelyard.records.blocks import Labels, TextColumn
from steelyard.store.files import json_line

HOSTILE = st.text(
    st.sampled_from(':#[ab"\\/\x00\x08\t\n\x0c\r\x1f\x7f\x80é中\u2028\u202e\ufeff😀\U000e0041'), max_size=100
)
TEXT = st.one_of(HOSTILE, st.text(st.characters(exclude_categories=["Cs"]), max_size=100))
ROWS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=6)


@settings(max_examples=150, deadline=None)
@given(ROWS)
def test_hashes_of_items_are_those_of_single_items(rows):
    inputs, references = zip(*rows, strict=True)
    found = writing.item_hashes(TextColumn.of(inputs), TextColumn.of(references))
    assert list(found) == [item_hash(*row) for row in rows]


@settings(max_examples=150, deadline=None)
@given(ROWS)
def test_json_lines_are_those_of_the_journal(rows):
    flat = TextColumn.of([text for row in rows for text in row])
    data = np.concatenate([flat.data, np.zeros(64, np.uint8)])
    form = writing.LineForm((b'{"item_id":"', b'","prediction":"', b'"}\n'), (0, 1), (False, False))
    found = writing.json_lines(data, np.arange(0, 2 * len(rows), 2), flat.starts, flat.ends, form)
    wanted = [json_line({"item_id": first, "prediction": second}) for first, second in rows]
    assert found.data.tobytes() == b"".join(wanted)


@settings(max_examples=150, deadline=None)
@given(ROWS, st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_sentences_quote_like_messages_do_or_ask_the_item_form(rows, values):
    first, second = (TextColumn.of(column) for column in zip(*rows, strict=True))
    form = ["Expected '", writing.SECOND, "', found '", writing.FIRST, "' (", writing.VALUE, ")."]
    numbers = np.array(values[: len(rows)])
    found, slow = writing.sentences(first, second, numbers, [form], np.zeros(len(rows), np.int64))
    wanted = [
        f"Expected '{excerpt(second)}', found '{excerpt(first)}' ({value:.3f})."
        for (first, second), value in zip(rows, values, strict=False)
    ]
    skipped = set(slow.tolist())
    assert list(found) == ["" if row in skipped else text for row, text in enumerate(wanted)]


def test_numbers_are_rounded_as_python_rounds_them():
    values = np.array([number / 1024 for number in range(1025)] + [number / 9973 for number in range(9974)])
    nothing = TextColumn.of([""] * len(values))
    found, slow = writing.sentences(nothing, nothing, values, [[writing.VALUE]], np.zeros(len(values), np.int64))
    assert len(slow) == 0
    assert list(found) == [f"{value:.3f}" for value in values.tolist()]


def test_plain_sentences_never_ask_the_item_form():
    texts = TextColumn.of(["short", "é" * 80, "中" * 81, "x" * 500])
    form = [writing.FIRST, " and ", writing.SECOND]
    found, slow = writing.sentences(texts, texts, np.zeros(4), [form], np.zeros(4, np.int64))
    assert len(slow) == 0
    assert list(found) == [f"{excerpt(text)} and {excerpt(text)}" for text in texts]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["", "a", "b", "label_01", "label_02", "中" * 9]), max_size=40), st.booleans())
def test_codes_are_those_of_labels(texts, empty):
    found = labels_block(TextColumn.of(texts), empty=empty)
    wanted = Labels.of([text if text or empty else None for text in texts])
    assert (list(found.names), found.codes.tolist()) == (list(wanted.names), wanted.codes.tolist())


def test_a_column_of_ids_still_gets_its_codes():
    texts = [f"id {number // 2}" for number in range(20_000)]
    assert labels_block(TextColumn.of(texts)).codes.tolist() == [number // 2 for number in range(20_000)]


def test_equal_texts_have_equal_hashes_and_these_unequal_ones_do_not():
    texts = [f"s{number:07d}" for number in range(50_000)] + ["", "a", "a\0", "a" * 8, "a" * 9, "a" * 16]
    hashes = text_hashes(TextColumn.of(texts))
    assert len(set(hashes.tolist())) == len(texts)
    assert (text_hashes(TextColumn.of(texts)) == hashes).all()


def test_gathering_leaves_out_what_stands_between_texts():
    column = TextColumn.of(["one", "", "three", "four"])[::2]
    together = writing.gathered(column)
    assert (together.data.tobytes(), together.starts.tolist(), together.ends.tolist()) == (b"onethree", [0, 3], [3, 8])
