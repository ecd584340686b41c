"""A text against its instructions, strictly and loosely (IFEval's two readings)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from steelyard.instructions.table import DEFINITIONS, Finding
from steelyard.records.answers import Instruction

REMEMBERED = 8192
"""How many texts are remembered with what was found: a scorer and two metrics ask about each item of a block."""
_EMPTY = Finding(followed=False, found="no text")


@dataclass(frozen=True, slots=True)
class Followed:
    """What one text did with one instruction."""

    instruction: Instruction
    strict: bool
    loose: bool
    """Whether it is followed, or would be without the first line, the last line or asterisks."""
    found: str
    """What the strict check found."""


@lru_cache(maxsize=REMEMBERED)
def follow(text: str, instructions: tuple[Instruction, ...]) -> tuple[Followed, ...]:
    r"""Return what a text did with each of its instructions. An empty text follows none.

    >>> (no_comma,) = follow("Sure, here it is:\nRed and blue", (Instruction("punctuation:no_comma"),))
    >>> no_comma.strict, no_comma.loose, no_comma.found
    (False, True, 'commas: 1')
    """
    return tuple(_followed(text, instruction) for instruction in instructions)


def _followed(text: str, instruction: Instruction) -> Followed:
    strict, found = _check(text, instruction)
    loose = strict or any(_check(variant, instruction).followed for variant in variants(text))
    return Followed(instruction, strict, loose, found)


def _check(text: str, instruction: Instruction) -> Finding:
    if not text.strip():
        return _EMPTY
    return DEFINITIONS[instruction.id].check(text, **dict(instruction.arguments))


def variants(text: str) -> tuple[str, ...]:
    """Return a text without asterisks, and without its first line, its last line or both, with asterisks or not."""
    lines = text.split("\n")
    cut = ["\n".join(kept).strip() for kept in (lines[1:], lines[:-1], lines[1:-1])]
    return tuple(dict.fromkeys(part.replace("*", mark) for mark in ("*", "") for part in (text, *cut)))[1:]
