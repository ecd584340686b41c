"""Python callables as solvers."""

import pytest

from steelyard.conversations.dataset import read_conversation
from steelyard.conversations.solving import CallableSolver, TurnFailedError, TurnRequest
from steelyard.records.models import ModelReply
from tests.conversation_rows import extract, row


def solve(reply):
    conversation = read_conversation(row())
    request = TurnRequest("c1#1", "c1", 1, "and in 2008?", conversation.document, ({"question": "q", "answer": "1"},))
    steps = CallableSolver().solve(request)
    asked = next(steps)
    try:
        steps.send(reply)
    except StopIteration as end:
        return asked, end.value
    raise AssertionError("a callable is asked once")


def test_a_callable_gets_the_turn_and_no_reference():
    asked, _ = solve(ModelReply(output="1200"))
    assert set(asked.fields) == {"item_id", "conversation_id", "turn_idx", "question", "document", "history"}
    assert asked.fields["history"] == [{"question": "q", "answer": "1"}]


@pytest.mark.parametrize(("output", "answer"), [("1200", "1200"), (1200, "1200"), (0.25, "0.25"), (True, "yes")])
def test_a_plain_answer_is_the_answer(output, answer):
    assert solve(ModelReply(output=output))[1].actual_answer == answer


def test_a_mapping_says_more():
    output = {"answer": "1200", "plan": {"steps": [extract(1200)]}, "prompt_tokens": 3, "llm_calls": 2, "latency_ms": 7}
    _, trace = solve(ModelReply(output=output))
    assert (trace.actual_answer, trace.prompt_tokens, trace.llm_calls, trace.latency_ms) == ("1200", 3, 2, 7.0)
    assert trace.plan == (extract(1200),)


@pytest.mark.parametrize(
    "output", [{"answr": 1}, {"plan": {"steps": []}}, {"answer": "1", "tokens": 3}, {"answer": [1]}]
)
def test_a_mapping_that_cannot_be_used_is_a_turn_that_raised(output):
    with pytest.raises(TurnFailedError, match="cannot be used"):
        solve(ModelReply(output=output))


def test_what_a_callable_raises_keeps_its_type():
    with pytest.raises(TurnFailedError) as caught:
        solve(ModelReply(state="failed", error="KeyError: 'income'"))
    assert (caught.value.trace.error.type, caught.value.trace.error.message) == ("KeyError", "'income'")
