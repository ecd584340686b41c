"""The final answer of a reasoning: judged by its own type's scorer, and looked for in the reasoning's own words."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.records.answers import Choice, FinalAnswer, ListAnswer, Number, Profile, Text
from steelyard.records.scores import Score
from steelyard.scoring.choice import choice
from steelyard.scoring.list_answer import list_answer
from steelyard.scoring.number import number
from steelyard.scoring.text_answer import text_answer_v1
from steelyard.text.tokens import contains_sequence, words

_AROUND_NUMBERS = "$€£¥₩₹%"
_LONGEST_SPELLED = 14_000
"""In bits: Python refuses to spell integers of more than 4,300 digits."""


def score_final_answer(predicted: FinalAnswer, expected: FinalAnswer) -> Score:
    """Return the score of the final answer; one of another type than the reference's scores 0.

    A choice and a text are both one string, so the reference decides which of the two it is.
    """
    match predicted.answer, expected.answer:
        case ((Choice(value) | Text(value)), Choice() as wanted):
            return choice(Choice(value), wanted)
        case ((Choice(value) | Text(value)), Text() as wanted_text):
            return text_answer_v1(Text(value), wanted_text)
        case Number() as found_number, Number() as wanted_number:
            return number(found_number, wanted_number)
        case ListAnswer() as found_list, ListAnswer() as wanted_list:
            return list_answer(found_list, wanted_list)
        case _:
            return Score(0.0, f"Expected a {expected.answer_type}, found a {predicted.answer_type}.")


def stated_in(texts: Sequence[str], answer: FinalAnswer, profile: Profile) -> bool | None:
    """Return whether texts state an answer in whole tokens; None where the texts or the answer have no token.

    Every item of a list must be there. A number may be written with a currency, a percent sign or thousands separators.

    >>> stated_in(["Analysts support it"], FinalAnswer("choice", Choice("up")), "basic")
    False
    >>> stated_in(["so it rose by $1,200."], FinalAnswer("number", Number(1200)), "basic")
    True
    """
    found = [sequence for text in texts if (sequence := words(text, profile))]
    if not found:
        return None
    match answer.answer:
        case Choice(value) | Text(value):
            return _all_in(found, [value], profile)
        case ListAnswer(items):
            return _all_in(found, items, profile)
        case Number() as quantity:
            bare = [[word.strip(_AROUND_NUMBERS) for word in sequence] for sequence in found]
            return any(_anywhere(bare, spelling) for spelling in _spellings(quantity, profile))


def _anywhere(found: Sequence[Sequence[str]], wanted: Sequence[str]) -> bool:
    return any(contains_sequence(sequence, wanted) for sequence in found)


def _all_in(found: Sequence[Sequence[str]], phrases: Sequence[str], profile: Profile) -> bool | None:
    wanted = [sequence for phrase in phrases if (sequence := words(phrase, profile))]
    return all(_anywhere(found, sequence) for sequence in wanted) if wanted else None


def _spellings(quantity: Number, profile: Profile) -> list[list[str]]:
    """Return the ways a number may be written, as token sequences."""
    texts = [*_digits(quantity.value), *([quantity.text] if quantity.text is not None else [])]
    sequences = ([word.strip(_AROUND_NUMBERS) for word in words(text, profile)] for text in texts)
    return [sequence for sequence in sequences if any(sequence)]


def _digits(value: float | bool) -> list[str]:  # noqa: FBT001 - a boolean is a value of a number answer
    if isinstance(value, bool):
        return ["true", "yes"] if value else ["false", "no"]
    if isinstance(value, int):
        return [str(value), f"{value:,}"] if value.bit_length() <= _LONGEST_SPELLED else []
    whole = [f"{value:.0f}", f"{value:,.0f}"] if value.is_integer() else []
    return [str(value), f"{value:,}", *whole]
