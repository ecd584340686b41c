"""`instructions@v1` and its metrics: texts against the verifiable instructions of their reference (IFEval).

IFEval's four figures: the scorer's mean is its prompt-level strict accuracy and `instructions_loose` the loose one;
`instruction_accuracy` and `instruction_accuracy_loose` are its instruction-level accuracies.
"""

from __future__ import annotations

import numpy as np

from steelyard.instructions import Followed, follow, library_versions
from steelyard.records.answers import Text
from steelyard.records.blocks import Floats
from steelyard.records.scores import Score
from steelyard.registry import metric, scorer
from steelyard.scoring.choice import LISTED_ENTRIES


@scorer(
    "instructions",
    version=1,
    pass_threshold=1.0,
    sub_scores={"instructions_loose": "higher", "instructions_followed": "higher"},
    values="rate",
    sub_values={"instructions_loose": "rate"},
    environment=library_versions,
    needs="instructions",
)
def instructions(predicted: Text, expected: Text) -> Score:
    """1 if the text follows every instruction of the reference, else 0; `instructions_loose` forgives what IFEval does.

    `instructions_followed` is the share of the item's instructions that are followed.
    """
    followed = follow(predicted.value, expected.instructions)
    if not followed:
        parts: dict[str, float | None] = {"instructions_loose": None, "instructions_followed": None}
        return Score(1.0, "The reference asks for nothing.", parts)
    strict = [entry.strict for entry in followed]
    return Score(
        float(all(strict)),
        _explain(followed),
        {
            "instructions_loose": float(all(entry.loose for entry in followed)),
            "instructions_followed": sum(strict) / len(strict),
        },
        tuple(dict.fromkeys(entry.instruction.id for entry in followed if not entry.strict)),
    )


def _explain(followed: tuple[Followed, ...]) -> str:
    missed = [f"{entry.instruction.id} ({entry.found})" for entry in followed if not entry.strict]
    if not missed:
        return f"Follows {'its instruction' if len(followed) == 1 else f'all {len(followed)} instructions'}."
    more = f" and {len(missed) - LISTED_ENTRIES} more" if len(missed) > LISTED_ENTRIES else ""
    told = ", ".join(missed[:LISTED_ENTRIES]) + more
    return f"Follows {len(followed) - len(missed)} of {len(followed)} instructions; not {told}."


def strict_counts(prediction: str, expected: Text) -> tuple[int, int]:
    """Return how many instructions of an item are followed, and how many there are."""
    followed = follow(prediction, expected.instructions)
    return sum(entry.strict for entry in followed), len(followed)


def loose_counts(prediction: str, expected: Text) -> tuple[int, int]:
    """Return how many instructions of an item are followed loosely, and how many there are."""
    followed = follow(prediction, expected.instructions)
    return sum(entry.loose for entry in followed), len(followed)


@metric("instruction_accuracy", kind="corpus", values="rate", counts=strict_counts, environment=library_versions)
def instruction_accuracy(sums: Floats) -> Floats:
    """Share of all instructions that are followed (IFEval's instruction-level strict accuracy)."""
    return _shares(sums)


@metric("instruction_accuracy_loose", kind="corpus", values="rate", counts=loose_counts, environment=library_versions)
def instruction_accuracy_loose(sums: Floats) -> Floats:
    """Share of all instructions that are followed loosely (IFEval's instruction-level loose accuracy)."""
    return _shares(sums)


def _shares(sums: Floats) -> Floats:
    shares: Floats = np.full(len(sums), np.nan)
    np.divide(sums[:, 0], sums[:, 1], out=shares, where=sums[:, 1] > 0)
    return shares
