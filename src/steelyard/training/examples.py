"""Rows to tokens: what the model reads, and what its loss is taken over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.records.training import TrainingRow

IGNORED = -100
"""torch's label for a token that has no loss."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Tokenised rows, as a torch data set: `len()` and indexing."""

    rows: list[dict[str, Any]]
    cut: int
    """How many rows were longer than the limit."""

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.rows[index]


def prompt_tokens(tokenizer: Any, prompt: str) -> list[int]:
    """Return the tokens of a prompt as the model will be asked: its chat template is applied where it has one."""
    if getattr(tokenizer, "chat_template", None):
        messages = [{"role": "user", "content": prompt}]
        text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])
    return list(tokenizer(prompt)["input_ids"])


def target_tokens(tokenizer: Any, target: str) -> list[int]:
    """Return the tokens of an answer, ended as the model ends its answers."""
    tokens = list(tokenizer(target, add_special_tokens=False)["input_ids"])
    return tokens if tokenizer.eos_token_id is None else [*tokens, tokenizer.eos_token_id]


def causal_examples(rows: Sequence[TrainingRow], tokenizer: Any, max_length: int) -> Examples:
    """Return prompt and answer in one sequence, with a loss on the answer alone."""
    found, cut = [], 0
    for row in rows:
        asked, answered = prompt_tokens(tokenizer, row.prompt), target_tokens(tokenizer, row.target)
        tokens = [*asked, *answered]
        labels = [*([IGNORED] * len(asked)), *answered]
        cut += len(tokens) > max_length
        # Cut on the left: what is left out is the beginning of the prompt, never the answer.
        found.append({"input_ids": tokens[-max_length:], "labels": labels[-max_length:]})
    return Examples(found, cut)


def seq2seq_examples(rows: Sequence[TrainingRow], tokenizer: Any, max_length: int) -> Examples:
    """Return the prompt for the encoder and the answer for the decoder."""
    found, cut = [], 0
    for row in rows:
        asked, answered = prompt_tokens(tokenizer, row.prompt), target_tokens(tokenizer, row.target)
        cut += max(len(asked), len(answered)) > max_length
        found.append({"input_ids": asked[-max_length:], "labels": answered[:max_length]})
    return Examples(found, cut)


def label_examples(rows: Sequence[TrainingRow], tokenizer: Any, max_length: int, labels: Sequence[str]) -> Examples:
    """Return texts with the number of their label."""
    numbers = {label: number for number, label in enumerate(labels)}
    found, cut = [], 0
    for row in rows:
        tokens = prompt_tokens(tokenizer, row.prompt)
        cut += len(tokens) > max_length
        found.append({"input_ids": tokens[:max_length], "labels": numbers[row.target]})
    return Examples(found, cut)


class Collator:
    """Makes a batch of rows of different lengths, padded on the right and masked."""

    def __init__(self, torch: Any, pad_token: int) -> None:
        self._torch = torch
        self._pad = pad_token

    def __call__(self, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return tensors."""
        tokens = [row["input_ids"] for row in rows]
        batch = {
            "input_ids": self._padded(tokens, self._pad),
            "attention_mask": self._padded([[1] * len(row) for row in tokens], 0),
        }
        labels = [row["labels"] for row in rows]
        if isinstance(labels[0], int):
            return batch | {"labels": self._torch.tensor(labels)}
        return batch | {"labels": self._padded(labels, IGNORED)}

    def _padded(self, rows: Sequence[list[int]], filler: int) -> Any:
        width = max(map(len, rows))
        return self._torch.tensor([row + [filler] * (width - len(row)) for row in rows])
