"""Logic scores of whole conversations, both readings of cumulative programs."""

import pytest

from steelyard.conversations.dataset import read_conversation
from steelyard.conversations.logic import LOGIC, logic_scores
from steelyard.conversations.traces import read_turn
from tests.conversation_rows import compute, extract, row, turn


def scores(*turns, **changes):
    conversation = read_conversation(row(**changes))
    by_index = {fields["turn_idx"]: read_turn(fields) for fields in turns}
    return logic_scores([conversation], [[by_index.get(index) for index in range(len(conversation.turns))]])


def test_a_plan_that_only_adds_the_last_step_is_whole_in_the_incremental_reading():
    found, operations = scores(turn(3, "0.25", compute("divide", 300, 1200)))[3]
    assert operations == 2
    assert (found["logic_recall"], found["logic_recall_incremental"]) == (0.5, 1.0)
    assert (found["logic_precision"], found["operation_order"]) == (1.0, 0.5)
    assert found["program_equivalence"] == 0.0


def test_a_whole_plan_is_equivalent_and_has_all_operands():
    plan = [extract(1200, "old"), extract(1500, "new"), compute("percentage_change", "old", "new")]
    found, _ = scores(turn(3, "0.25", *plan))[3]
    assert all(found[name] == 1.0 for name in LOGIC)


def test_an_extract_only_turn_wants_an_extract_only_plan():
    assert scores(turn(0, "1500", extract(1500)))[0][0]["logic_recall"] == 1.0
    assert scores(turn(0, "1500", compute("add", 1000, 500)))[0][0]["logic_recall"] == 0.0


def test_without_a_plan_or_a_program_there_is_no_score():
    found = scores(turn(0, "1500"), turn(1, "1200", extract(1200)), turn_program=["1500", "", "oops(", "3"])
    assert all(value is None for value in found[0][0].values())
    assert all(value is None for value in found[1][0].values())
    assert [operations for _, operations in found] == [0, None, None, 0]


def test_a_turn_that_repeats_an_earlier_result_has_no_incremental_recall():
    programs = ["subtract(1500, 1200)", "subtract(1500, 1200)", "3", "4"]
    found = scores(turn(1, "300", compute("subtract", 1500, 1200)), turn_program=programs)[1][0]
    assert (found["logic_recall"], found["logic_recall_incremental"]) == (1.0, None)


def test_a_plan_that_names_operations_only_is_not_judged_by_its_operands():
    steps = [{"tool": "extract_value"}, {"tool": "compute", "operation": "subtract"}]
    found = scores(turn(2, "300", *steps))[2][0]
    assert found["logic_recall"] == 1.0
    assert found["program_equivalence"] is None
    assert found["operand_accuracy"] is None


def test_a_plan_that_cannot_be_run_is_not_equivalent():
    found = scores(turn(2, "300", compute("subtract", 1500, "nowhere")))[2][0]
    assert found["program_equivalence"] == 0.0
    assert found["operand_accuracy"] == pytest.approx(0.5)


@pytest.mark.parametrize("operands", [5, "1 2", None, [[1], {}], [None, True]])
def test_hostile_operands_do_not_stop_the_judging(operands):
    step = {"step_id": ["x"], "tool": "compute", "operation": "subtract", "operands": operands}
    assert scores(turn(2, "300", step))[2][0]["logic_recall"] == 1.0
