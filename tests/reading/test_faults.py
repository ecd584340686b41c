"""Faults of rows and files as problems."""

from pathlib import Path

from steelyard.errors import InputError
from steelyard.reading.limits import RowError, bad_file


def test_a_fault_of_a_row_becomes_a_problem_at_its_place():
    error = RowError("bad-json", "found x", 7, "fix it")
    problem = error.at(Path("a.jsonl"), 3)
    assert str(problem) == "a.jsonl:3:7: [bad-json] found x\n    hint: fix it"
    assert str(error) == "found x"


def test_a_file_that_cannot_be_read_at_all_is_an_input_error():
    error = bad_file(Path("a.gz"), "corrupt-file", "cut", hint="fetch it again", line=2)
    assert isinstance(error, InputError)
    assert (error.problems[0].file, error.problems[0].line, error.exit_code) == ("a.gz", 2, 3)
