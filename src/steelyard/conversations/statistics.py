"""`statistics.json`: seed 004's fields under its names, and beside them n, intervals and what the seed only plans.

Blocks of conversations are counted as they come. What is kept are counts, a few hundred kilobytes, however many turns
there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.conversations.breakdowns import MISSES, REFERENCES, Breakdowns, TurnColumns
from steelyard.conversations.complexity import Complexity
from steelyard.conversations.diagnosis import Diagnosis, Propagation
from steelyard.conversations.logic import LOGIC
from steelyard.conversations.means import ConversationMean, NumberedMeans, split
from steelyard.numbers.ladder import RUNGS
from steelyard.records.conversations import JudgedConversation
from steelyard.records.items import STATES
from steelyard.records.scores import ValueKind
from steelyard.registry import value_kind
from steelyard.stats.bins import ExactSum

ACCURACIES = {
    "numerical_match": "numerical_accuracy",
    "general_match": "general_accuracy",
    "exact_numeric_match": "exact_numeric_accuracy",
    "soft_match": "soft_match_accuracy",
    "unit_agnostic_match": "unit_agnostic_accuracy",
    "sign_agnostic_match": "sign_agnostic_accuracy",
}
"""What the mean of each rung is called."""

_PRIMARY = "numerical_match"
_LABELS = {"state": STATES, "miss": MISSES, "matched": REFERENCES}
_OPERATIONS = {"operations": "complexity_ceiling", "program_operations": "program_complexity_ceiling"}
"""Operations of the plan and of the gold program, each with the name of its ceiling."""

_KINDS: dict[str, ValueKind] = {
    **{f"avg_{name}": value_kind(name) or "bounded" for name in LOGIC},
    "avg_partial_credit": "bounded",
    "avg_operations_per_turn": "amount",
}
"""What values a turn can have; every other mean is one of 0 and 1."""


class Statistics:
    """The statistics of a run, from judged conversations in dataset order."""

    def __init__(self) -> None:
        rungs = sorted(RUNGS, key=list(ACCURACIES).index)
        names = [*(ACCURACIES[rung] for rung in rungs), *(f"avg_{name}" for name in LOGIC)]
        names += ["avg_partial_credit", "avg_operations_per_turn", "conversation_level_accuracy"]
        self._means = {name: ConversationMean(_KINDS.get(name, "rate")) for name in names}
        self._by_turn, self._operations_by_turn = NumberedMeans("rate"), NumberedMeans("amount")
        self._complexity = {name: Complexity() for name in _OPERATIONS}
        self._propagation = Propagation()
        self._diagnosis = Diagnosis()
        self._breakdowns = Breakdowns()
        self._tokens, self._with_tokens = ExactSum(), 0
        self._counts = {name: np.zeros(len(labels), np.int64) for name, labels in _LABELS.items()}
        self._unreadable = 0

    def add(self, judged: Sequence[JudgedConversation]) -> None:
        """Take up a block of conversations."""
        columns = TurnColumns.of(judged)
        accuracy, conversation = columns.matches[_PRIMARY].astype(np.float64), columns.conversation
        turn = columns.numbers["turn"]
        self._add_means(columns)
        self._by_turn.add_numbered(accuracy, turn, conversation)
        self._operations_by_turn.add_numbered(columns.operations, turn, conversation)
        for name, complexity in self._complexity.items():
            complexity.add(accuracy, columns.numbers[name], conversation)
        self._propagation.add(columns.right, turn, conversation)
        self._diagnosis.add(columns)
        self._breakdowns.add(columns, accuracy)
        known = columns.tokens[~np.isnan(columns.tokens)]
        self._tokens.add(known)
        self._with_tokens += len(known)
        for name, labels in _LABELS.items():
            self._counts[name] += np.bincount(columns.numbers[name], minlength=len(labels))
        self._unreadable += int(columns.numbers["unreadable_plan"].sum())

    def _add_means(self, columns: TurnColumns) -> None:
        turns = {ACCURACIES[rung]: mask.astype(np.float64) for rung, mask in columns.matches.items()}
        turns |= {f"avg_{name}": values for name, values in columns.logic.items()}
        turns["avg_partial_credit"] = columns.partial_credit
        turns["avg_operations_per_turn"] = columns.operations
        for name, values in turns.items():
            self._means[name].add(values, columns.conversation)
        every = np.arange(len(columns.features))
        wrong = np.bincount(columns.conversation, weights=~columns.right, minlength=len(every))
        self._means["conversation_level_accuracy"].add((wrong == 0).astype(np.float64), every)

    def content(self, sample: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return everything that `statistics.json` says."""
        by_turn, by_turn_details = split(self._by_turn.described())
        average, average_details = split(self._operations_by_turn.described())
        means, intervals = split({name: mean.described() for name, mean in self._means.items()})
        costs, unavailable = self._costs()
        counts = {name: dict(zip(labels, self._counts[name].tolist(), strict=True)) for name, labels in _LABELS.items()}
        return {
            "num_conversations": self._means["conversation_level_accuracy"].n,
            "num_turns": self._means[ACCURACIES[_PRIMARY]].n,
            "states": counts["state"],
            **means,
            **costs,
            "accuracy_by_turn_number": by_turn,
            "avg_operations_by_turn": average,
            "accuracy_by_turn_number_details": by_turn_details,
            "avg_operations_by_turn_details": average_details,
            **self._by_operations(),
            "error_propagation": self._propagation.described(),
            "diagnosis": self._diagnosis.described(),
            "misses": {name: counts["miss"][name] for name in MISSES if name != "none"},
            "matched_reference": counts["matched"],
            "unreadable_calculations": self._unreadable,
            "breakdowns": self._breakdowns.described(),
            "intervals": intervals,
            "unavailable": unavailable | _undefined(intervals),
            "sample": dict(sample) if sample is not None else None,
        }

    def _costs(self) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the seed's cost and its kin; null with a reason where nothing can be divided."""
        total = int(self._tokens.value) if self._with_tokens else None
        successes = int(self._means["conversation_level_accuracy"].total)
        correct = int(self._means[ACCURACIES[_PRIMARY]].total)
        reasons = {}
        if total is None:
            names = ("cost_per_correct_answer", "tokens_per_correct_turn")
            reasons = dict.fromkeys(names, "no turn counted its tokens")
        if not successes:
            reasons["cost_per_correct_answer"] = "no conversation succeeded"
        if not correct:
            reasons["tokens_per_correct_turn"] = "no turn is right"
        costs = {
            "total_tokens": total,
            "turns_with_tokens": self._with_tokens,
            "successful_conversations": successes,
            "correct_turns": correct,
            "cost_per_correct_answer": total / successes if total is not None and successes else None,
            "tokens_per_correct_turn": total / correct if total is not None and correct else None,
        }
        return costs, reasons

    def _by_operations(self) -> dict[str, Any]:
        """Return accuracy by operations of the plan and of the gold program, each with its ceiling."""
        found: dict[str, Any] = {}
        for name, complexity in self._complexity.items():
            result = complexity.described()
            means, details = split(result.pop("accuracy"))
            found |= {f"accuracy_by_{name}": means, f"accuracy_by_{name}_details": details}
            found[_OPERATIONS[name]] = result
        return found


def _undefined(intervals: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    return {name: entry["reason"] for name, entry in intervals.items() if entry.get("reason")}
