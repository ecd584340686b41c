"""Instructions about how many words, sentences and paragraphs a text has."""

from __future__ import annotations

import re

from steelyard.instructions.sentences import sentences
from steelyard.instructions.table import Count, Finding, Ordinal, Phrase, Relation, counted, instruction

_DIVIDER = re.compile(r"\s?\*\*\*\s?")
_WORD = re.compile(r"\w+")
_END_OF_WORD = re.compile(r"[.,?!'\"]")


@instruction("length_constraints:number_sentences")
def number_sentences(text: str, *, num_sentences: Count, relation: Relation) -> Finding:
    """The text has so many sentences."""
    return counted(len(sentences(text)), "sentences", relation, num_sentences)


@instruction("length_constraints:number_paragraphs")
def number_paragraphs(text: str, *, num_paragraphs: Count) -> Finding:
    """The text has exactly so many paragraphs, with `***` between them and none of them empty."""
    parts = _DIVIDER.split(text)
    filled = [part for part in parts if part.strip()]
    none_empty = all(part.strip() for part in parts[1:-1])
    found = f"paragraphs: {len(filled)}{'' if none_empty else ' and an empty one'}, {num_paragraphs} asked"
    return Finding(none_empty and len(filled) == num_paragraphs, found)


@instruction("length_constraints:number_words")
def number_words(text: str, *, num_words: Count, relation: Relation) -> Finding:
    """The text has so many words."""
    return counted(len(_WORD.findall(text)), "words", relation, num_words)


@instruction("length_constraints:nth_paragraph_first_word")
def nth_paragraph_first_word(
    text: str, *, num_paragraphs: Count, nth_paragraph: Ordinal, first_word: Phrase
) -> Finding:
    """The text has so many paragraphs, with an empty line between them, and the one asked for begins with a word."""
    parts = text.split("\n\n")
    filled = sum(1 for part in parts if part.strip())
    # Counted among all parts, empty ones too, as IFEval does.
    wanted = parts[nth_paragraph - 1].strip() if nth_paragraph <= filled else ""
    begins = bool(wanted) and _first_word(wanted) == first_word.lower()
    which = f"paragraph {nth_paragraph} {'begins' if begins else 'does not begin'} with the word"
    return Finding(begins and filled == num_paragraphs, f"paragraphs: {filled}, {num_paragraphs} asked; {which}")


def _first_word(paragraph: str) -> str:
    r"""Return the first word in lower case, without quotation marks before it and whatever follows punctuation in it.

    >>> _first_word('"Weekend, at last"')
    'weekend'
    """
    word = paragraph.split(maxsplit=1)[0].lstrip("'").lstrip('"')
    return _END_OF_WORD.split(word, maxsplit=1)[0].lower()
