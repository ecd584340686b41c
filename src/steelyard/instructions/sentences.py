"""Sentences and words by NLTK, with the English parameters of its Punkt tokenizer (Kiss and Strunk 2006)."""

from __future__ import annotations

from functools import cache
from typing import Any

from steelyard.instructions.libraries import library, punkt_folder


def sentences(text: str) -> list[str]:
    """Return the sentences of an English text."""
    return list(_sentence_tokenizer().tokenize(text))


def words(text: str) -> list[str]:
    """Return the words and the punctuation of an English text, as NLTK's `word_tokenize` does."""
    tokenizer = _word_tokenizer()
    return [word for sentence in sentences(text) for word in tokenizer.tokenize(sentence)]


@cache
def _sentence_tokenizer() -> Any:
    punkt = library("nltk.tokenize.punkt")
    parameters = punkt.PunktParameters()
    parameters.abbrev_types = set(_rows("abbrev_types.txt"))
    parameters.sent_starters = set(_rows("sent_starters.txt"))
    parameters.collocations = {tuple(row.split("\t")) for row in _rows("collocations.tab")}
    for row in _rows("ortho_context.tab"):
        word, _, context = row.partition("\t")
        parameters.ortho_context[word] = int(context)
    return punkt.PunktSentenceTokenizer(parameters)


@cache
def _word_tokenizer() -> Any:
    return library("nltk.tokenize.destructive").NLTKWordTokenizer()


def _rows(name: str) -> list[str]:
    return (punkt_folder() / name).read_text("utf-8").splitlines()
