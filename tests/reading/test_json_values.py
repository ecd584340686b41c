"""Strict JSON of one line."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.reading.json_values import RowError, parse_object, parse_value
from steelyard.reading.limits import Limits

LIMITS = Limits()

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
objects = st.dictionaries(st.text(), values)


def fault(line: bytes, limits: Limits = LIMITS) -> RowError:
    with pytest.raises(RowError) as caught:
        parse_object(line, limits=limits)
    return caught.value


@given(objects, st.booleans(), st.sampled_from([(",", ":"), (", ", ": "), (" ,", " :"), (",\t", "\t: ")]))
def test_what_the_standard_library_writes_is_read_back(fields, escaped, separators):
    line = json.dumps(fields, ensure_ascii=escaped, separators=separators).encode()
    assert parse_object(line, limits=LIMITS) == fields


@given(st.text(st.characters(categories=("Cs", "L", "N"))))
def test_lone_surrogates_are_kept(text):
    assert parse_object(json.dumps({"a": text}).encode(), limits=LIMITS) == json.loads(json.dumps({"a": text}))


@given(st.binary(max_size=40) | st.text('{}[]":,\\u0123456789eE+-.tfn aN', max_size=40).map(str.encode))
def test_any_bytes_are_read_as_the_standard_library_does_or_refused(line):
    try:
        value = parse_value(line, limits=LIMITS)
    except RowError:
        return
    assert value == json.loads(line.decode())


@given(st.lists(st.sampled_from(["a", "b", "é", '"', "\ud800", "x:y"]), min_size=1, max_size=5), st.integers(0, 3))
def test_duplicate_keys_are_refused_at_every_depth_and_only_they(keys, depth):
    inner = "{" + ",".join(f"{json.dumps(key)}:0" for key in keys) + "}"
    line = ('{"k":[' * depth + inner + "]}" * depth).encode()
    if len(set(keys)) == len(keys):
        assert parse_object(line, limits=LIMITS)
    else:
        assert fault(line).code == "duplicate-key"


def test_a_duplicate_key_is_named_with_its_column():
    found = fault(b'{"id": 1, "text": ":\\":", "id" : 2}')
    assert (found.code, found.column) == ("duplicate-key", 27)
    assert "'id'" in found.message


def test_the_same_key_in_two_objects_is_no_duplicate():
    assert parse_object(b'{"a": {"x": 1}, "b": {"x": 1}}', limits=LIMITS) == {"a": {"x": 1}, "b": {"x": 1}}


@pytest.mark.parametrize(
    ("literal", "column"), [(b"NaN", 16), (b"Infinity", 16), (b"-Infinity", 16), (b"1e400", 16), (b"-1e400", 16)]
)
def test_numbers_that_are_not_finite_are_refused_with_their_column(literal, column):
    found = fault(b'{"a": "NaN: ", "b":' + literal + b"}")
    assert (found.code, found.column) == ("not-finite", column + 4)
    assert literal.decode() in found.message


@pytest.mark.parametrize("number", [2**53 + 1, -(2**63), 2**64, 10**400])
def test_integers_are_exact(number):
    assert parse_object(b'{"n": %d}' % number, limits=LIMITS) == {"n": number}


def test_an_integer_that_python_will_not_convert_is_refused():
    assert fault(b'{"n": ' + b"9" * (sys.get_int_max_str_digits() + 1) + b"}").code == "not-finite"


@pytest.mark.parametrize("line", [b"[1]", b'"text"', b"1", b"true", b"null"])
def test_what_is_not_an_object_is_refused(line):
    found = fault(line)
    assert found.code == "not-an-object"
    assert line.decode() in found.message


def test_two_objects_on_a_line_are_refused_at_the_second():
    found = fault(b'{"a": 1} {"a": 2}')
    assert (found.code, found.column, found.cut) == ("bad-json", 10, False)


@pytest.mark.parametrize("depth", [64, 65, 100_000])
def test_nesting_is_refused_over_the_limit_and_not_before(depth):
    line = b'{"a":' * (depth - 1) + b"{}" + b"}" * (depth - 1)
    if depth <= 64:
        assert parse_object(line, limits=LIMITS)
    else:
        assert (fault(line).code, "--max-depth" in fault(line).hint) == ("too-deep", True)


def test_brackets_inside_text_are_not_nesting():
    assert parse_object(json.dumps({"a": '\\"[{' * 100}).encode(), limits=LIMITS) == {"a": '\\"[{' * 100}


def test_a_limit_beyond_what_python_can_nest_still_ends_in_a_row_error():
    line = b'{"a":' * 200_000 + b"{}" + b"}" * 200_000
    assert fault(line, Limits(max_depth=10**6)).code == "too-deep"


def test_columns_count_characters_from_one():
    assert fault('{"ä": tru}'.encode()).column == 7


def test_a_byte_that_is_not_utf8_is_named():
    found = fault(b'{"a": "\xe4"}')
    assert (found.code, found.column) == ("not-utf8", 8)
    assert "0xe4 at byte offset 7" in found.message


def test_a_text_that_was_cut_anywhere_is_known_as_cut():
    line = json.dumps({"a": [True, None, -1.5e-3], "b": {"c": 'x\\"\u00e9'}}).encode()
    assert all(fault(line[:size]).cut for size in range(len(line)))
