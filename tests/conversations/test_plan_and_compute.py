"""The built-in solver, driven by hand: what it asks, what it makes of replies."""

import json

import jsonschema
import pytest

from steelyard.conversations.dataset import read_conversation
from steelyard.conversations.plan_and_compute import PlanAndCompute, validate
from steelyard.conversations.plan_text import EXAMPLES, PLAN_SCHEMA, PlanError, document_text, read_plan
from steelyard.conversations.solving import TurnFailedError, TurnRequest, solve_conversation
from steelyard.programs import execute, plan_program
from steelyard.records.models import ModelReply
from tests.conversation_rows import QUESTIONS, compute, extract, row

DOCUMENT = row()["doc"]
CHANGE = [extract(1200, "old"), extract(1500, "new"), compute("percentage_change", "old", "new")]


def request(question="what is the change?", history=()):
    return TurnRequest("c1#0", "c1", 0, question, DOCUMENT, tuple(history))


def plan(*steps):
    return ModelReply(output=json.dumps({"steps": list(steps)}), prompt_tokens=10, completion_tokens=2, latency_ms=1.5)


def solve(solver, *replies, asked=None):
    """Answer the solver with replies in order; gives its trace."""
    steps = solver.solve(request())
    sent = next(steps)
    try:
        for reply in replies:
            if asked is not None:
                asked.append(sent)
            sent = steps.send(reply)
    except StopIteration as end:
        return end.value
    raise AssertionError("the solver asks for more")


def test_a_plan_is_computed_and_recorded():
    trace = solve(PlanAndCompute(), plan(*CHANGE))
    assert trace.actual_answer == "0.25"
    assert [call["result"] for call in trace.tool_calls] == [1200, 1500, 0.25]
    assert (trace.prompt_tokens, trace.completion_tokens, trace.latency_ms, len(trace.llm_calls)) == (10, 2, 1.5, 1)
    assert [(log.retry_number, log.valid, log.confidence) for log in trace.validator_logs] == [(0, True, 1.0)]


def test_every_request_says_what_a_plan_has_to_be():
    asked = []
    solve(PlanAndCompute(), plan(extract(777)), plan(*CHANGE), asked=asked)
    assert [request.json_schema for request in asked] == [PLAN_SCHEMA, PLAN_SCHEMA]


@pytest.mark.parametrize(("question", "text"), EXAMPLES)
def test_the_shown_plans_keep_to_the_schema_and_give_the_answer(question, text):
    jsonschema.validate(json.loads(text), PLAN_SCHEMA)
    value = execute(plan_program(read_plan(text))).value
    assert value == pytest.approx({"change": -25.5, "costs": 88.4}["change" if "change" in question else "costs"])


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [{"step_id": "s1", "tool": "extract_value", "value": "12"}],
        [{"step_id": "s1", "tool": "compute", "operation": "subtract", "operands": [1]}],
        [{"step_id": "s1", "tool": "compute", "operation": "root", "operands": [1, 2]}],
    ],
)
def test_what_is_no_plan_is_outside_the_schema(steps):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"steps": steps}, PLAN_SCHEMA)


def test_the_row_of_a_table_is_inside_the_schema():
    jsonschema.validate({"steps": [compute("table_sum", "net sales", step_id="s1")]}, PLAN_SCHEMA)


def test_a_bad_plan_goes_back_with_its_issues():
    asked = []
    trace = solve(PlanAndCompute(), plan(extract(777)), plan(*CHANGE), asked=asked)
    assert trace.actual_answer == "0.25"
    assert [log.valid for log in trace.validator_logs] == [False, True]
    assert trace.validator_logs[0].failed_steps == ("s1",)
    assert "777 stands nowhere" in asked[1].messages[-1].content
    assert (trace.prompt_tokens, len(trace.llm_calls)) == (20, 2)


def test_after_the_last_retry_a_plan_that_runs_is_run():
    trace = solve(PlanAndCompute(max_retries=1), plan(extract(777)), plan(extract(778)))
    assert trace.actual_answer == "778"
    assert [log.valid for log in trace.validator_logs] == [False, False]


def test_a_plan_that_cannot_be_run_raises_with_what_was_done():
    with pytest.raises(TurnFailedError) as caught:
        solve(PlanAndCompute(max_retries=0), plan(extract(1500, "a"), compute("divide", "a", 0)))
    assert caught.value.trace.error.type == "ProgramError"
    assert "divides by zero" in caught.value.trace.error.message
    assert len(caught.value.trace.plan) == 2
    assert caught.value.trace.prompt_tokens == 10


def test_replies_without_a_plan_raise_after_the_retries():
    with pytest.raises(TurnFailedError, match="no JSON object"):
        solve(PlanAndCompute(max_retries=1), ModelReply(output="25 %"), ModelReply(output="it is 25 %"))


def test_without_validation_a_plan_is_run_as_it_comes():
    trace = solve(PlanAndCompute(validation=False), plan(extract(777)))
    assert (trace.actual_answer, trace.validator_logs) == ("777", ())


@pytest.mark.parametrize(("state", "kind"), [("failed", "ModelError"), ("timeout", "ModelTimeout")])
def test_a_model_that_fails_is_a_turn_that_raised(state, kind):
    with pytest.raises(TurnFailedError) as caught:
        solve(PlanAndCompute(), ModelReply(state=state, error="gone"))
    assert (caught.value.trace.error.type, caught.value.trace.error.message) == (kind, "gone")


def drive(solver, replies, history="own"):
    found, asked = [], []
    steps = solve_conversation(read_conversation(row()), solver, history, found.append)
    try:
        sent = next(steps)
        for reply in replies:
            asked.append(sent)
            sent = steps.send(reply)
    except StopIteration:
        return found, asked
    raise AssertionError("the conversation asks for more")


def test_a_turn_that_raises_does_not_end_the_conversation():
    replies = [plan(extract(1500)), ModelReply(state="failed", error="gone"), plan(extract(1500)), plan(extract(1200))]
    found, _ = drive(PlanAndCompute(), replies)
    assert [trace.error.type if trace.error else trace.actual_answer for trace in found] == [
        "1500", "ModelError", "1500", "1200",
    ]  # fmt: skip


@pytest.mark.parametrize(("history", "answer"), [("own", "A: 1200"), ("gold", "A: 1,500")])
def test_history_is_the_models_own_or_the_references(history, answer):
    _, asked = drive(PlanAndCompute(), [plan(extract(1200))] * 4, history)
    assert answer in asked[1].messages[-1].content
    assert QUESTIONS[0] in asked[3].messages[-1].content


def test_references_are_never_asked():
    secret = row(
        conv_answers=["98761", "98762", "98763", "98764"], executed_answers=[98761.5, 98762.5, 98763.5, 98764.5]
    )
    asked = []
    steps = solve_conversation(read_conversation(secret), PlanAndCompute(), "own", lambda trace: None)
    sent = next(steps)
    for _ in range(3):
        asked.append(sent)
        sent = steps.send(plan(extract(1500)))
    assert not any("9876" in message.content for sent in asked for message in sent.messages)


@pytest.mark.parametrize(
    ("reply", "count"),
    [
        ('```json\n{"steps": [{"tool": "extract_value", "value": 1}]}\n```', 1),
        ('Sure! {"steps": [{}, {}]} I hope this helps {', 2),
    ],
)
def test_a_plan_is_found_in_a_chatty_reply(reply, count):
    assert len(read_plan(reply)) == count


@pytest.mark.parametrize(
    "reply", ["", "{", '{"steps": []}', '{"steps": [1]}', '{"plan": 1}', '{"steps": [{"value": NaN}]}']
)
def test_a_reply_without_a_plan_is_refused(reply):
    with pytest.raises(PlanError):
        read_plan(reply)


def test_a_document_is_shown_with_its_table_by_rows_and_cut_where_it_is_too_long():
    assert "income | 1200.0 | 1500.0" in document_text(DOCUMENT)
    assert document_text({"pre_text": ["a", "b"], "table": [["x", 1]]}) == "a\nb\n\nx | 1"
    assert document_text({"pre_text": "x" * 20_000}).endswith("[the document was cut here]")


@pytest.mark.parametrize(
    ("steps", "issue"),
    [
        ([extract("n/a")], "is no number"),
        ([{"step_id": "s1", "tool": "guess"}], "neither"),
        ([compute("average", 1, 2)], "no operation 'average'"),
        ([compute("add", "s7", 2)], "no earlier step"),
        ([{"tool": "extract_value"}], "step 1"),
    ],
)
def test_the_validator_names_what_is_wrong(steps, issue):
    log = validate(steps, request(), 0)
    assert not log.valid
    assert issue in log.issues[0]
    assert log.confidence == 0.0


def test_numbers_of_the_question_and_of_earlier_answers_may_be_extracted():
    history = [{"question": "how many?", "answer": "42.5%"}]
    assert validate([extract(0.425)], request(history=history), 0).valid
    assert validate([extract("1,234")], request("and what of 1,234?"), 0).valid
    assert validate([extract(-1500)], request(), 0).valid
