"""Where in a JSON text a key or a word stands."""

import pytest

from steelyard.reading.json_values import KeyPlace, duplicate_key, line_and_column, literal_column


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1, "a": 2}', KeyPlace("a", 10, 1, 1)),
        ('{"a": {"b": 1},\n "c": {"b": 2, "b": 3}}', KeyPlace("b", 16, 2, 2)),
        ('{"a": 1,\n\n"\\u0061": 2}', KeyPlace("a", 1, 3, 1)),
        ('{"a": [{"x": 1}, {"x": 2}]}', None),
        ('{"a": ":", "b": "{\\"a\\":1}"}', None),
    ],
)
def test_the_first_key_that_stands_twice_in_its_object_is_found(text, place):
    assert duplicate_key(text) == place


@pytest.mark.parametrize(
    ("text", "literal", "column"), [('{"a": NaN}', "NaN", 7), ('["NaN", NaN]', "NaN", 9), ('"NaN"', "NaN", None)]
)
def test_a_word_inside_text_is_not_the_word(text, literal, column):
    assert literal_column(text, literal) == column


def test_lines_and_columns_count_from_one():
    assert [line_and_column("ab\nc", position) for position in (0, 1, 3)] == [(1, 1), (1, 2), (2, 1)]
