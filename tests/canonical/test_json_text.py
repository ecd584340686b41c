"""JSON in model text: strict, first object, bounded."""

import contextlib
import time

import pytest

from steelyard.canonical.json_text import RefusedJson, decode_strict, first_object


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"a": 1, "a": 2}', "duplicate-key"),
        ("NaN", "not-finite"),
        ("1e400", "not-finite"),
        ("1" * 5000, "not-finite"),
        ("[" * 70 + "]" * 70, "too-deep"),
        ("[" * 100_000, "too-deep"),
        ("{", "bad-json"),
    ],
)
def test_what_page_80_refuses_is_refused(text, code):
    with pytest.raises(RefusedJson) as refused:
        decode_strict(text)
    assert refused.value.code == code


def test_big_integers_are_exact():
    assert decode_strict("9007199254740993") == 9007199254740993


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('Take {x}: {"answer": 5} or {"answer": 6}', {"answer": 5}),
        ("no object", None),
        ('{"a": {"b": 1}, broken', None),
        ("{}", {}),
    ],
)
def test_the_first_object_of_a_text(text, value):
    found = first_object(text)
    assert (found.value if found else None) == value


@pytest.mark.parametrize("text", ["{" * 200_000, '{"' * 100_000, '{"a":' * 50_000, '{"a": 1,' * 50_000])
def test_hostile_braces_take_no_time(text):
    start = time.perf_counter()
    with contextlib.suppress(RefusedJson):
        first_object(text)
    assert time.perf_counter() - start < 10
