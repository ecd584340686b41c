"""Tokens that overlap measures count: words between white space, and each Han, kana and hangul character by itself."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.records.answers import Profile
from steelyard.text.cjk import CJK_CHARACTER
from steelyard.text.normalise import normalise

_SENTENCE_PUNCTUATION = ".,;:!?\"'()[]{}<>*_`~…—–·。，、；：！？“”‘’「」『』（）《》〈〉【】・"


def tokens(text: str, profile: Profile) -> list[str]:
    """Return the tokens of a text after normalisation.

    Under `squad` only white space separates, also in Chinese, Japanese and Korean, because that profile is there to
    equal the SQuAD script.

    >>> tokens("Q3 营收 UP 12%", "basic")
    ['q3', '营', '收', 'up', '12%']
    >>> tokens("The 营收", "squad")
    ['营收']
    """
    return split(normalise(text, profile), profile)


def split(normalised: str, profile: Profile) -> list[str]:
    """Return the tokens of a text that is normalised already."""
    if profile == "squad" or normalised.isascii():
        return normalised.split()
    return CJK_CHARACTER.sub(r" \g<0> ", normalised).split()


def words(text: str, profile: Profile) -> list[str]:
    """Return the tokens of a text without sentence punctuation at their ends; what is only punctuation goes.

    Signs that carry meaning stay: `-5`, `12%`, `c++`.

    >>> words("Revenue rose (12.5%), so: 上涨。", "basic")
    ['revenue', 'rose', '12.5%', 'so', '上', '涨']
    """
    trimmed = (token.strip(_SENTENCE_PUNCTUATION) for token in tokens(text, profile))
    return [word for word in trimmed if word]


def contains_sequence(within: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether whole tokens stand in a text one after the other.

    >>> contains_sequence(["prices", "support", "growth"], ["up"]), contains_sequence(["go", "up", "fast"], ["up"])
    (False, True)
    """
    # Tokens have no white space inside, and a search in one string takes linear time also on hostile text.
    return not wanted or f" {' '.join(wanted)} " in f" {' '.join(within)} "
