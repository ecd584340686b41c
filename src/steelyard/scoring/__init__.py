"""Two answers to a score, one file per family. Pure: no network, no clock, no model.

Importing the room registers its scorers and metrics, by the same decorators that a plugin uses.
"""

from steelyard.scoring import (
    answer_correctness,
    bleu,
    choice,
    chrf,
    gold,
    instructions,
    list_answer,
    metrics_program,
    metrics_repeats,
    metrics_text,
    number,
    numerical_match,
    reasoning,
    reasoning_parts,
    rules,
    text_answer,
)

__all__ = [
    "answer_correctness",
    "bleu",
    "choice",
    "chrf",
    "gold",
    "instructions",
    "list_answer",
    "metrics_program",
    "metrics_repeats",
    "metrics_text",
    "number",
    "numerical_match",
    "reasoning",
    "reasoning_parts",
    "rules",
    "text_answer",
]
