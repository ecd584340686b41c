"""Instructions about words that stand in a text, or must not.

A word is taken as it is written, and not as a pattern, which IFEval's own code makes of it: `C++` is a word here.
"""

from __future__ import annotations

import re

from steelyard.instructions.table import Count, Finding, Letter, Phrase, Relation, Words, counted, instruction


@instruction("keywords:existence")
def existence(text: str, *, keywords: Words) -> Finding:
    """Every keyword stands in the text, in whatever case."""
    missing = [word for word in keywords if not _written(word).search(text)]
    return Finding(not missing, f"missing: {len(missing)} of {len(keywords)} keywords")


@instruction("keywords:frequency")
def frequency(text: str, *, keyword: Phrase, frequency: Count, relation: Relation) -> Finding:
    """The keyword stands in the text so many times, in whatever case."""
    return counted(len(_written(keyword.strip()).findall(text)), "occurrences", relation, frequency)


@instruction("keywords:forbidden_words")
def forbidden_words(text: str, *, forbidden_words: Words) -> Finding:
    """No forbidden word stands in the text as a word of its own."""
    used = [word for word in forbidden_words if re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE)]
    return Finding(not used, f"used: {len(used)} of {len(forbidden_words)} forbidden words")


@instruction("keywords:letter_frequency")
def letter_frequency(text: str, *, letter: Letter, let_frequency: Count, let_relation: Relation) -> Finding:
    """The letter stands in the text so many times, in whatever case."""
    return counted(text.lower().count(letter.lower()), "occurrences", let_relation, let_frequency)


def _written(word: str) -> re.Pattern[str]:
    return re.compile(re.escape(word), re.IGNORECASE)
