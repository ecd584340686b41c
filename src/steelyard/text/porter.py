"""Porter's suffix stripping with NLTK's extensions, which is the stemmer of the package rouge-score.

M. Porter, "An algorithm for suffix stripping", Program 14.3 (1980). Step numbers are the paper's. The first rule whose
suffix fits decides: when its condition fails, no later rule of the step is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeAlias

Rule: TypeAlias = tuple[str, str]

_IRREGULAR = {
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "innings": "inning",
    "outings": "outing",
    "cannings": "canning",
    **{word: word for word in ("sky", "news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed")},
}

_PLURALS: tuple[Rule, ...] = (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", ""))

_STEP_2: tuple[Rule, ...] = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("fulli", "ful"),
)

_STEP_3: tuple[Rule, ...] = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)

_STEP_4: tuple[Rule, ...] = tuple(
    (suffix, "")
    for suffix in (
        *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"),
        *("ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
    )
)


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Return the stem of a lower-case word.

    >>> [stem(word) for word in ("relational", "hopping", "dying", "sky")]
    ['relat', 'hop', 'die', 'sky']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    for step in (_step_1a, _step_1b, _step_1c, _step_2, _step_3, _step_4, _step_5a, _step_5b):
        word = step(word)
    return word


def _shape(word: str) -> str:
    """Return the word as a string of `c` and `v`; `y` is a vowel after a consonant."""
    shape: list[str] = []
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and bool(shape) and shape[-1] == "c")
        shape.append("v" if vowel else "c")
    return "".join(shape)


def _measure(word: str) -> int:
    """Return Porter's m: how many times a vowel is followed by a consonant."""
    return _shape(word).count("vc")


def _ends_in_short_syllable(word: str) -> bool:
    """Return the paper's *o: the word ends consonant, vowel, consonant, the last not w, x or y."""
    shape = _shape(word)
    return shape == "vc" or (shape.endswith("cvc") and word[-1] not in "wxy")


def _replace(word: str, rules: Iterable[Rule], condition: Callable[[str], bool]) -> str:
    for suffix, replacement in rules:
        if word.endswith(suffix):
            rest = word.removesuffix(suffix)
            return rest + replacement if condition(rest) else word
    return word


def _always(_: str) -> bool:
    return True


def _has_measure(rest: str) -> bool:
    return _measure(rest) > 0


def _step_1a(word: str) -> str:
    if len(word) == 4 and word.endswith("ies"):
        return word[:-1]
    return _replace(word, _PLURALS, _always)


def _step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _has_measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        rest = word.removesuffix(suffix)
        if rest != word and "v" in _shape(rest):
            return _tidied(rest)
    return word


def _tidied(rest: str) -> str:
    """Return what is left after `ed` or `ing`, with its `e` back or its doubled consonant made single."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) >= 2 and rest[-1] == rest[-2] and _shape(rest)[-1] == "c":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_in_short_syllable(rest) else rest


def _step_1c(word: str) -> str:
    consonant_before = len(word) > 2 and _shape(word[:-1])[-1] == "c"
    return word[:-1] + "i" if word.endswith("y") and consonant_before else word


def _step_2(word: str) -> str:
    while word.endswith("alli") and _has_measure(word[:-4]):
        word = word[:-2]
    # NLTK counts the `l` of `logi` with the stem, so that `geologi` is treated like `archaeologi`.
    if word.endswith("logi"):
        return word[:-1] if _has_measure(word[:-3]) else word
    return _replace(word, _STEP_2, _has_measure)


def _step_3(word: str) -> str:
    return _replace(word, _STEP_3, _has_measure)


def _step_4(word: str) -> str:
    ion_stays = word.endswith("ion") and not word.endswith(("sion", "tion"))
    return word if ion_stays else _replace(word, _STEP_4, lambda rest: _measure(rest) > 1)


def _step_5a(word: str) -> str:
    rest = word.removesuffix("e")
    measure = _measure(rest)
    removable = measure > 1 or (measure == 1 and not _ends_in_short_syllable(rest))
    return rest if removable else word


def _step_5b(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
