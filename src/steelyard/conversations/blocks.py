"""Judged conversations as blocks of items: one item a turn, clustered by conversation."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from steelyard.conversations.judging import expected_text
from steelyard.conversations.logic import LOGIC
from steelyard.numbers.ladder import RUNGS
from steelyard.reading.ids import item_hash
from steelyard.records.blocks import ErrorTags, Labels, ScoredBlock
from steelyard.records.conversations import Conversation, JudgedConversation, JudgedTurn
from steelyard.records.plans import ReportPlan
from steelyard.records.scores import Direction

PRIMARY = "numerical_match"
SCORER = "numerical_match@v1"
NUMBERS = (*(rung for rung in RUNGS if rung != PRIMARY), *LOGIC, "partial_credit")
"""Every further metric of a turn."""
METRICS = ("logic_recall", "logic_precision", "logic_f1", "operation_order", "program_equivalence", "operand_accuracy")
"""Numbers of a turn that are registered metrics, with a signature."""
KEPT = ("operations_per_turn", "matched_displayed", "matched_executed")
"""Kept with each turn, and neither better high nor low: its plan's operations, and which reference it matched."""


def report_plan() -> ReportPlan:
    """Return what is reported over turns."""
    directions: dict[str, Direction | None] = dict.fromkeys((PRIMARY, *NUMBERS), "higher")
    return ReportPlan(
        primary=PRIMARY,
        metrics=NUMBERS,
        directions=directions,
        values=dict.fromkeys(RUNGS, "rate"),
        # Turns, operations and features are in the statistics; slices would keep every cluster once more for each.
        clustered=True,
        whole_clusters=True,
    )


def scored_block(judged: Sequence[JudgedConversation], start: int) -> ScoredBlock:
    """Return the turns of a block of conversations as judged items."""
    pairs = [(entry.conversation, turn) for entry in judged for turn in entry.turns]
    turns = [turn for _, turn in pairs]
    numbers: list[dict[str, float | None]] = [
        {
            **turn.matches,
            **turn.logic,
            **_matched(turn),
            "partial_credit": turn.partial_credit,
            "operations_per_turn": turn.operations_per_turn,
        }
        for turn in turns
    ]
    return ScoredBlock(
        start=start,
        ids=[conversation.turn_id(turn.turn.index) for conversation, turn in pairs],
        lines=[conversation.line for conversation, _ in pairs],
        inputs=[turn.turn.question for turn in turns],
        item_hashes=[found for entry in judged for found in turn_hashes(entry.conversation)],
        states=Labels.of([turn.state for turn in turns]),
        expected=[expected_text(turn.turn) for turn in turns],
        predicted=[_answer(turn) for turn in turns],
        outputs=[_answer(turn) for turn in turns],
        primary=np.array([turn.matches[PRIMARY] for turn in turns], np.float64),
        passed=np.array([turn.matches[PRIMARY] for turn in turns], np.bool_),
        scores={name: _floats([row[name] for row in numbers]) for name in (*NUMBERS, *KEPT)},
        error_tags=ErrorTags.of([turn.error_tags for turn in turns]),
        explain=[turn.explain for turn in turns],
        tags=_tags(pairs),
        clusters=Labels.of([conversation.id for conversation, _ in pairs]),
        details=_details(pairs),
    )


def _matched(turn: JudgedTurn) -> dict[str, float | None]:
    found = turn.matched_reference
    return {"matched_displayed": found in ("both", "displayed"), "matched_executed": found in ("both", "executed")}


def _answer(turn: JudgedTurn) -> str | None:
    return turn.trace.actual_answer if turn.trace is not None and turn.trace.error is None else None


def _floats(values: Sequence[float | None]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([math.nan if value is None else value for value in values], np.float64)


def _tags(pairs: Sequence[tuple[Conversation, JudgedTurn]]) -> dict[str, Labels]:
    columns: dict[str, list[str | None]] = {
        "turn": [str(turn.turn.index) for _, turn in pairs],
        "operations": [None if (n := turn.program_operations) is None else str(n) for _, turn in pairs],
        "conversation_type": [conversation.conversation_type for conversation, _ in pairs],
    }
    for name in sorted({name for conversation, _ in pairs for name in conversation.features}):
        columns.setdefault(name, [_feature(conversation, name) for conversation, _ in pairs])
    return {name: Labels.of(values) for name, values in columns.items()}


def _feature(conversation: Conversation, name: str) -> str | None:
    value = conversation.features.get(name)
    return str(value).lower() if isinstance(value, bool) else None if value is None else str(value)


def _details(pairs: Sequence[tuple[Conversation, JudgedTurn]]) -> dict[str, Sequence[Any]]:
    traces = [turn.trace for _, turn in pairs]
    return {
        "eval_time_ms": [trace.latency_ms if trace else None for trace in traces],
        "prompt_tokens": [trace.prompt_tokens if trace else None for trace in traces],
        "completion_tokens": [trace.completion_tokens if trace else None for trace in traces],
        "conversation": [conversation.id for conversation, _ in pairs],
        "turn": [turn.turn.index for _, turn in pairs],
        "error": [f"{trace.error.type}: {trace.error.message}" if trace and trace.error else None for trace in traces],
    }


def turn_hashes(conversation: Conversation) -> Iterator[str]:
    """Yield the content hash of each turn: the document, the questions so far, and the turn's references."""
    document = json.dumps(conversation.document, sort_keys=True, default=str)
    digest = hashlib.sha256(document.encode("utf-8", "surrogatepass")).hexdigest()
    asked = accumulate((turn.question for turn in conversation.turns), lambda before, question: f"{before}\n{question}")
    for turn, questions in zip(conversation.turns, asked, strict=True):
        yield item_hash(f"{digest}\n{questions}", [turn.displayed, turn.executed, turn.program])
