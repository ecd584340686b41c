"""Research artifacts from disk: what is found, and what makes a run unreadable."""

import pytest

from steelyard.kinds.research.reading import RequirementError, RunReader, find_runs, read_golden
from steelyard.reading.limits import Limits
from tests.research_artifacts import TEXT, claim, event, evidence, golden, output, step, write_golden, write_run


def read(folder):
    return RunReader(folder.parent, Limits()).read(folder)


@pytest.fixture
def whole(tmp_path):
    content = output(claims=[claim("k1", "E1")], evidence=[evidence("E1")])
    chunk = {"chunk_id": "c1", "source_id": "s1", "text": TEXT}
    return write_run(tmp_path, "run_1", content, events=[event("r1", 1)], manifests=[step("r1", 1)], chunks=[chunk])


def test_a_whole_run_is_read(whole):
    found = read(whole)
    assert (found.readable, found.claims[0].covered, found.quotes_checked, found.steps.total) == (True, True, True, 1)


def test_manifests_may_stand_in_a_folder_of_files(whole):
    (whole / "manifests.jsonl").unlink()
    (whole / "manifests").mkdir()
    (whole / "manifests" / "a.json").write_text('{"run_id": "r1", "step_id": "s1"}')
    assert read(whole).steps.without_manifest == []


@pytest.mark.parametrize("name", ["events.jsonl", "manifests.jsonl", "chunks.jsonl"])
def test_a_file_that_is_absent_or_empty_leaves_a_run_readable(whole, name):
    (whole / name).write_text("\n")
    assert read(whole).readable
    (whole / name).unlink()
    assert read(whole).readable


def test_with_an_empty_file_of_chunks_no_quote_stands_anywhere(whole):
    (whole / "chunks.jsonl").write_text("")
    assert read(whole).claims[0].evidence[0].faults == ("quote_mismatch",)


@pytest.mark.parametrize(
    ("name", "text", "code", "line"),
    [
        ("research_output.json", "", "empty-file", None),
        ("research_output.json", '{"run_id": "r1",\n', "bad-json", 2),
        ("research_output.json", "[]", "bad-artifact", None),
        ("research_output.json", '{"run_id": "r1", "run_id": "r2"}', "duplicate-key", None),
        ("research_output.json", '{"run_id": NaN}', "not-finite", None),
        ("events.jsonl", '{"run_id": "r1"}\n', "bad-artifact", 1),
        ("events.jsonl", '\n{"run_id": "r1", "step_id": "1", "event_type": "ACT"}\n{', "truncated-line", 3),
        ("manifests.jsonl", "3\n", "not-an-object", 1),
        ("chunks.jsonl", '{"chunk_id": "c1", "source_id": "s1"}\n', "bad-artifact", 1),
        ("chunks.jsonl", '{"chunk_id": "\\udead", "source_id": "s1"}\n', "bad-artifact", 1),
    ],
)
def test_an_artifact_that_cannot_be_read_makes_the_run_unreadable(whole, name, text, code, line):
    (whole / name).write_text(text)
    found = read(whole)
    assert [(problem.code, problem.file, problem.line) for problem in found.problems] == [(code, f"run_1/{name}", line)]


def test_text_that_is_not_utf8_makes_the_run_unreadable(whole):
    (whole / "research_output.json").write_bytes(b'{"run_id":\n"\xff"}')
    assert [(problem.code, problem.line) for problem in read(whole).problems] == [("not-utf8", 2)]


def test_the_other_artifacts_are_read_all_the_same(whole):
    (whole / "events.jsonl").write_text("{")
    found = read(whole)
    assert (found.readable, len(found.verified), len(found.steps.recorded)) == (False, 1, 1)


def test_a_run_folder_without_an_output_is_an_unreadable_run(tmp_path):
    (tmp_path / "run_1").mkdir()
    runs, _ = find_runs(tmp_path)
    assert [problem.code for problem in read(tmp_path / runs[0]).problems] == ["missing-file"]


def test_a_copy_of_a_run_is_unreadable(tmp_path):
    reader = RunReader(tmp_path, Limits())
    first, second = (reader.read(write_run(tmp_path, name, output())) for name in ("run_1", "run_2"))
    assert first.readable
    assert [problem.code for problem in second.problems] == ["duplicate-id"]
    assert "run_1" in second.problems[0].message


def test_folders_with_an_output_are_runs_and_the_rest_is_listed(tmp_path):
    write_run(tmp_path, "run_2", output())
    write_run(tmp_path, "alpha", output())
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "cache").mkdir()
    runs, ignored = find_runs(tmp_path)
    assert (runs, ignored) == (["alpha", "run_2"], ["cache", "notes.txt"])


def requirement(call, *given):
    with pytest.raises(RequirementError) as raised:
        call(*given)
    return [name for name, _ in raised.value.faults], raised.value.problems


def test_no_runs_at_all_is_an_error(tmp_path):
    assert requirement(find_runs, tmp_path)[0] == ["outputs.has_runs"]
    assert requirement(find_runs, tmp_path / "absent")[0] == ["outputs.present"]
    (tmp_path / "file").write_text("")
    assert requirement(find_runs, tmp_path / "file")[0] == ["outputs.present"]


def test_the_folder_of_one_run_is_told_from_the_folder_of_runs(tmp_path):
    _, problems = requirement(find_runs, write_run(tmp_path, "run_1", output()))
    assert problems[0].hint == "this is the folder of one run: give the folder above it"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (None, "golden_queries.present"),
        (b"", "golden_queries.not_empty"),
        (b" \n", "golden_queries.not_empty"),
        (b"[]", "golden_queries.not_empty"),
        (b"[", "golden_queries.json"),
        (b"[] []", "golden_queries.json"),
        (b'{"queries": [], "queries": []}', "golden_queries.json"),
        (b"[NaN]", "golden_queries.json"),
        (b"[" * 100 + b"]" * 100, "golden_queries.json"),
        (b'["\xff"]', "golden_queries.readable"),
        (b"{}", "golden_queries.keys"),
        (b"3", "golden_queries.types"),
    ],
)
def test_golden_queries_that_cannot_be_read_name_the_requirement(tmp_path, content, name):
    path = tmp_path / "golden.json"
    if content is not None:
        path.write_bytes(content)
    assert requirement(read_golden, path, Limits())[0] == [name]


def test_a_folder_in_place_of_golden_queries_is_unreadable(tmp_path):
    assert requirement(read_golden, tmp_path, Limits())[0] == ["golden_queries.readable"]


def test_golden_queries_with_a_byte_order_mark_are_read(tmp_path):
    path = write_golden(tmp_path / "golden.json", golden("a", "E1"))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_golden(path, Limits())[0].objective == "a"
