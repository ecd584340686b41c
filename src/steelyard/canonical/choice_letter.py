"""`extract: choice_letter`, version 1: the letter (or letters) of a choice. Rules in order, none of which guesses.

1. Letters after a marker: `answer is (C)`, `Answer: C`, `答案：C`, `【答案】C`, `答案是C`, `故选C`. All marked letters
   of a text must agree. A text that has markers but no letter after any of them has no answer.
2. A text that is nothing but the letter with punctuation (`C`, `(C)`, `**C.**`), or one line that starts with
   the letter's label (`C. Paris`, `C) Paris`, `(C) Paris`).
3. A letter in parentheses at the end of the text (`…, which makes it (C).`), when no other one stands in parentheses.

Several letters are one answer when they are written as one: `AC` in ascending order, or joined by a conjunction
(`A、C`, `A and C`) at the end of their sentence; the answer is then `AC`. Joined by `or`, `或` or `/` they disagree,
and so do letters joined by a conjunction in the middle of a sentence. A letter with a question mark after it is not an
answer. `A` and `I` before another word are an article and a pronoun. Full-width letters and punctuation count as plain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from steelyard.canonical.outcome import Found, Outcome, ambiguous, nothing

OPTION_LETTERS = "ABCDEFGHIJ"
"""The letters that are options where the task does not list its choices."""

_PLAIN = {0x3000: " ", **{point: chr(point - 0xFEE0) for point in range(0xFF01, 0xFF5F)}}

_MARKER = re.compile(
    r"""
      (?<![A-Za-z0-9_])answer (?: [*_]{0,3}[ \t]?: | [ ]is(?![A-Za-z'’]) )
    | 【答案】
    | 答案 (?: [*_]{0,3}[ \t]?: | (?:应该|应当|应)?[是为选] )
    | (?:^|(?<=[\s。,.;:!?、故应该当以此题我]))选(?=[ \t]*[(A-Z])
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
# Possessive, so that a long run of stars or spaces is read once.
_LEAD = re.compile(
    r"[\s:*_\"'“‘`$]*+(?:\\(?:boxed|text|textbf|mathrm)\{)*+(?:(?i:option|choice|letter)\b[\s:]*+|选项\s*+)?[*_\"]*+"
)
_BRACKETED = re.compile(r"[(\[]\s{0,3}([A-Za-z])\s{0,3}[)\]]")
_BARE = re.compile(r"([A-Z]{1,10})(?![A-Za-z0-9_'’+#]|-\w|\.[A-Za-z])")
_SMALL = re.compile(r"([a-z])(?=[.)*_\"$}]*+[ \t]*+(?:[\r\n]|$))")
_JOINER = re.compile(
    r"[ \t]*(?:(?P<apart>/|\bor\b|或者|或)|,[ \t]*and\b|[,;、&]|\band\b|以及|和|与|及)[ \t]*(?:option\b|选项)?[ \t]*",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"[ \t]+(?!because\b|since\b|due\b|based\b|is\b|which\b)[A-Za-z]")
_NOTHING_MORE = re.compile(r"(?:项|选项)?[ \t)\]}*_\"'”’`$]*+(?:[.。;]|<eo[ae]>|[\r\n]|$)")
_QUESTION = re.compile(r"[ \t)*_]*+\?")
_LABELLED_LINE = re.compile(r"[*_]{0,3}(?:\(([A-Z])\)|([A-Z])[.):])[*_]{0,3}[ \t]+[^\r\n]+", re.ASCII)
_PARENTHESISED = re.compile(r"(?<![A-Za-z0-9])\(([A-Z])\)(?![A-Za-z0-9])")
_END = re.compile(r"[\s.。*_\"$}]*+")


@dataclass(frozen=True, slots=True)
class _Phrase:
    """Letters as written at one place: `C`, `A and C`, `A or B`."""

    letters: tuple[str, ...]
    end: int
    disagree: bool

    @property
    def answer(self) -> str:
        return "".join(sorted(set(self.letters)))


def choice_letter(text: str, choices: Sequence[str] = ()) -> Outcome:
    """Return the letter of the choice that a text names.

    >>> choice_letter("B is tempting, but the answer is (C).").value
    'C'
    >>> choice_letter("Answer: A or B").tags
    ('ambiguous_answer',)
    """
    plain = text.translate(_PLAIN) if not text.isascii() else text
    options = option_letters(choices)
    marked = _marked(plain, options)
    if marked is not None:
        return marked
    alone = _alone(plain, options)
    return alone if alone is not None else _in_parentheses(plain, options)


def option_letters(choices: Sequence[str]) -> str:
    """Return the letters of the options: the choices where they are letters, else as many letters as there are choices.

    >>> option_letters(["A", "B", "C"]), option_letters(["Paris", "Rome"]), option_letters([])
    ('ABC', 'AB', 'ABCDEFGHIJ')
    """
    stripped = [choice.strip().upper() for choice in choices]
    if stripped and all(re.fullmatch("[A-Z]", choice) for choice in stripped):
        return "".join(sorted(set(stripped)))
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(stripped)] if stripped else OPTION_LETTERS


def _marked(text: str, options: str) -> Outcome | None:
    """Rule 1; None where the text has no marker."""
    answers: dict[str, int] = {}
    seen = False
    for marker in _MARKER.finditer(text):
        seen = True
        phrase = _phrase(text, _skip(_LEAD, text, marker.end()), options)
        if phrase is None:
            continue
        if phrase.disagree:
            return ambiguous(list(phrase.letters))
        answers[phrase.answer] = marker.start()
    if len(answers) > 1:
        return ambiguous(list(answers))
    for answer, start in answers.items():
        return Found(answer, start)
    return nothing("no letter follows the answer marker") if seen else None


def _alone(text: str, options: str) -> Outcome | None:
    """Rule 2; None where the text is more than a letter."""
    stripped = text.strip()
    phrase = _phrase(stripped, _skip(_LEAD, stripped, 0), options)
    if phrase is not None and _skip(_END, stripped, phrase.end) == len(stripped):
        return ambiguous(list(phrase.letters)) if phrase.disagree else Found(phrase.answer, 0)
    labelled = _LABELLED_LINE.fullmatch(stripped)
    letter = (labelled[1] or labelled[2]) if labelled else None
    if letter is None or letter not in options:
        return None
    others = {match[1] for match in _PARENTHESISED.finditer(stripped)} & set(options) - {letter}
    return ambiguous([letter, *others]) if others else Found(letter, 0)


def _in_parentheses(text: str, options: str) -> Outcome:
    """Rule 3."""
    found = [match for match in _PARENTHESISED.finditer(text) if match[1] in options]
    letters = {match[1] for match in found}
    if len(letters) > 1:
        return ambiguous(list(letters))
    if found and _skip(_END, text, found[-1].end()) == len(text):
        return Found(found[-1][1], found[-1].start())
    return nothing("the text names no choice by its letter")


def _phrase(text: str, position: int, options: str) -> _Phrase | None:
    """Return the letters that start at a position, None where there are none or where they are a word or a question."""
    first = _letters(text, position, options)
    if first is None or text.startswith("N/A", position):
        return None
    letters, end, apart, joined = [*first[0]], first[1], False, False
    while (joiner := _JOINER.match(text, end)) and (following := _letters(text, joiner.end(), options)):
        joined, apart = True, apart or joiner["apart"] is not None
        letters += following[0]
        end = following[1]
    if _QUESTION.match(text, end) or (not joined and _is_word(text, position, end)):
        return None
    unfinished = joined and _NOTHING_MORE.match(text, end) is None
    return _Phrase(tuple(letters), end, disagree=(apart or unfinished) and len(set(letters)) > 1)


def _letters(text: str, position: int, options: str) -> tuple[str, int] | None:
    """Return one letter or an ascending group of option letters at a position, and where it ends."""
    match = _BRACKETED.match(text, position) or _BARE.match(text, position) or _SMALL.match(text, position)
    if match is None:
        return None
    letters = match[1].upper()
    ascending = all(left < right for left, right in pairwise(letters))
    if len(letters) > 1 and not (ascending and set(letters) <= set(options)):
        return None
    return letters, match.end()


def _is_word(text: str, start: int, end: int) -> bool:
    return text[start:end] in {"A", "I"} and _ARTICLE.match(text, end) is not None


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position
