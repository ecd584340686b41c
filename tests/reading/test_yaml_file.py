"""Configuration files: what is read, and every trap of YAML that is refused with its place."""

import pytest

from steelyard.errors import ConfigurationError
from steelyard.reading.limits import Limits
from steelyard.reading.yaml_file import parse_yaml, read_yaml


def refused(text: str, **options) -> tuple[str, int | None, int | None, str]:
    with pytest.raises(ConfigurationError) as caught:
        parse_yaml(text, file="task.yaml", environment={}, **options)
    problem = caught.value.problems[0]
    assert (problem.file, caught.value.exit_code) == ("task.yaml", 2)
    return problem.code, problem.line, problem.column, problem.message


def test_a_mapping_is_read_with_the_place_of_every_key():
    document = parse_yaml("task: a\neval:\n  rules:\n    - {name: x}\n", file="t.yaml")
    assert document == {"task": "a", "eval": {"rules": [{"name": "x"}]}}
    assert document.places[("eval", "rules", 0, "name")] == (4, 8)
    assert document.place_of(["eval", "missing"]) == (2, 1)


@pytest.mark.parametrize("text", ["\ufefftask: a", "task: a\r\n", "---\ntask: a\n...\n", "{task: a}", '"task": "a"'])
def test_one_document_is_read_however_it_is_written(text):
    assert parse_yaml(text, file="t.yaml") == {"task": "a"}


def test_quotes_and_blocks_are_text_and_variables_are_filled_in_them():
    text = "a: \"12\"\nb: |\n  ${X}\n  two\nc: '$${X}'\n"
    found = parse_yaml(text, file="t.yaml", environment={"X": "12: [x"})
    assert found == {"a": "12", "b": "12: [x\ntwo\n", "c": "${X}"}


@pytest.mark.parametrize(
    ("text", "code", "place", "word"),
    [
        ("a: &x 1", "bad-yaml", (1, 4), "anchor &x"),
        ("a: *x", "bad-yaml", (1, 4), "alias *x"),
        ("a: !!python/object:os.system x", "bad-yaml", (1, 4), "tag"),
        ("a: ! x", "bad-yaml", (1, 4), "tag"),
        ("%TAG ! tag:x,2000:\n---\na: 1", "bad-yaml", (1, 1), "%TAG"),
        ("a: 1\n---\nb: 2", "bad-yaml", (2, 1), "second document"),
        ("a: 1\nb: 2\na: 3", "duplicate-key", (3, 1), "lines 1 and 3"),
        ("a: {b: 1, b: 2}", "duplicate-key", (1, 11), "'b' stands on lines 1 and 1"),
        ("1: a", "bad-yaml", (1, 1), "the key is 1"),
        ("[a]: b", "bad-yaml", (1, 1), "the key is a list or mapping"),
        ("? {a: 1}\n: b", "bad-yaml", (1, 3), "the key is a list or mapping"),
        ("a: .nan", "not-finite", (1, 4), "found .nan"),
        ("a: 1e999", "not-finite", (1, 4), "found 1e999"),
        ("- a", "bad-yaml", (1, 1), "expected a mapping"),
        ("just text", "bad-yaml", (1, 1), "expected a mapping"),
        ("", "bad-yaml", (1, 1), "found nothing"),
        ("# only a note\n", "bad-yaml", (1, 1), "found nothing"),
        ("a: [1, 2\n", "bad-yaml", (2, 1), "expected YAML"),
        ("a: b: c", "bad-yaml", (1, 5), "expected YAML"),
        ("a:\n\t- b", "bad-yaml", (2, 1), "expected YAML"),
        ("a: ${MISSING_ONE}", "unset-variable", (1, 4), "MISSING_ONE is not set"),
    ],
)
def test_what_a_configuration_has_no_use_for_is_refused_at_its_place(text, code, place, word):
    found = refused(text)
    assert (found[0], found[1:3]) == (code, place)
    assert word in found[3]


def test_every_unset_variable_is_listed():
    with pytest.raises(ConfigurationError) as caught:
        parse_yaml("a: ${ONE} ${TWO}\nb: [x, '${ONE}']", file="t.yaml", environment={})
    assert [(problem.code, problem.line) for problem in caught.value.problems] == [
        ("unset-variable", line) for line in (1, 1, 2)
    ]


def test_nesting_over_the_limit_is_refused():
    assert parse_yaml("a: " + "[" * 63 + "]" * 63, file="t.yaml")
    assert refused("a: " + "[" * 64 + "]" * 64)[0] == "too-deep"
    assert refused("a: " + "[" * 500_000)[0] == "too-deep"


def test_a_large_file_is_refused_and_the_limit_named(tmp_path):
    path = tmp_path / "task.yaml"
    path.write_bytes(b"a: " + b"x" * (1 << 20))
    with pytest.raises(ConfigurationError, match="larger than 1048576 bytes"):
        read_yaml(path)
    assert refused("a: xxxxxxxx", limits=Limits(max_yaml_bytes=5))[0] == "bad-yaml"


@pytest.mark.parametrize(("data", "offset", "line"), [(b"a: 1\nb: \xff", 8, 2), (b"\xc3", 0, 1)])
def test_a_file_that_is_not_utf8_is_refused_with_line_and_byte_offset(tmp_path, data, offset, line):
    path = tmp_path / "task.yaml"
    path.write_bytes(data)
    with pytest.raises(ConfigurationError) as caught:
        read_yaml(path)
    problem = caught.value.problems[0]
    assert (problem.code, problem.line, f"byte offset {offset} " in problem.message) == ("not-utf8", line, True)


@pytest.mark.parametrize("text", ["a: \x00", "a: \x1b[31m", "a: \ud800", "a: \x7f"])
def test_control_characters_are_refused_and_never_shown_raw(text):
    message = refused(text)[3]
    assert message.isprintable()


def test_a_missing_file_is_a_configuration_error(tmp_path):
    with pytest.raises(ConfigurationError, match="missing-file"):
        read_yaml(tmp_path / "none.yaml")
    with pytest.raises(ConfigurationError, match="a folder"):
        read_yaml(tmp_path)
