"""Rows in ConvFinQA's shape."""

import pytest

from steelyard.conversations.dataset import ConversationError, read_conversation
from tests.conversation_rows import row


def test_a_row_is_a_conversation():
    conversation = read_conversation(row())
    assert [turn.executed for turn in conversation.turns] == [1500.0, 1200.0, 300.0, 0.25]
    assert conversation.turns[3].displayed == "25%"
    assert conversation.conversation_type == "simple"
    assert conversation.turn_id(2) == "c1#2"


def test_features_that_the_dataset_does_not_say_are_worked_out():
    given = row(qa_split=[False, False, True, True])
    del given["features"]
    given["doc"]["table"]["2008"]["note"] = "n/a"
    conversation = read_conversation(given)
    assert conversation.features == {
        "num_dialogue_turns": 4,
        "has_type2_question": True,
        "has_duplicate_columns": False,
        "has_non_numeric_values": True,
    }
    assert conversation.conversation_type == "hybrid"


def test_a_dataset_may_lack_programs_and_displayed_answers():
    conversation = read_conversation({"id": 7, "dialogue": {"conv_questions": ["q"], "executed_answers": [True]}})
    assert (conversation.id, conversation.turns[0].executed, conversation.turns[0].program) == ("7", "yes", None)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "no `id`"),
        ({"id": "a"}, "no `dialogue`"),
        ({"id": "a", "dialogue": {}}, "no questions"),
        (row(conv_questions=["only one"]), "4 entries, expected 1"),
        (row(turn_program="add(1, 2)"), "turn_program"),
        (row(conv_questions=["a", "b", " ", "d"]), "question 2"),
        (row(conv_answers=["", "1", "2", "3"], executed_answers=[None, 1, 2, 3]), "turn 0 has no answer"),
        (row(executed_answers=[[1], 1, 2, 3]), "executed answer 0"),
        ({**row(), "doc": "text"}, "`doc`"),
        ({**row(), "features": [1]}, "`features`"),
    ],
)
def test_what_is_no_conversation_says_why(given, message):
    with pytest.raises(ConversationError, match=message):
        read_conversation(given)
