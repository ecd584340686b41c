"""Tokens that overlap measures count: words between white space, and each Han, kana and hangul character by itself.

Beside them: how texts are normalised, and how far two overlap.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import cache
from typing import NamedTuple

from steelyard.records.answers import Profile

# Which characters are Han, kana or hangul: scripts without spaces between words, so each character is a token.
#
# Letters only: the middle dot and other punctuation of those blocks are not characters of a script. The prolonged
# sound mark and the iteration marks are, because words are spelled with them.


_HAN = "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_KANA = "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001afff\U0001b000-\U0001b16f"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff\uffa0-\uffdc"

CJK = f"{_HAN}{_KANA}{_HANGUL}"
"""Han, kana and hangul, as the inside of a regular expression's character class."""

CJK_CHARACTER = re.compile(f"[{CJK}]")
"""One Han, kana or hangul character."""


def has_cjk(text: str) -> bool:
    """Return whether a text has a Han, kana or hangul character.

    >>> has_cjk("营收 up"), has_cjk("naïve"), has_cjk("・")
    (True, False, False)
    """
    return not text.isascii() and CJK_CHARACTER.search(text) is not None


# Normalisation profiles: what two texts may differ in and still be equal. A profile is part of a signature.


_ARTICLES = re.compile(r"\b(a|an|the)\b")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)
_HARMLESS_LENGTH = 4000
_LAST_MARK = 0x1FFFF


def normalise(text: str, profile: Profile) -> str:
    r"""Return the normal form of a text under a profile.

    `strip_lower` strips the ends and folds case, inner white space stays; `basic` is NFKC, case folding, and white
    space collapsed; `squad` is `normalize_answer` of the SQuAD v1.1 script; `none` changes nothing.

    >>> normalise(" Ｂig  Apple\n", "basic"), normalise("The Big-Apple!", "squad"), normalise(" A  b ", "strip_lower")
    ('big apple', 'bigapple', 'a  b')
    """
    match profile:
        case "basic":
            return collapse(nfkc(text).casefold())
        case "strip_lower":
            return text.strip().casefold()
        case "squad":
            return collapse(_ARTICLES.sub(" ", text.lower().translate(_WITHOUT_PUNCTUATION)))
        case "none":
            return text


def collapse(text: str) -> str:
    """Return a text without white space at its ends and with each run of white space inside as one space."""
    return " ".join(text.split())


def nfkc(text: str) -> str:
    """Return the NFKC form of a text in time that grows with its length.

    Python sorts a run of combining marks by insertion, which takes minutes for some hundred thousand of them. A long
    run is sorted here first: the order of marks is no part of a text's identity, so the result is the same.
    """
    if len(text) > _HARMLESS_LENGTH and not text.isascii():
        text = _mark_runs().sub(_sorted_marks, text)
    return unicodedata.normalize("NFKC", text)


def _sorted_marks(run: re.Match[str]) -> str:
    marks = "".join(unicodedata.normalize("NFKD", mark) for mark in run.group())
    return "".join(sorted(marks, key=unicodedata.combining))


@cache
def _mark_runs() -> re.Pattern[str]:
    """Return a pattern of long runs of characters that decompose to nothing but combining marks."""
    marks = [chr(point) for point in range(0x300, _LAST_MARK) if _is_mark(chr(point))]
    one = f"[{''.join(marks)}]"
    # The first mark stands alone because the engine then skips to it; a bare repeat is tried at every position.
    return re.compile(f"{one}{one}{{63,}}")


def _is_mark(character: str) -> bool:
    return all(map(unicodedata.combining, unicodedata.normalize("NFKD", character)))


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


# Exact match and token F1: how much of two texts is the same after normalisation.


class Overlap(NamedTuple):
    """Multiset overlap of what was found with what was wanted."""

    precision: float
    recall: float
    f1: float


def exact_match(prediction: str, reference: str, *, normalize: Profile = "basic") -> float:
    """Return 1 if two texts are equal after normalisation, else 0.

    >>> exact_match(" Ｂ ", "b"), exact_match("The B.", "b", normalize="squad"), exact_match("ab", "a b")
    (1.0, 1.0, 0.0)
    """
    return float(normalise(prediction, normalize) == normalise(reference, normalize))


def token_f1(prediction: str, reference: str, *, normalize: Profile = "basic") -> float:
    """Return the F1 of the two texts' tokens as multisets; both empty is 1, one empty is 0.

    >>> token_f1("营收增长", "营收下降"), token_f1("the the cat", "the cat")
    (0.5, 0.8)
    """
    return overlap(tokens(prediction, normalize), tokens(reference, normalize)).f1


def overlap(found: Sequence[Hashable], wanted: Sequence[Hashable]) -> Overlap:
    """Return precision, recall and F1 of two multisets, in the SQuAD script's order of operations.

    >>> overlap(["a", "b", "b"], ["b", "c"])
    Overlap(precision=0.3333333333333333, recall=0.5, f1=0.4)
    """
    if not found or not wanted:
        both = float(len(found) == len(wanted))
        return Overlap(both, both, both)
    shared = (Counter(found) & Counter(wanted)).total()
    if not shared:
        return Overlap(0.0, 0.0, 0.0)
    precision, recall = shared / len(found), shared / len(wanted)
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))
