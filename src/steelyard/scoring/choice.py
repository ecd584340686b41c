"""`choice@v1`: one option out of several, exact after `basic` and through aliases.

Aliases come from the reference and from the task or profile, never from the prediction. An option's own name always
means that option, so an alias that would mean two options is a configuration error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from steelyard.errors import ConfigurationError, Problem, excerpt
from steelyard.records.answers import Choice
from steelyard.records.scores import Score
from steelyard.registry import scorer
from steelyard.text.tokens import normalise

# How explanations quote foreign text: short, safe to show, and never more than a few entries.


LISTED_ENTRIES = 3
"""How many entries an explanation names before "and N more"."""


def quoted(text: str) -> str:
    """Return an excerpt of a text in quotation marks, as the compiled loops for blocks write it too.

    >>> quoted("up"), quoted("")
    ("'up'", "''")
    """
    return f"'{excerpt(text)}'"


def named(entries: Iterable[str]) -> str:
    """Return the first entries in quotation marks and how many more there are.

    >>> named("abcde")
    "'a', 'b', 'c' and 2 more"
    """
    known = list(entries)
    shown = ", ".join(quoted(entry) for entry in known[:LISTED_ENTRIES])
    return f"{shown} and {len(known) - LISTED_ENTRIES} more" if len(known) > LISTED_ENTRIES else shown


@scorer("choice", version=1, values="rate")
def choice(predicted: Choice, expected: Choice, *, aliases: tuple[str, ...] = ()) -> Score:
    """1 if the prediction is the expected option after `basic` and through aliases, else 0.

    `aliases` are pairs `alias=choice` that hold for every item.

    >>> choice(Choice("Ｂ"), Choice("b")).primary, choice(Choice("two"), Choice("B", aliases=("two",))).primary
    (1.0, 1.0)
    """
    meaning = _meanings(expected, aliases)
    found = _option(predicted.value, meaning)
    if found == _option(expected.value, meaning):
        return Score(1.0, f"Chose {quoted(expected.value)} as expected.")
    options = {_option(option, meaning) for option in expected.choices}
    if options and found not in options:
        explain = (
            f"Expected {quoted(expected.value)}, found {quoted(predicted.value)}, "
            f"which is none of the options {named(expected.choices)}."
        )
        return Score(0.0, explain, error_tags=("invalid_choice",))
    explain = f"Expected {quoted(expected.value)}, found {quoted(predicted.value)}."
    return Score(0.0, explain, error_tags=("wrong_choice",))


@lru_cache(maxsize=64)
def alias_table(pairs: tuple[str, ...]) -> Mapping[str, str]:
    """Return what each alias of `alias=choice` pairs means, both sides after `basic`.

    >>> dict(alias_table(("Pos = positive", "neg=negative")))
    {'pos': 'positive', 'neg': 'negative'}
    """
    table: dict[str, str] = {}
    for pair in pairs:
        alias, sign, option = pair.partition("=")
        if not (sign and alias.strip() and option.strip()):
            raise _unusable(pair)
        _enter(table, normalise(alias, "basic"), normalise(option, "basic"))
    for option in list(table.values()):
        _enter(table, option, option)
    return MappingProxyType({alias: option for alias, option in table.items() if alias != option})


def _meanings(expected: Choice, pairs: tuple[str, ...]) -> Mapping[str, str]:
    """Return which option each spelling means that the reference and the task know."""
    table = dict(alias_table(pairs))
    names = {normalise(option, "basic") for option in expected.choices}
    for alias, option in table.items():
        if alias in names and option in names:
            raise _ambiguous(alias, (alias, option))
    target = _option(expected.value, table)
    others = {option for option in names if _option(option, table) != target}
    for alias in (normalise(alias, "basic") for alias in expected.aliases):
        if alias in others:
            raise _ambiguous(alias, (alias, target))
        _enter(table, alias, target)
    return table


def _option(value: str, meaning: Mapping[str, str]) -> str:
    spelling = normalise(value, "basic")
    return meaning.get(spelling, spelling)


def _enter(table: dict[str, str], alias: str, option: str) -> None:
    present = table.setdefault(alias, option)
    if present != option:
        raise _ambiguous(alias, (present, option))


def _ambiguous(alias: str, options: Iterable[str]) -> ConfigurationError:
    message = f"the alias {quoted(alias)} means two answers, {' and '.join(quoted(option) for option in options)}"
    hint = "let each alias stand for one answer, and no answer be an alias of another"
    return ConfigurationError(Problem(code="ambiguous-alias", message=message, hint=hint))


def _unusable(pair: str) -> ConfigurationError:
    message = f"{quoted(pair)} in aliases is not of the form alias=answer"
    return ConfigurationError(Problem(code="bad-configuration", message=message, hint="write `option_b=B`"))
