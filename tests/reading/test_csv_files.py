"""CSV and TSV: strict, every value text."""

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steelyard.errors import InputError
from steelyard.reading.limits import Limits
from steelyard.records.columns import defuse

cells = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
tables = st.integers(2, 4).flatmap(lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1))


def written(rows, delimiter=",") -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    return text.getvalue().encode()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables, st.sampled_from([("a.csv", ","), ("a.tsv", "\t")]))
def test_what_the_csv_module_writes_is_read_back(read, table, kind):
    header = [f"c{index}" for index in range(len(table[0]))]
    outcome = read(kind[0], written([header, *table], kind[1]))
    assert [list(row.values()) for row in outcome.fields] == table


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables)
def test_defused_cells_are_restored_when_told(read, table):
    header = [f"c{index}" for index in range(len(table[0]))]
    defused = [[defuse(cell) for cell in row] for row in table]
    outcome = read("a.csv", written([header, *defused]), restore_cells=True)
    assert [list(row.values()) for row in outcome.fields] == table


def test_a_foreign_quote_is_kept_unless_told(read):
    assert read("a.csv", b"id,text\n1,'=x\n").fields == [{"id": "1", "text": "'=x"}]


def test_every_value_is_text(read):
    assert read("a.csv", b"id,n,b,e\n1,2.5,true,\n").fields == [{"id": "1", "n": "2.5", "b": "true", "e": ""}]


def test_records_are_known_by_the_line_they_start_on(read):
    rows = read("a.csv", b'id,text\r\n1,"a\nb\r\nc"\r\n\r\n2,x\r\n').rows
    assert [(row.line, row.fields["text"]) for row in rows] == [(2, "a\nb\r\nc"), (6, "x")]


def test_nul_and_line_separators_are_kept(read):
    assert read("a.csv", "id,text\n1,a\0b\u2028c\x85d\n".encode()).fields == [{"id": "1", "text": "a\0b\u2028c\x85d"}]


def test_a_byte_order_mark_is_no_part_of_the_header(read):
    assert read("a.csv", b"\xef\xbb\xbfid,x\n1,2").fields == [{"id": "1", "x": "2"}]


def test_dotted_headers_nest_under_tags(read):
    data = b"id,tags.source,tags.a.b,tag.c\n1,human,x,y\n"
    assert read("a.csv", data).fields == [{"id": "1", "tag.c": "y", "tags": {"source": "human", "a.b": "x"}}]


def test_ragged_records_are_listed_and_the_rest_is_read(read):
    outcome = read("a.csv", b'id,x\n1,2\n3\n4,5,6\n7,"8\n8"\n9\n')
    assert [row.line for row in outcome.rows] == [2, 5]
    assert [(problem.line, problem.code) for problem in outcome.problems] == [
        (3, "bad-csv"),
        (4, "bad-csv"),
        (7, "bad-csv"),
    ]
    assert "1 values, expected 2" in outcome.problems[0].message


def test_an_unclosed_quote_is_refused_at_the_line_it_opens(read):
    outcome = read("a.csv", b'id,x\n1,2\n3,"open\n4,5\n')
    assert [(problem.line, problem.code) for problem in outcome.problems] == [(3, "bad-csv")]
    assert "never closed" in outcome.problems[0].message


def test_text_after_a_closing_quote_is_refused(read):
    outcome = read("a.csv", b'id,x\n1,"a"b\n2,c\n')
    assert (outcome.codes, outcome.problems[0].line, outcome.fields) == (["bad-csv"], 2, [{"id": "2", "x": "c"}])


def test_a_carriage_return_alone_ends_no_line(read):
    assert read("a.csv", b"id,x\n1,2\r3,4\n").codes == ["bad-csv"]


@pytest.mark.parametrize("header", [b"id,id", b"id,", b",id", b"id, ", b"tags,tags.a", b"tags.,id", b'"id'])
def test_a_header_with_a_name_twice_or_none_is_refused(read, header):
    with pytest.raises(InputError, match="bad-csv") as caught:
        read("a.csv", header + b"\n1,2\n")
    assert caught.value.problems[0].line == 1


def test_a_line_that_is_not_utf8_is_a_bad_row(read):
    outcome = read("a.csv", b"id,x\n1,\xff\n2,y\n")
    assert outcome.fields == [{"id": "2", "x": "y"}]
    assert (outcome.codes, outcome.problems[0].line) == (["not-utf8"], 2)
    assert "byte offset 7" in outcome.problems[0].message


def test_a_line_over_the_limit_ends_the_reading(read):
    with pytest.raises(InputError, match="line-too-long") as caught:
        read("a.csv", b"id,x\n1," + b"y" * 100 + b"\n2,z\n", limits=Limits(max_line_bytes=20))
    assert (caught.value.problems[0].line, "--max-line-bytes" in caught.value.problems[0].hint) == (2, True)


def test_text_inside_a_record_that_is_not_utf8_is_never_taken_for_rows(read):
    rejected = []
    outcome = read("a.csv", b'id,x\n1,"\xff\n2,forged\n"\n3,y\n', rejected=lambda *row: rejected.append(row))
    assert outcome.fields == [{"id": "3", "x": "y"}]
    assert [(line, raw) for line, _, raw in rejected] == [(2, b'1,"\xff\n2,forged\n"')]


def test_a_record_that_grows_over_the_limit_ends_the_reading(read):
    with pytest.raises(InputError, match="line-too-long") as caught:
        read("a.csv", b'id,x\n1,"' + b"row\n" * 100, limits=Limits(max_line_bytes=20))
    assert caught.value.problems[0].line == 2


def test_a_field_may_be_longer_than_the_csv_modules_own_limit(read):
    assert len(read("a.csv", b"id,x\n1," + b"y" * 200_000).fields[0]["x"]) == 200_000


def test_a_bad_record_in_quarantine_has_all_its_lines(read):
    rejected = []
    read("a.csv", b'id,x\n1,"a\nb",c\n2,d\n', rejected=lambda *row: rejected.append(row))
    assert [(line, raw) for line, _, raw in rejected] == [(2, b'1,"a\nb",c')]
