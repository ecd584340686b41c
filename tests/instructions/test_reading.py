"""Instructions from JSON: both spellings, and what is wrong with one in words."""

import json

import pytest

from steelyard.instructions import BadInstruction, instruction_object, read_instructions
from steelyard.records.answers import Instruction

WORDS = {"id": "length_constraints:number_words", "num_words": 300, "relation": "at least"}


def test_a_list_of_objects_and_ifevals_two_lists_are_the_same_instructions():
    both = [WORDS, {"id": "punctuation:no_comma"}]
    ids = {"instruction_id_list": [entry["id"] for entry in both]}
    arguments = {"kwargs": [{"num_words": 300, "relation": "at least", "keyword": None}, {}]}
    assert read_instructions(ids | arguments) == read_instructions(both)


def test_instructions_without_arguments_need_no_kwargs():
    found = read_instructions({"instruction_id_list": ["punctuation:no_comma"], "kwargs": None})
    assert found == (Instruction("punctuation:no_comma"),)


def test_an_instruction_is_written_and_read_back():
    listed = [WORDS, {"id": "keywords:existence", "keywords": ["cat", "hat"]}]
    assert [instruction_object(one) for one in read_instructions(listed)] == listed
    assert json.dumps(listed)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ([], "the list of instructions is empty"),
        ("punctuation:no_comma", "instructions are no list"),
        (["punctuation:no_comma"], "instruction 1 is no object with an `id`"),
        ([{"id": "punctuation:no_commas"}], "there is no 'punctuation:no_commas'; did you mean punctuation:no_comma?"),
        ([WORDS | {"relation": "exactly"}], "Invalid enum value 'exactly'"),
        ([WORDS | {"num_words": "many"}], "Expected `int`, got `str`"),
        ([WORDS | {"num_words": -1}], "Expected `int` >= 0"),
        ([WORDS | {"num_word": 2}], r"has no argument 'num_word'; did you mean num_words\?"),
        ([{"id": "length_constraints:number_words", "num_words": 3}], "missing required field `relation`"),
        ([{"id": "language:response_language", "language": "zh"}], "Invalid enum value 'zh'"),
        (
            [{"id": "keywords:letter_frequency", "letter": "ab", "let_frequency": 1, "let_relation": "at least"}],
            "regex",
        ),
        ({"instruction_id_list": ["punctuation:no_comma"], "kwargs": []}, "two lists of one length"),
        ({"instruction_id_list": ["punctuation:no_comma"], "kwargs": ["x"]}, "instruction 1 is no object"),
    ],
)
def test_what_is_no_instruction_is_refused_with_the_reason(raw, reason):
    with pytest.raises(BadInstruction, match=reason):
        read_instructions(raw)
