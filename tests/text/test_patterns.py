"""Patterns of users mean what Python's `re` means: the same texts, the same places, the same groups, and refusals."""

import re
import string
import warnings

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from steelyard.text.pattern_tables import UNICODE_END, lowered, without, word_characters
from steelyard.text.patterns import PatternError, compile_pattern

LETTERS = "aAbkK\u212asS\u017fiI\u0130\u0131\u00e9\u00c9\u00df\u1e9e\u03c3\u03c2\u03a3\u01c5\u01c6\ufb05\ufb06"
OTHERS = "0\u0663\u00b2\u0300_ -\n\r\x1c\x85\u2003'.]^&|~\u20ac\ud800\U0001f600\u4e2d\u0558\u088f"
ALPHABET = LETTERS + OTHERS
TEXTS = st.one_of(
    st.text(st.sampled_from(letters), max_size=12)
    for letters in (ALPHABET, "aAb0 _-\n.\x1cX", f"{LETTERS}0\u0663 _-\n.\x1c\u4e2d")
)
"""Any characters, those of ASCII, and those that both libraries class alike."""

CLASSES = st.sampled_from(
    [
        *(r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", ".", r"[^\n]", r"[\w.-]", r"[^\w\s]", "[a-k]", "[^a-k]", r"[\W\d]"),
        *("[A-Z]", "[^K]", "[k\u0130]", r"[^\d]", "[]a]", r"[\]^]", "[\u00e0-\u00ff]", r"[\x00-\u2003]", r"[\b]"),
    ]
)
PLACES = st.sampled_from(["^", "$", r"\A", r"\Z", r"\b", r"\B"])
SINGLES = st.sampled_from(ALPHABET).map(re.escape) | CLASSES
REPEATS = st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "{,2}", "{e<=1}", "{"]).flatmap(
    lambda sign: st.sampled_from([sign, sign + "?", sign + "+"])
)
REFERENCES = st.sampled_from([r"\1", r"\2", "(?P=name)"])


def grown(inner):
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map("".join),
        pair.map("|".join).map("(?:{})".format),
        inner.map("({})".format),
        inner.map("(?P<name>{})".format),
        st.tuples(inner.map("(?:{})".format) | SINGLES, REPEATS).map("".join),
        st.tuples(st.sampled_from(["?=", "?!", "?<=", "?<!", "?>", "?i:", "?s:", "?m:", "?a:", "?-i:"]), inner).map(
            lambda pair: f"({pair[0]}{pair[1]})"
        ),
        st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]})?(?(1){parts[1]}|{parts[2]})"),
    )


PATTERNS = st.tuples(
    st.sampled_from(["", "", "(?i)", "(?m)", "(?s)", "(?a)", "(?ia)", "(?is)", "(?x)"]),
    st.recursive(SINGLES | PLACES | REFERENCES, grown, max_leaves=8),
).map("".join)


REFUSED = ("without regard to case", "for ASCII, or for Unicode", "inside that group")
"""What `re` takes and `regex` cannot be made to read alike, for certain."""


def python(pattern):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        re.purge()
        return re.compile(pattern)


def spans(matches):
    return [[match.span(group) for group in range(match.re.groups + 1)] for match in matches]


@settings(max_examples=400)
@given(PATTERNS, st.lists(TEXTS, min_size=1, max_size=6))
@example("(?i)stra\u00dfe", ["STRASSE", "STRA\u1e9eE", "stra\u00dfe"])
@example(r"(?i)<(\w+)>.*</\1>", ["<B>x</b>", "<\u212a>x</k>", "<\u017f>x</s>", "<\u00c9>\n</\u00e9>", "<\u0130></i>"])
def test_the_same_matches_are_found_as_by_python(pattern, texts):
    try:
        expected = python(pattern)
    except (re.error, Warning, OverflowError):
        with pytest.raises(PatternError):
            compile_pattern(pattern)
        return
    try:
        found = compile_pattern(pattern)
    except PatternError as error:
        assume(not any(reason in str(error) for reason in REFUSED))
        raise
    for text in texts:
        assert spans(found.matches(text)) == spans(expected.finditer(text)), (pattern, text)
        assert found.found_in(text) is (expected.search(text) is not None)


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "[[:alpha:]]",
            r"\p{L}",
            "a(?i)b",
            "[a--b]",
            "[a&&b]",
            "[a||b]",
            "[a~~b]",
            "[[a]b]",
            r"\X",
            r"\R",
            r"\h",
            r"\K",
        ),
        *(r"\G", r"\m", r"\M", r"\L<names>", "(?V1)a", "(?r)a", "(?e)a", "(?b)a", "(?f)a", "(?p)a", "(?w)a", "(?|a|b)"),
        *(
            r"(?P<a>x)(?&a)",
            "(?R)",
            "(?1)",
            "(?<name>x)",
            "(?P<a>x)(?P<a>y)",
            r"(?<=a+)b",
            "x{1,2}{3}",
            "a**",
            r"\q",
            "",
        ),
        *("(?", "(", "[z-a]", "a" * 1001, r"(?<=(.)\1)x", "(?(2)a|b)", "(*FAIL)", r"\N{no such name}"),
    ],
)
def test_what_python_refuses_or_warns_of_is_refused(pattern):
    with pytest.raises(PatternError):
        compile_pattern(pattern)


def test_a_warning_is_a_refusal_however_often_python_has_compiled_the_pattern():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        re.compile("[[:digit:]]")
    with pytest.raises(PatternError, match="may not mean what it seems to: Possible nested set"):
        compile_pattern("[[:digit:]]")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a{e<=1}", "a{e<=1}"), (r"\x{41}", None), ("(?:a{2}|b)++c", "aabc"), (r"(?>a+)b", "aab"), (r"[\w--]", None),
        ("a{,3}", ""), ("x*", ""), (r"\N{BULLET} item", "\u2022 item"), (r"(?x: a b )c", "abc"), ("[a\\-z]", "-"),
    ],
)  # fmt: skip
def test_syntax_that_the_two_libraries_read_differently_is_read_as_python_reads_it(pattern, text):
    if text is None:
        with pytest.raises(PatternError):
            compile_pattern(pattern)
        return
    assert compile_pattern(pattern).found_in(text) is (re.search(pattern, text) is not None) is True


@pytest.mark.parametrize(
    "pattern", [r"\w", r"\W", r"\d", r"\s", r"[\w\s]", r"[^\w.]", r"(?i)[k\d]", "(?i)s", r"(?i)[^i]"]
)
def test_every_character_of_two_planes_is_taken_as_python_takes_it(pattern):
    every = "".join(map(chr, range(0x20000)))
    flags, _, bare = pattern.rpartition(")")
    many = f"{flags}{')' if flags else ''}(?:{bare})+"
    expected = [found.span() for found in re.finditer(many, every)]
    assert [found.span() for found in compile_pattern(many).matches(every)] == expected


@pytest.mark.parametrize("letter", [*string.ascii_letters, "1"])
@pytest.mark.parametrize("flags", ["(?i)", "(?ia)"])
def test_the_letters_that_equal_one_of_ascii_are_those_that_python_finds(letter, flags):
    every = "".join(map(chr, range(128, UNICODE_END)))
    expected = [found.group() for found in re.finditer(flags + letter, every)]
    assert [found.group() for found in compile_pattern(flags + letter).matches("\u0301".join(expected) + "K")] == [
        *expected,
        *(["K"] if letter in "kK" else []),
    ]


def test_lower_case_keeps_places_and_what_is_a_word():
    every = "".join(map(chr, range(UNICODE_END)))
    low = lowered(every)
    assert len(low) == len(every)
    for kind in (r"\w+", r"\d+", r"\s+"):
        assert [m.span() for m in re.finditer(kind, low)] == [m.span() for m in re.finditer(kind, every)]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=6), st.sets(st.integers(0, 60)))
def test_ranges_less_others_are_what_is_in_none_of_them(ranges, others):
    ordered, last = [], -1
    for first, size in sorted(ranges):
        if first > last:
            ordered.append((first, first + size))
            last = first + size
    points = {point for first, end in ordered for point in range(first, end)}
    left = without(ordered, [(point, point + 1) for point in sorted(others)])
    assert {point for first, end in left for point in range(first, end)} == points - others


def test_words_are_those_of_python_whatever_unicode_the_other_library_knows():
    every = "".join(map(chr, range(UNICODE_END)))
    assert list(word_characters(int(re.UNICODE), beyond=True)) == [m.span() for m in re.finditer(r"\w+", every)]


def test_a_runaway_pattern_is_stopped_on_any_text():
    for text in ("a" * 60 + "b", "a" * 60 + "\u00e9"):
        with pytest.raises(TimeoutError):
            compile_pattern("(a|aa)+$").found_in(text, seconds=0.05)


def test_groups_a_hundred_deep_are_too_deep():
    with pytest.raises(PatternError, match="deep"):
        compile_pattern("(" * 120 + "a" + ")" * 120)
    assert compile_pattern("(" * 60 + "a" + ")" * 60).found_in("a")
