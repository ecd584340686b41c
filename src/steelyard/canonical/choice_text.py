"""A choice written as text, against the choices that there are. Membership decides; nothing is guessed.

A text that is a choice after `basic` is that choice. A text that becomes one when its decoration is taken off (quotes,
brackets, `**`, a full stop) is that one. Any other text stays as it is, and the scorer judges it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from steelyard.canonical.answer_line import without_full_stop
from steelyard.canonical.choice_letter import option_letters
from steelyard.text.tokens import normalise

_APART = re.compile(r"\s+or\s+|\s*(?:或者|或|/)\s*", re.IGNORECASE)
_DECORATION = re.compile(r"[\s*_`\"'“”‘’()（）\[\]【】]*+(?P<inside>.*?)[\s*_`\"'“”‘’()（）\[\]【】]*")
_EITHER = re.compile(r"either\s+", re.IGNORECASE)
_LONGEST = 200
"""Longer texts are sentences, not decorated choices."""


def resolve_choice(text: str, choices: Sequence[str]) -> str | None:
    """Return the choice that a text is, without decoration, or None where it is none of them.

    Where the choices are not letters themselves, the letters A, B, … name them.

    >>> resolve_choice(" (b). ", ["A", "B"]), resolve_choice("Paris.", ["Paris", "Rome"]), resolve_choice("Oslo", ["X"])
    ('b', 'Paris', None)
    """
    stripped = text.strip()
    known = {normalise(choice, "basic") for choice in (*choices, *option_letters(choices))}
    bare = without_full_stop(undecorated(stripped)) if len(stripped) <= _LONGEST else stripped
    for candidate in (
        stripped,
        without_full_stop(stripped),
        bare,
        undecorated(bare) if len(bare) <= _LONGEST else bare,
    ):
        if normalise(candidate, "basic") in known:
            return candidate
    return None


def named_as(choice: str, choices: Sequence[str], terms: Sequence[str]) -> str:
    """Return a choice by the name that the terms have for it: option two is `B` among letters, `Rome` among texts.

    >>> named_as("Rome", ["Paris", "Rome"], ["A", "B"]), named_as("b", ["Paris", "Rome"], ["Paris", "Rome"])
    ('B', 'Rome')
    """
    letters, wanted = option_letters(choices), normalise(choice, "basic")
    if not terms or len(terms) != len(choices) or any(normalise(term, "basic") == wanted for term in terms):
        return choice
    names = [normalise(name, "basic") for name in choices]
    if names.count(wanted) == 1:
        return terms[names.index(wanted)]
    place = letters.casefold().find(wanted) if len(wanted) == 1 else -1
    return terms[place] if place >= 0 else choice


def disagreeing_choices(text: str, choices: Sequence[str]) -> list[str]:
    """Return the choices that a text leaves open (`A or B`), or nothing where it does not.

    Without a list of choices only single letters are known to be choices.

    >>> disagreeing_choices("A or B", []), disagreeing_choices("yes or no", ["yes", "no"]), disagreeing_choices("A", [])
    (['A', 'B'], ['yes', 'no'], [])
    """
    if len(text) > _LONGEST:
        return []
    parts = [undecorated(part) for part in _APART.split(_EITHER.sub("", text.strip(), count=1))]
    known = [part for part in parts if _is_choice(part, choices)]
    different = {normalise(part, "basic") for part in parts}
    return known if len(known) == len(parts) and len(different) > 1 else []


def undecorated(text: str) -> str:
    """Return a text without the quotes, brackets and stars around it."""
    match = _DECORATION.fullmatch(text)
    return match["inside"] if match else text


def _is_choice(part: str, choices: Sequence[str]) -> bool:
    return resolve_choice(part, choices) is not None if choices else re.fullmatch("[A-Z]", part) is not None
