"""JSON files: lists, wrapped lists, mappings."""

import json

import pytest

from steelyard.errors import InputError
from steelyard.reading.json_files import LIST_KEYS
from steelyard.reading.limits import Limits


def refusal(read, data: bytes, **options) -> InputError:
    with pytest.raises(InputError) as caught:
        read("a.json", data, **options)
    return caught.value


@pytest.mark.parametrize("key", LIST_KEYS)
def test_a_list_under_a_known_key_is_the_rows(read, key):
    document = {"version": 1.5, "meta": {"data": [1]}, key: [{"id": 1}, {"id": 2}]}
    assert read("a.json", json.dumps(document).encode()).fields == [{"id": 1}, {"id": 2}]


def test_rows_are_numbered_from_one(read):
    rows = read("a.json", b'[\n\n{"id": "a"},\n{"id": "b"}]').rows
    assert [(row.line, row.raw) for row in rows] == [(1, None), (2, None)]


def test_a_mapping_of_ids_is_read_as_predictions(read):
    data = b'{"q1": "Paris", "q2": 3, "q3": ["a", "b"], "q4": null, "q5": ""}'
    assert read("a.json", data).fields == [
        {"id": "q1", "prediction": "Paris"},
        {"id": "q2", "prediction": 3},
        {"id": "q3", "prediction": ["a", "b"]},
        {"id": "q4", "prediction": None},
        {"id": "q5", "prediction": ""},
    ]


def test_a_mapping_goes_to_the_field_that_is_asked_for(read):
    assert read("a.json", b'{"q": "x"}', mapping_field="output").fields == [{"id": "q", "output": "x"}]


@pytest.mark.parametrize(
    "data", [b'{"a": {"b": 1}}', b'{"a": "x", "b": true}', b'{"train": [{}], "test": [{}]}', b'{"rows": {"a": 1}}']
)
def test_an_object_without_one_list_of_rows_is_refused(read, data):
    assert refusal(read, data).problems[0].code == "unknown-format"


def test_two_lists_of_rows_are_named(read):
    assert "train, test" in str(refusal(read, b'{"train": [{}], "test": [{}]}'))


def test_a_mapping_can_be_refused(read):
    assert refusal(read, b'{"a": "x"}', mapping_field=None).problems[0].code == "unknown-format"


def test_bad_rows_are_listed_with_their_number_and_line_and_the_rest_is_read(read):
    data = b'[\n{"id": 1},\n{"id": 2, "x": NaN},\n7,\n{"id": 3,\n"id": 4},\n{"id": 5}\n]'
    outcome = read("a.json", data)
    assert outcome.fields == [{"id": 1}, {"id": 5}]
    assert [(problem.line, problem.code) for problem in outcome.problems] == [
        (2, "not-finite"),
        (3, "not-an-object"),
        (4, "duplicate-key"),
    ]
    assert "row 4, which starts on line 5" in outcome.problems[2].message


def test_a_bad_row_in_quarantine_has_its_own_bytes(read):
    rejected = []
    read("a.json", b'[{"id": 1}, {"a": 1e999}]', rejected=lambda *row: rejected.append(row))
    assert [(line, raw) for line, _, raw in rejected] == [(2, b'{"a": 1e999}')]


def test_a_bad_value_of_a_mapping_is_a_bad_row(read):
    outcome = read("a.json", b'{"a": "x", "b": Infinity}')
    assert (outcome.fields, outcome.codes) == ([{"id": "a", "prediction": "x"}], ["not-finite"])


def test_a_key_that_stands_twice_at_the_top_is_refused_with_both_lines(read):
    problem = refusal(read, b'{"q1": "a",\n"q2": "b",\n"q1": "c"}').problems[0]
    assert (problem.code, problem.line) == ("duplicate-key", 3)
    assert "'q1'" in problem.message
    assert "lines 1 and 3" in problem.message


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b'[{"a": 1}\n{"a": 2}]', 2, 1),
        (b'[{"a": 1},\n', 2, 1),
        (b'[{"a": 1},]', 1, 11),
        (b'[{"a": 1}] x', 1, 12),
        (b'[{"a": tru}]', 1, 8),
        (b'{"a" 1}', 1, 6),
        (b'{"a": 1,}', 1, 9),
        (b'{"a": 1} []', 1, 10),
        (b'{"data": [{}}', 1, 13),
        (b"7", 1, 1),
        (b"[", 1, 2),
        (b"{", 1, 2),
    ],
)
def test_what_is_not_json_is_refused_with_line_and_column(read, data, line, column):
    problem = refusal(read, data).problems[0]
    assert (problem.code, problem.line, problem.column) == ("bad-json", line, column)


def test_a_byte_that_is_not_utf8_is_refused_with_line_and_offset(read):
    problem = refusal(read, b'[\n{"a": "\xff"}]').problems[0]
    assert (problem.code, problem.line, problem.column) == ("not-utf8", 2, 8)
    assert "byte offset 9" in problem.message


def test_nesting_counts_from_the_row_and_cannot_break_the_parser(read):
    row = b'{"a":' * 63 + b"{}" + b"}" * 63
    assert len(read("a.json", b'{"data": [' + row + b"]}").rows) == 1
    assert read("a.json", b'[{"a":' + row + b"}]").codes == ["too-deep"]
    assert refusal(read, b"[" * 100_000).problems[0].code == "too-deep"


def test_very_long_integers_are_bad_rows(read):
    assert read("a.json", b'[{"a": ' + b"1" * 5000 + b"}]").codes == ["not-finite"]


def test_a_file_over_the_limit_is_refused(read):
    assert (
        refusal(read, b"[" + b" " * 100 + b"]", limits=Limits(max_unpacked_bytes=50)).problems[0].code
        == "file-too-large"
    )


def test_squads_own_files_are_read(shared_data):
    from steelyard.errors import Problems
    from steelyard.reading.rows import read_rows

    folder = shared_data("squad_xquad_en")
    predictions = list(read_rows(folder / "pred_1.1_bert_ensemble.json", Problems()))
    expected = json.loads((folder / "pred_1.1_bert_ensemble.json").read_text())
    assert {row.fields["id"]: row.fields["prediction"] for row in predictions} == expected
    gold = list(read_rows(folder / "xquad_en_gold.json", Problems()))
    assert all("paragraphs" in row.fields for row in gold)
