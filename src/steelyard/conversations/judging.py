"""Turns judged: the numeric ladder against both references, logic scores, state, tags and a sentence for people.

Displayed and executed answer stand side by side: either may match, rung by rung, and which one did is recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from steelyard.conversations.logic import logic_scores
from steelyard.conversations.traces import trace_name
from steelyard.errors import excerpt, quoted
from steelyard.numbers.grammar import parse_number
from steelyard.numbers.ladder import RUNGS, Ladder, classify_miss
from steelyard.numbers.ladder_blocks import Mask, climb_block
from steelyard.numbers.quantity import NotANumber
from steelyard.programs import operations_per_turn
from steelyard.records.conversations import (
    Conversation,
    JudgedConversation,
    JudgedTurn,
    MatchedReference,
    Turn,
    TurnTrace,
)
from steelyard.records.items import State
from steelyard.secrets import SECRET_IN_OUTPUT

# Partial credit of a turn: what the numeric ladder and the turn's program say together (seed 004's future list).


NEARLY = ("general_match", "unit_agnostic_match", "sign_agnostic_match")
"""Matches that forgive one mistake: format, scale or sign."""


def partial_credit(
    matches: Mapping[str, bool], logic: Mapping[str, float | None], program_operations: int | None
) -> float:
    """Return the credit of a turn between 0 and 1.

    A right turn has 1. Any other has the mean of two halves: the ladder's, 0.5 where only format, scale or sign is
    wrong, else 0; and the program's, the mean of `logic_f1` and `operand_accuracy`. So a wrong turn has at most 0.75.
    Where the dataset has no program that can be read, the ladder alone decides. A plan that is not there earns
    nothing, so that nobody gains by not giving one.

    >>> near = {"numerical_match": False, "unit_agnostic_match": True}
    >>> partial_credit(near, {"logic_f1": 1.0, "operand_accuracy": 1.0}, 2)
    0.75
    >>> partial_credit(near, {"logic_f1": None, "operand_accuracy": None}, 2), partial_credit(near, {}, None)
    (0.25, 0.5)
    """
    if matches["numerical_match"]:
        return 1.0
    ladder = 0.5 if any(matches.get(rung) for rung in NEARLY) else 0.0
    if program_operations is None:
        return ladder
    known = [value for name in ("logic_f1", "operand_accuracy") if (value := logic.get(name)) is not None]
    program = sum(known) / len(known) if known else 0.0
    return (ladder + program) / 2


_ADVICE = {
    "rounding_error": "only the rounding differs",
    "scale_error": "right in another scale",
    "sign_error": "the sign is wrong",
    "wrong_value": "a different value",
}
_NO_ANSWER: dict[State, str] = {
    "missing": "there is no answer",
    "failed": "the turn raised",
    "timeout": "the turn did not answer in time",
}


def judge(
    conversations: Sequence[Conversation], traces: Sequence[Sequence[TurnTrace | None]]
) -> list[JudgedConversation]:
    """Return conversations with every turn judged; `traces` has an entry, or None, for every turn."""
    turns = [turn for conversation in conversations for turn in conversation.turns]
    answers = [None if trace is None or trace.error else trace.actual_answer for trace in chain(*traces)]
    displayed = climb_block(answers, [turn.displayed for turn in turns])
    executed = climb_block(answers, [turn.executed for turn in turns])
    logic = logic_scores(conversations, traces)
    judged = iter(
        [
            _judge_turn(turn, trace, _matches(displayed, row), _matches(executed, row), *logic[row])
            for row, (turn, trace) in enumerate(zip(turns, chain(*traces), strict=True))
        ]
    )
    return [
        JudgedConversation(conversation, _trace_id(conversation, found), tuple(next(judged) for _ in found))
        for conversation, found in zip(conversations, traces, strict=True)
    ]


def _matches(columns: Mapping[str, Mask], row: int) -> dict[str, bool]:
    return {name: bool(columns[name][row]) for name in RUNGS}


def _trace_id(conversation: Conversation, traces: Sequence[TurnTrace | None]) -> str:
    given = next((trace.trace_id for trace in traces if trace is not None and trace.trace_id), None)
    return given or trace_name(conversation.id)


def _judge_turn(
    turn: Turn,
    trace: TurnTrace | None,
    displayed: dict[str, bool],
    executed: dict[str, bool],
    logic: Mapping[str, float | None],
    program_operations: int | None,
) -> JudgedTurn:
    matches = {name: displayed[name] or executed[name] for name in RUNGS}
    if matches["general_match"] and not _expects_number(turn):
        # A yes or no has no distance: the same one is right, so that a perfect solver scores 1.
        matches = dict.fromkeys(RUNGS, True)
    state = _state(turn, trace, matches)
    distance = classify_miss(Ladder(**matches)) if state in ("scored", "unparsed") else None
    right = matches["numerical_match"]
    miss = None if right else distance
    return JudgedTurn(
        turn=turn,
        trace=trace,
        state=state,
        matches=matches,
        miss=miss,
        matched_reference=_matched(displayed, executed),
        right=right,
        logic=logic,
        partial_credit=partial_credit(matches, logic, program_operations),
        plan_steps=_plan_steps(trace),
        operations_per_turn=_operations(trace),
        program_operations=program_operations,
        error_tags=_tags(state, miss, trace),
        explain=_explain(turn, trace, state, distance),
    )


def _expects_number(turn: Turn) -> bool:
    """Return whether a reference is a number, and no yes, no or other text."""
    for reference in (turn.executed, turn.displayed):
        if isinstance(reference, int | float):
            return True
        if reference is not None and _is_number(reference):
            return True
    return False


def _is_number(text: str) -> bool:
    found = parse_number(text)
    return not isinstance(found, NotANumber) and not found.is_boolean


def _state(turn: Turn, trace: TurnTrace | None, matches: Mapping[str, bool]) -> State:
    if trace is None:
        return "missing"
    if trace.error is not None:
        return "timeout" if "timeout" in trace.error.type.lower() else "failed"
    if trace.actual_answer is None or not trace.actual_answer.strip():
        return "missing"
    answered = matches["general_match"] or matches["unit_agnostic_match"] or not _expects_number(turn)
    if answered or not isinstance(parse_number(trace.actual_answer), NotANumber):
        return "scored"
    return "unparsed"


def _matched(displayed: Mapping[str, bool], executed: Mapping[str, bool]) -> MatchedReference:
    for rung in ("numerical_match", "general_match"):
        if displayed[rung] or executed[rung]:
            both = displayed[rung] and executed[rung]
            return "both" if both else "displayed" if displayed[rung] else "executed"
    return "none"


def _plan_steps(trace: TurnTrace | None) -> int | None:
    """Return the number of steps; a turn that raised before it had a plan had none."""
    if trace is None or trace.plan is None:
        return 0 if trace is not None and trace.error is not None else None
    return len(trace.plan)


def _operations(trace: TurnTrace | None) -> int | None:
    if trace is None or trace.plan is None:
        return _plan_steps(trace)
    return operations_per_turn(trace.plan)


def _tags(state: State, miss: str | None, trace: TurnTrace | None) -> tuple[str, ...]:
    found = "not_a_number" if state == "unparsed" else miss
    secret = SECRET_IN_OUTPUT if trace is not None and trace.held_key else None
    return tuple(tag for tag in (found, secret) if tag is not None)


def _explain(turn: Turn, trace: TurnTrace | None, state: State, distance: str | None) -> str:
    wanted = expected_text(turn)
    if trace is None or state in _NO_ANSWER:
        reason = f" {excerpt(trace.error.type)}: {excerpt(trace.error.message)}" if trace and trace.error else ""
        return f"Expected {wanted}: {_NO_ANSWER[state]}{reason}."
    found = trace.actual_answer or ""
    if state == "unparsed":
        return f"Expected {wanted}, found {quoted(found)}, which is no number."
    return f"Expected {wanted}, found {excerpt(found)}: {_ADVICE[distance] if distance else 'equal'}."


def expected_text(turn: Turn) -> str:
    """Return the reference as a person reads it: as displayed, with the executed value where it differs."""
    if turn.displayed is None:
        return str(turn.executed)
    executed = "" if turn.executed is None else str(turn.executed)
    same = executed in ("", turn.displayed, f"{turn.displayed}.0")
    return turn.displayed if same else f"{turn.displayed} (executed {executed})"
