"""Patterns that users write: they mean what Python's `re` means, and a search with one can be stopped.

`re` decides what a pattern is: what it refuses or warns of is refused. `regex`, which knows time limits, does the
search, over a spelling of the pattern that both read alike (`text.pattern_spelling`). There are three: for texts in
ASCII, for texts of characters that both libraries class alike, and for all others, which is exact and slower.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import cached_property, lru_cache
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any

import regex

from steelyard.errors import excerpt, quoted
from steelyard.text.pattern_spelling import NoSpelling, Spelling, Texts, spelling
from steelyard.text.pattern_tables import are_classed_alike, lowered

LONGEST_PATTERN = 1000
"""How many characters a pattern may have."""


class PatternError(ValueError):
    """A pattern that is empty, too long, or that `re` refuses or warns of."""


class Pattern:
    """A pattern ready to be searched for."""

    def __init__(self, pattern: str) -> None:
        self._tree = _parsed(pattern)
        self.groups: int = self._tree.state.groups - 1
        """How many groups it has."""
        self._ascii = self._compiled("ascii")

    @cached_property
    def _alike(self) -> _Compiled:
        return self._compiled("alike")

    @cached_property
    def _any(self) -> _Compiled:
        return self._compiled("any")

    def _compiled(self, texts: Texts) -> _Compiled:
        try:
            found = spelling(self._tree, texts)
            return _Compiled(regex.compile(found.text, regex.VERSION1), found)
        except NoSpelling as error:
            raise PatternError(str(error)) from None
        except (regex.error, RecursionError, OverflowError, MemoryError) as error:
            raise PatternError(f"it is too large: {excerpt(str(error))}") from None

    def _form(self, text: str) -> _Compiled:
        if text.isascii():
            return self._ascii
        return self._alike if are_classed_alike(text) else self._any

    def found_in(self, text: str, *, seconds: float | None = None) -> bool:
        """Return whether the pattern is found in a text, or raise TimeoutError."""
        return self._form(text).search(text, seconds) is not None

    def matches(self, text: str, *, seconds: float | None = None) -> Iterator[regex.Match[str]]:
        """Yield the matches in a text as `re.finditer` does, or raise TimeoutError."""
        yield from self._form(text).finditer(text, seconds)


class _Compiled:
    """A spelling of a pattern, compiled."""

    def __init__(self, compiled: regex.Pattern[str], found: Spelling) -> None:
        self._compiled = compiled
        self._is_lowered = found.is_lowered
        self._ascii_only = found.ascii_only

    def search(self, text: str, seconds: float | None) -> regex.Match[str] | None:
        return self._compiled.search(self._text(text), timeout=seconds)

    def finditer(self, text: str, seconds: float | None) -> Iterator[regex.Match[str]]:
        return self._compiled.finditer(self._text(text), timeout=seconds)  # type: ignore[no-any-return]

    def _text(self, text: str) -> str:
        return lowered(text, ascii_only=self._ascii_only) if self._is_lowered else text


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Pattern:
    r"""Return a pattern ready to be searched for, or raise PatternError.

    >>> compile_pattern(r"\bsure\b").found_in("Oh, sure.")
    True
    """
    if not pattern or len(pattern) > LONGEST_PATTERN:
        raise PatternError(f"a pattern has 1 to {LONGEST_PATTERN} characters, this one has {len(pattern)}")
    return Pattern(pattern)


def _parsed(pattern: str) -> Any:
    """Return how `re` reads a pattern. Its own cache is passed by, because it warns only once."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = _parser.parse(pattern)
            _compiler.compile(pattern, 0)
    except Warning as warning:
        raise PatternError(f"{quoted(pattern)} may not mean what it seems to: {excerpt(str(warning))}") from None
    except (re.error, RecursionError, OverflowError) as error:
        raise PatternError(f"{quoted(pattern)} does not compile: {excerpt(str(error))}") from None
    return tree
