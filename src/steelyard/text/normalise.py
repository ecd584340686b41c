"""Normalisation profiles: what two texts may differ in and still be equal. A profile is part of a signature."""

from __future__ import annotations

import re
import string
import unicodedata
from functools import cache

from steelyard.records.answers import Profile

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
