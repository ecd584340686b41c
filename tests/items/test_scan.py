"""The scan of JSONL against the strict reader: what it takes it reads the same, what it does not know it leaves."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.items.scan import BLANK, ODD, BlockScanner, raw_blocks
from steelyard.items.shapes import ARRAY, INTEGER, OBJECT, TEXT
from steelyard.reading.json_values import parse_object
from steelyard.reading.limits import Limits, RowError
from steelyard.reading.lines import scan_lines

LIMITS = Limits()


def scanned(content, size=1 << 20, limits=LIMITS):
    scanner = BlockScanner(limits)
    blocks = [scanner.scan(raw) for raw in raw_blocks(io.BytesIO(content), limits, size)]
    return scanner, blocks


def fields_of(block, row, shape):
    """The row that a shape and the spans say, built without a JSON parser where there is text."""
    fields = {}
    for place, member in enumerate(shape.members):
        start, end = block.starts[block.firsts[row] + place], block.ends[block.firsts[row] + place]
        holder = fields if len(member.path) == 1 else fields[member.path[0]]
        raw = block.data[start:end].tobytes()
        value = {} if member.kind == OBJECT else raw.decode() if member.kind == TEXT else json.loads(raw)
        holder[member.path[-1]] = value
    return fields


def compare(content, size=1 << 20):
    """Hold every line of a file against the strict reader; return how many were plain."""
    scanner, blocks = scanned(content, size)
    strict = {line.number: line for line in scan_lines(io.BytesIO(content), LIMITS)}
    plain = 0
    for block in blocks:
        for row, number in enumerate(block.shapes.tolist()):
            line = strict.pop(block.raw.number_of(row), None)
            assert (number == BLANK) == (line is None)
            if number >= 0 and not scanner.shapes[number].has_duplicates:
                assert line.fault is None
                assert fields_of(block, row, scanner.shapes[number]) == parse_object(line.data, limits=LIMITS)
                plain += 1
            elif number == ODD:
                again = block.strict_line(row, LIMITS)
                assert again[:3] == line[:3]
                assert str(again.fault) == str(line.fault)
    assert not strict
    return plain


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20), st.just("\ud800")
)
VALUES = st.one_of(
    SCALARS, st.lists(st.text(max_size=5), max_size=3), st.dictionaries(st.text(max_size=4), SCALARS, max_size=3)
)
OBJECTS = st.dictionaries(st.sampled_from(["id", "input", "tags", "é", "x" * 300, ""]), VALUES, max_size=5)
WRITTEN = st.builds(
    lambda value, ascii_only, gap: json.dumps(value, ensure_ascii=ascii_only, separators=(f",{gap}", f":{gap}")).encode(
        "utf-8", "surrogatepass"
    ),
    st.one_of(OBJECTS, VALUES),
    st.booleans(),
    st.sampled_from(["", " ", "\t\r "]),
)
BROKEN = st.builds(
    lambda line, place, byte: line[:place] + byte + line[place + 1 :],
    WRITTEN,
    st.integers(0, 60),
    st.binary(max_size=2),
)
LINES = st.lists(
    st.one_of(WRITTEN, WRITTEN, BROKEN, st.sampled_from([b"", b"  \t", b"{}", b"[1]", b"{", b'{"a":1}\r'])), max_size=8
)


@settings(max_examples=400, deadline=None)
@given(LINES, st.booleans(), st.sampled_from([b"", b"\xef\xbb\xbf"]), st.sampled_from([7, 64, 1 << 20]))
def test_plain_rows_are_read_as_the_strict_reader_reads_them(lines, ended, mark, size):
    content = mark + b"\n".join(line.replace(b"\n", b"") for line in lines) + (b"\n" if ended and lines else b"")
    compare(content, size)


@pytest.mark.parametrize(
    "line",
    [
        b'{"id":"a","input":"say \\"hi\\" \\u00e9 \\ud83d\\ude00 \\n\\t\\/\\\\","n":-12.50,"tags":{"a":"b","c":null}}',
        b'{"id": 7, "ok": true, "no": false, "list": ["a", "b"], "empty": []}',
        '{"id":"é中😀"}'.encode(),
    ],
)
def test_ordinary_rows_are_plain(line):
    assert compare(line + b"\n") == 1


@pytest.mark.parametrize(
    "line",
    [
        b'{"a":"\\ud800"}', b'{"a":"\\x"}', b'{"a":"\x01"}', b'{"a":"\xff"}', b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\xc0\x80"}', b'{"a":01}', b'{"a":1.}', b'{"a":.5}', b'{"a":1e5}', b'{"a":+1}', b'{"a":NaN}',
        b'{"a":1,}', b'{"a":1}x', b'{"a" 1}', b'{"a":1}{"b":2}', b'{"a":{"b":{"c":1}}}', b'{"a":[1]}',
        b'{"a":[["b"]]}', b'{"\\u0061":1}', b"{}", b"[]", b'"a"', b'{"a":tru}',
    ],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_the_strict_reader(line):
    _, (block,) = scanned(line + b"\n")
    assert block.shapes.tolist() == [ODD]


def test_a_key_that_stands_twice_is_seen_in_the_shape():
    scanner, _ = scanned(b'{"a":1,"a":2}\n{"t":{"a":1,"a":2}}\n{"a":1,"t":{"a":2}}\n')
    assert [shape.has_duplicates for shape in scanner.shapes] == [True, True, False]


def test_a_line_over_the_limit_is_odd_and_its_rest_is_passed_over():
    limits = Limits(max_line_bytes=50)
    content = b'{"a":"1"}\n{"a":"' + b"x" * 500 + b'"}\n{"a":"3"}\n'
    _, blocks = scanned(content, 20, limits)
    lines = [(block.raw.number_of(row), shape) for block in blocks for row, shape in enumerate(block.shapes.tolist())]
    assert lines == [(1, 0), (2, ODD), (3, 0)]
    fault = blocks[0].strict_line(1, limits).fault
    assert isinstance(fault, RowError)
    assert fault.code == "line-too-long"


def test_many_shapes_leave_the_rest_to_the_strict_reader():
    content = b"".join(b'{"key%d":1}\n' % number for number in range(200))
    scanner, (block,) = scanned(content)
    assert len(scanner.shapes) == 64
    assert (block.shapes == ODD).sum() == 136


def test_an_example_tells_which_member_a_value_is():
    scanner, _ = scanned(b'{"id":3,"tags":{"a":"x","b":2.5},"list":["q"],"none":null}\n')
    (shape,) = scanner.shapes
    example = shape.example()
    kinds = [
        shape.members[shape.member_of(value)].kind for value in (example["id"], str(example["id"]), example["list"])
    ]
    assert kinds == [INTEGER, INTEGER, ARRAY]
    assert shape.members[shape.member_of(example["tags"]["a"])].path == ("tags", "a")
    assert shape.member_of("x") is None
