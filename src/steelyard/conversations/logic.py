"""What is compared between a turn's plan and its gold program: seed 004's logic recall and its future list.

Scores are null without a plan or without a program that can be read. Both readings of cumulative programs are there:
`logic_recall` over the whole program (the seed's), `logic_recall_incremental` over what the turn adds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from steelyard.programs import (
    ProgramError,
    incremental_operations,
    logic_f1,
    logic_precision,
    logic_recall,
    operand_accuracy,
    operation_order,
    operations_block,
    plan_operations,
    plan_program,
    program_equivalence,
)
from steelyard.programs.operations import COMPUTE
from steelyard.programs.plans import Table, extracted_value
from steelyard.records.conversations import Conversation, TurnTrace

LOGIC = (
    "logic_recall",
    "logic_recall_incremental",
    "logic_precision",
    "logic_f1",
    "operation_order",
    "program_equivalence",
    "operand_accuracy",
)
"""The names of the scores, in order."""

_NONE: Mapping[str, float | None] = dict.fromkeys(LOGIC)


def logic_scores(
    conversations: Sequence[Conversation], traces: Sequence[Sequence[TurnTrace | None]]
) -> list[tuple[Mapping[str, float | None], int | None]]:
    """Return the scores of every turn in order, each with the number of operations of its program."""
    programs = [turn.program for conversation in conversations for turn in conversation.turns]
    whole = operations_block(programs)
    found: list[tuple[Mapping[str, float | None], int | None]] = []
    for conversation, turns in zip(conversations, traces, strict=True):
        start = len(found)
        wanted = whole[start : start + len(turns)]
        found += zip(_conversation(conversation, turns, wanted), map(_length, wanted), strict=True)
    return found


def _length(operations: tuple[str, ...] | None) -> int | None:
    return None if operations is None else len(operations)


def _conversation(
    conversation: Conversation, traces: Sequence[TurnTrace | None], wanted: Sequence[tuple[str, ...] | None]
) -> list[Mapping[str, float | None]]:
    if all(trace is None or trace.plan is None for trace in traces):
        return [_NONE] * len(traces)
    programs = [turn.program for turn in conversation.turns]
    added = incremental_operations(programs)
    table = conversation.document.get("table")
    return [
        _NONE
        if trace is None or trace.plan is None or wanted[index] is None
        else _turn(trace.plan, programs[index] or "", wanted[index] or (), added[index], table)
        for index, trace in enumerate(traces)
    ]


def _turn(
    plan: Sequence[Mapping[str, Any]],
    program: str,
    wanted: tuple[str, ...],
    added: tuple[str, ...] | None,
    table: Table | None,
) -> Mapping[str, float | None]:
    planned = plan_operations(plan)
    recall, precision, f1, order = _overlap(planned, wanted)
    return {
        "logic_recall": recall,
        "logic_recall_incremental": _incremental(planned, wanted, added),
        "logic_precision": precision,
        "logic_f1": f1,
        "operation_order": order,
        "program_equivalence": _equivalence(plan, program, table),
        "operand_accuracy": operand_accuracy(plan, program) if _knows_operands(plan) else None,
    }


@lru_cache(maxsize=65_536)
def _overlap(planned: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[float | None, ...]:
    """Return recall, precision, F1 and order; conversations repeat few pairs of operations."""
    return tuple(score(planned, wanted) for score in (logic_recall, logic_precision, logic_f1, operation_order))


def _incremental(planned: tuple[str, ...], wanted: tuple[str, ...], added: tuple[str, ...] | None) -> float | None:
    """Return the recall over what the turn adds; a turn that repeats an earlier result whole adds nothing to recall."""
    if added is None or (wanted and not added):
        return None
    return _overlap(planned, added)[0]


def _equivalence(plan: Sequence[Mapping[str, Any]], program: str, table: Table | None) -> float | None:
    if not _knows_operands(plan):
        return None
    try:
        planned = plan_program(plan)
    except ProgramError:
        return 0.0
    same = program_equivalence(planned, program, table)
    return None if same is None else float(same)


def _knows_operands(plan: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the plan says what it computes with; one that names its operations only cannot be judged by it."""
    return all(
        isinstance(step.get("operands"), list | tuple)
        if step.get("tool") == COMPUTE
        else extracted_value(step) is not None
        for step in plan
    )
