"""Searches over blocks against the regex module, on patterns and texts made of the same few characters."""

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.kernels.patterns import pattern_block
from steelyard.records.blocks import TextColumn

TEXTS = [
    "",
    ".",
    "a.",
    "a.\n",
    "\n",
    "a.\n\n",
    "Sure, yes",
    "Of course.",
    "not Sure",
    "I'd be happy",
    "é.",
    "日本.\n",
    "7",
    "٣",
    "a b",
]
PATTERNS = [
    r"\.$", r"\.\Z", r"^\.", r"^(?:Sure|Of course|I'd be happy)", "^$", "$", "", "^a.$", "b", "a|b$|^c",
    r"\[\d\]", r"\d$", r"\w", r"[^a]$", "[a-c].", r"\S\s", "(a|b)c", r"^.\.",
    "a(?:b|c|)d", "^(?:a|^b)", "(?:a$|b)", r"[\d.]$",
]  # fmt: skip
ATOMS = st.sampled_from(
    ["a", "b", r"\.", ".", "[ab]", "[^a]", r"\d", "\n", r"\s", "^", "$", r"\Z", "(?:a|b)", "(?:^a|b$)", "|"]
)


def search(pattern):
    compiled = regex.compile(pattern, regex.VERSION0)
    return lambda text: compiled.search(text) is not None


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_without_repetition_are_found_where_regex_finds_them(pattern):
    block = pattern_block(pattern, search(pattern))
    assert block is not None
    assert block.search(TextColumn.of(TEXTS)).tolist() == [search(pattern)(text) for text in TEXTS]


@settings(max_examples=300, deadline=None)
@given(st.lists(ATOMS, max_size=6).map("".join), st.lists(st.text("ab.\n7é٣", max_size=6), min_size=1, max_size=6))
def test_any_such_pattern_has_the_answers_of_regex_or_no_block_form(pattern, texts):
    block = pattern_block(pattern, search(pattern))
    if block is not None:
        assert block.search(TextColumn.of(texts)).tolist() == [search(pattern)(text) for text in texts]


@pytest.mark.parametrize("pattern", ["a+", "a*b", "(?i)a", "(?!a)b", r"\bword", r"(a)\1", "[[:alpha:]]", "é", r"\p{L}"])
def test_everything_else_has_no_block_form(pattern):
    assert pattern_block(pattern, bool) is None
