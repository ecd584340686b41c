"""Numbers in running text: where they are, what they are, and what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.numbers.grammar import NotANumber, Quantity, find_numbers, last_number, scan_numbers


def values(text):
    return [quantity.value for _, _, quantity in find_numbers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Step 2: 3,400 km, not 1,2,3 or 12:30.", [2, 3400]),
        ("从2019年的3.5万元增长到百分之十二", [2019, 35000, 12]),
        ("Q3 COVID-19 12th x2", []),
        ("5 - 3 = 2", [5, 3, 2]),
        ("1, 2 and 3", [1, 2, 3]),
        ("a (5) b", [5]),
        ("一一对应", []),
    ],
)
def test_every_number_is_found_and_no_part_of_a_word(text, expected):
    assert values(text) == expected


@given(st.text())
def test_spans_are_in_order_and_inside_the_text(text):
    ends = 0
    for start, end, _ in scan_numbers(text):
        assert ends <= start < end <= len(text)
        ends = end


@given(st.integers(-(10**12), 10**12), st.sampled_from(["The answer is {}.", "x = {}", "答案是{}。", "so {} it is"]))
def test_an_integer_in_a_sentence_is_read(number, sentence):
    assert last_number(sentence.format(number)) == Quantity(number)


def test_places_are_those_of_the_text_as_given():
    text = "约３，４００㎞远"
    ((start, end, found),) = find_numbers(text)
    assert (text[start:end], found) == ("３，４００㎞", Quantity(3400, "km"))


def test_parentheses_negate_only_where_an_answer_stands():
    assert last_number("Net change: (1,234)").value == -1234
    assert last_number("five apples (5)").value == 5


def test_the_last_span_decides_also_when_it_is_malformed():
    assert last_number("first 5, then 1,2,3") == NotANumber("bad_grouping")
