"""Separates a model's reasoning block from its answer, before anything is extracted.

A block is `<think>…</think>`, `<thinking>…</thinking>` or `<reasoning>…</reasoning>` in any case; any of the closing
tags closes any of the opening ones, and blocks nest. Three rules for what is odd:

- A block that is never closed reaches to the end of the text and is tagged `unclosed_reasoning`: the answer is what
  stands before it.
- A closing tag with no opening one means that everything before it is reasoning: the templates of DeepSeek-R1 and its
  kin put the opening tag into the prompt, so that the output starts inside the block.
- Nothing that is inside a block is ever part of the answer; where a block is cut out of a text, a line break stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from steelyard.canonical.outcome import UNCLOSED_REASONING

_TAG = re.compile(r"<(?P<closing>/?)(?:think|thinking|reasoning)\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Separated:
    """A text in two parts."""

    answer_text: str
    reasoning_text: str | None
    """None where there is no block."""
    tags: tuple[str, ...] = ()


def separate_reasoning(text: str) -> Separated:
    r"""Return the answer part and the reasoning part of a text; a text without a block comes back unchanged.

    >>> separate_reasoning("<think>2 and 2</think>\nAnswer: 4")
    Separated(answer_text='Answer: 4', reasoning_text='2 and 2', tags=())
    >>> separate_reasoning("So 4. <think>or 5").tags
    ('unclosed_reasoning',)
    """
    pieces: list[tuple[str, bool]] = []
    depth = position = answer_from = 0
    for tag in _TAG.finditer(text):
        pieces.append((text[position : tag.start()], depth > 0))
        position = tag.end()
        if not tag["closing"]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            answer_from = len(pieces)
    if not pieces:
        return Separated(text, None)
    pieces.append((text[position:], depth > 0))
    hidden = [inside or index < answer_from for index, (_, inside) in enumerate(pieces)]
    answer = _joined(piece for (piece, _), inside in zip(pieces, hidden, strict=True) if not inside)
    reasoning = _joined(piece for (piece, _), inside in zip(pieces, hidden, strict=True) if inside)
    return Separated(answer, reasoning, (UNCLOSED_REASONING,) if depth else ())


def _joined(pieces: Iterable[str]) -> str:
    return "\n".join(stripped for piece in pieces if (stripped := piece.strip()))
