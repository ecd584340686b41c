"""Instructions about the case and the language of a text.

A text in which nothing belongs to a language counts as one in the language asked for, as in IFEval.
"""

from __future__ import annotations

from steelyard.instructions.languages import Language, language
from steelyard.instructions.sentences import words
from steelyard.instructions.table import Count, Finding, Relation, counted, instruction


@instruction("language:response_language")
def response_language(text: str, *, language: Language) -> Finding:
    """The text is in a language, named by its code: `en`, `de`, `zh-cn`."""
    return _in_language(text, language)


@instruction("change_case:capital_word_frequency")
def capital_word_frequency(text: str, *, capital_frequency: Count, capital_relation: Relation) -> Finding:
    """The text has so many words in capital letters."""
    count = sum(1 for word in words(text) if word.isupper())
    return counted(count, "words in capital letters", capital_relation, capital_frequency)


@instruction("change_case:english_capital")
def english_capital(text: str) -> Finding:
    """The text is English and all in capital letters."""
    return _in_language(text, "en") if text.isupper() else Finding(followed=False, found="not all in capital letters")


@instruction("change_case:english_lowercase")
def english_lowercase(text: str) -> Finding:
    """The text is English and all in lower case."""
    return _in_language(text, "en") if text.islower() else Finding(followed=False, found="not all in lower case")


def _in_language(text: str, wanted: str) -> Finding:
    found = language(text)
    return Finding(found in (wanted, None), f"language {found or 'unknown'}, {wanted} asked")
