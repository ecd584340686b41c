"""Conversations over a document, what a solver did in each turn, and each turn judged (page 40, seed 004)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from steelyard.records.items import State

ConversationType: TypeAlias = Literal["simple", "hybrid"]
"""ConvFinQA's two types: the parts of one question, or of two."""
MatchedReference: TypeAlias = Literal["both", "displayed", "executed", "none"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One question of a conversation with its references."""

    index: int
    question: str
    displayed: str | None
    """The answer as written, `11%`; it may be rounded."""
    executed: float | str | None
    """What the program gives, 0.10548, or `yes` and `no`."""
    program: str | None
    from_second_question: bool = False
    """ConvFinQA's `qa_split`."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A document, questions about it in order, and what the dataset says about both."""

    id: str
    turns: tuple[Turn, ...]
    document: Mapping[str, Any]
    """`pre_text`, `post_text` and `table` as the dataset has them."""
    features: Mapping[str, bool | int | float | str]
    line: int = 0

    @property
    def has_type2_question(self) -> bool:
        """Whether it asks about more than one question of the source."""
        return bool(self.features["has_type2_question"])

    @property
    def conversation_type(self) -> ConversationType:
        """`hybrid` for conversations of two questions, else `simple`."""
        return "hybrid" if self.has_type2_question else "simple"

    def turn_id(self, index: int) -> str:
        """Return the item id of a turn."""
        return f"{self.id}#{index}"


@dataclass(frozen=True, slots=True)
class ValidatorLog:
    """One look of the validator at a plan."""

    retry_number: int
    valid: bool
    confidence: float | None = None
    failed_steps: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnError:
    """What a turn raised."""

    type: str
    message: str


@dataclass(frozen=True, slots=True)
class TurnTrace:
    """What a solver did in one turn. None is not known; an empty plan is a plan of no steps."""

    turn_idx: int
    actual_answer: str | None = None
    plan: tuple[Mapping[str, Any], ...] | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    llm_calls: tuple[Any, ...] | int | None = None
    """The calls themselves, or how many there were."""
    tool_calls: tuple[Any, ...] | int | None = None
    latency_ms: float | None = None
    validator_logs: tuple[ValidatorLog, ...] = ()
    error: TurnError | None = None
    trace_id: str | None = None
    calculation: str | None = None
    """An infix calculation that could not be read as a plan."""
    held_key: bool = False
    """Whether a key was taken out of it."""

    @property
    def tokens(self) -> int | None:
        """Tokens in and out, as far as they are known."""
        known = [count for count in (self.prompt_tokens, self.completion_tokens) if count is not None]
        return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """One turn with what was found out about it."""

    turn: Turn
    trace: TurnTrace | None
    """None where the trace lacks the turn."""
    state: State
    matches: Mapping[str, bool]
    """The numeric ladder by name."""
    miss: str | None
    """Why an answered turn is wrong: a class of page 40; None for a right turn and for one without an answer."""
    matched_reference: MatchedReference
    right: bool
    """Its `numerical_match`; a reference that is no number is matched on every rung by an equal answer."""
    logic: Mapping[str, float | None]
    """Logic recall and its kin by name."""
    partial_credit: float
    """1 for a right turn; else what ladder and program give together, at most 0.75."""
    plan_steps: int | None
    operations_per_turn: int | None
    program_operations: int | None
    error_tags: tuple[str, ...] = ()
    explain: str = ""


@dataclass(frozen=True, slots=True)
class JudgedConversation:
    """A conversation with every turn judged."""

    conversation: Conversation
    trace_id: str
    turns: tuple[JudgedTurn, ...] = field(default_factory=tuple)
