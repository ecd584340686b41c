"""Strict and loose readings of a text."""

from steelyard.instructions import follow, read_instructions
from steelyard.instructions.following import variants


def test_a_loose_reading_forgives_the_first_line_the_last_line_and_asterisks():
    assert variants("a\n*b*\nc") == ("*b*\nc", "a\n*b*", "*b*", "a\nb\nc", "b\nc", "a\nb", "b")


def test_a_text_that_follows_strictly_follows_loosely():
    (followed,) = follow("*", read_instructions([{"id": "punctuation:no_comma"}]))
    assert (followed.strict, followed.loose) == (True, True)


def test_instructions_are_judged_one_by_one_in_their_order():
    asked = [{"id": "punctuation:no_comma"}, {"id": "startend:quotation"}]
    followed = follow('"a, b"', read_instructions(asked))
    assert [(one.instruction.id, one.strict) for one in followed] == [
        ("punctuation:no_comma", False),
        ("startend:quotation", True),
    ]
