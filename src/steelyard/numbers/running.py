"""Numbers in running text, in time linear in its length.

Each span is a maximal number or a maximal run that looks like one and is not: `1,2,3`, `12:30`, `2024-05-01`, `3/4`,
`10-20`. Those are reported as not numbers, so that whoever takes the last number does not take an earlier one instead.
Digits inside a word (`Q3`, `COVID-19`, `12th`, `x2`) are part of the word and no span.

Three rules differ from a text that is one number as a whole. Only units of the table count, and standing apart from the
digits only those that are no common word. A sign is attached to its number. Parentheses negate only where an answer
stands (at the start of a line, after `:`, `=`, `|`, `is`, `was`, 是, 为); elsewhere they hold a remark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from steelyard.numbers import affixes as numerals
from steelyard.numbers import literals
from steelyard.numbers.affixes import DASHES, SIGNS, Suffix, assemble, assemble_ratio, read_suffix
from steelyard.numbers.quantity import NotANumber, Quantity, fold_with_places
from steelyard.numbers.units import Unit, currency

Span: TypeAlias = tuple[int, int, Quantity | NotANumber]
"""Start, end, and what stands there."""

_CANDIDATE = re.compile(
    rf"(?P<base>[{numerals.NUMERAL_CHARACTERS}]++)分之(?P<part>{literals.DIGITS}|{numerals.RUN.pattern})"
    rf"|(?P<digits>{literals.DIGITS})(?P<joined>(?:(?:[-+*/:^_~\u2044×÷–—]++|\}}\{{)(?:{literals.DIGITS}))*+)"
    rf"|(?P<numeral>(?=[{numerals.NUMERAL_CHARACTERS}]{{2}}){numerals.RUN.pattern})"
)
_MONEY_BEFORE = re.compile(r"(?:^|[^A-Za-z])(?P<money>[A-Z]{0,2}[^\w\s]|[A-Za-z]{2,3}) ?$")
_ANSWER_STANDS = re.compile(r"(?:[:：=|\n]|\b(?:is|was|are|were|equals)|[是为])[^\S\n]*$")
_PHRASE = re.compile(r" ?(?:[A-Za-zμΩ°]+(?:\^?[23])?(?:/[A-Za-z]+(?:\^?[23])?)?|[%‰$€£¥₩₹₽])")
_HAN_RUN = re.compile(r" ?[\u3400-\u9fff]{1,8}")
_LETTERS_APART = frozenset("mshgL")
_COMMON_WORDS = frozenset({"in", "won", "try", "mo", "second", "pa", "ma"})


def find_numbers(text: str) -> list[tuple[int, int, Quantity]]:
    """Return every number in a text with its start and end, in order.

    >>> [quantity.value for _, _, quantity in find_numbers("Step 2: 3,400 km, not 1,2,3 or 12:30.")]
    [2, 3400]
    """
    return [(start, end, found) for start, end, found in scan_numbers(text) if isinstance(found, Quantity)]


def last_number(text: str) -> Quantity | NotANumber:
    """Return the last number in a text; where the last span is malformed, why it is not a number.

    >>> last_number("The answer is 12.345.")
    Quantity(value=12.345, unit=None, decimals=3)
    >>> last_number("From 5 we get 1,2,3")
    NotANumber(reason='bad_grouping')
    """
    spans = scan_numbers(text)
    return spans[-1][2] if spans else NotANumber("no_number")


def scan_numbers(text: str) -> list[Span]:
    """Return every number and every malformed one in a text, with start and end, in order."""
    folded, places = fold_with_places(text)
    spans = _scan(folded)
    if places is None:
        return list(spans)
    return [(places[start], places[end - 1] + 1, found) for start, end, found in spans]


def _scan(text: str) -> Iterator[Span]:
    floor = 0
    for match in _CANDIDATE.finditer(text):
        span = _read(text, match, floor)
        if span is not None:
            yield span
            floor = span[1]
        else:
            floor = match.end()


def _read(text: str, match: re.Match[str], floor: int) -> Span | None:
    start, end = match.start(), match.end()
    if match["base"]:
        return _ratio(text, match, floor)
    if match["numeral"]:
        arabic = numerals.to_arabic(match["numeral"])
        return (
            None if arabic is None or not _spoken(match["numeral"]) else _with_affixes(text, arabic, start, end, floor)
        )
    if match["joined"]:
        inside_word = start > floor and _is_word(text[start - 1])
        return None if inside_word else (start, end, NotANumber("malformed"))
    return _with_affixes(text, match["digits"], start, end, floor)


def _spoken(numeral: str) -> bool:
    """Return whether a numeral says its powers: 十二, and not 一一 as in 一一对应."""
    return not all(character in numerals.DIGITS for character in numeral.partition("点")[0])


def _is_word(character: str) -> bool:
    return character == "_" or (character.isalpha() and character < "\u2e80")


def _ratio(text: str, match: re.Match[str], floor: int) -> Span:
    start = match.start()
    sign = text[start - 1] if start > floor and text[start - 1] in SIGNS else ""
    found = assemble_ratio(match["base"], match["part"], negative=SIGNS.get(sign, False))
    return start - len(sign), match.end(), found


def _with_affixes(text: str, run: str, start: int, end: int, floor: int) -> Span | None:
    before = _before(text, start, floor)
    if before is None:
        return None
    first, sign, money = before
    tail = _after(text, end, money)
    if tail is None:
        return None
    suffix, last = tail
    if first > floor and text[first - 1] in DASHES and text[first - 1] != "—":
        return first - 1, last, NotANumber("bad_sign")
    if not sign and _accountant(text, first, last, floor):
        return first - 1, last + 1, assemble(run, suffix, negative=True)
    return first, last, assemble(run, suffix, negative=SIGNS.get(sign, False))


def _before(text: str, start: int, floor: int) -> tuple[int, str, Unit | None] | None:
    """Return where the number starts with its sign and currency, or None where the digits are part of a word."""
    first, sign, money = start, "", None
    if first > floor and text[first - 1] in SIGNS:
        first, sign = first - 1, text[first - 1]
    match = _MONEY_BEFORE.search(text[max(floor, first - 6) : first])
    money = currency(match["money"]) if match and match["money"] not in _COMMON_WORDS else None
    if match and money:
        first -= match.end() - match.start("money")
        if not sign and first > floor and text[first - 1] in SIGNS:
            first, sign = first - 1, text[first - 1]
    previous = text[first - 1] if first > floor else " "
    if _is_word(previous):
        return None
    if sign and previous == ")":
        return first + 1, "", money
    return first, sign, money


def _after(text: str, end: int, money: Unit | None) -> tuple[Suffix, int] | None:
    """Return the magnitude and unit after the digits and where they end, or None where digits run into a word."""
    if money and money.name == "$" and text.startswith("$", end):
        return Suffix(), end  # $42$ is typeset mathematics, not money
    plain = Suffix(unit=money.name if money else None)
    for phrase in _phrases(text, end):
        suffix = read_suffix(phrase, money, known_only=True)
        if isinstance(suffix, Suffix) and not _common(phrase, money):
            return suffix, end + len(phrase)
    return None if end < len(text) and _is_word(text[end]) else (plain, end)


def _phrases(text: str, end: int) -> list[str]:
    """Return what may be magnitude and unit, longest first: up to four words, or up to eight Han characters."""
    han = _HAN_RUN.match(text, end)
    if han:
        run = han.group()
        return [run[:length] for length in range(len(run), 1 if run[0] == " " else 0, -1)]
    phrases, place = [], end
    for _ in range(4):
        word = _PHRASE.match(text, place, min(len(text), end + 64))
        if word is None:
            break
        place = word.end()
        phrases.append(text[end:place])
    return phrases[::-1]


def _common(phrase: str, money: Unit | None) -> bool:
    """Return whether a word that stands apart is more likely no unit."""
    if not phrase.startswith(" "):
        return False
    word = phrase.strip()
    lone_letter = len(word) == 1 and word.isascii() and word.isalpha()
    return word in _COMMON_WORDS or (lone_letter and not money and word not in _LETTERS_APART)


def _accountant(text: str, first: int, last: int, floor: int) -> bool:
    if not (first > floor and text[first - 1] == "(" and text.startswith(")", last)):
        return False
    opening = first - 1
    context = text[opening - 12 : opening] if opening > 12 else "\n" + text[:opening]
    return _ANSWER_STANDS.search(context) is not None
