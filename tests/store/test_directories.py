"""Names, owners and the life of a run directory."""

import subprocess
import sys
from pathlib import Path

import pytest

from steelyard.errors import InputError, MachineError, UsageError
from steelyard.records.runs import RunRecord
from steelyard.store.directories import RunDirectory, check_run_name, find_run, list_runs, read_run


def record(directory: RunDirectory, status="completed") -> RunRecord:
    return RunRecord(
        run_id=directory.run_id,
        name=directory.path.name,
        status=status,
        created_at=directory.created_at,
        task="t",
        steelyard_version="0",
    )


def made(runs: Path, name: str | None, status="completed") -> RunDirectory:
    directory = RunDirectory.create(runs, name, task="t")
    directory.write_record(record(directory, status))
    directory.release()
    return directory


@pytest.mark.parametrize("name", ["nightly", "a", "v1.2-rc_3", "0" * 100])
def test_a_name_of_letters_digits_dots_and_dashes_is_taken(name: str):
    assert check_run_name(name) == name


@pytest.mark.parametrize(
    "name", ["", ".", "..", "latest", "baseline", "a/b", "../x", "-a", ".a", "a b", "0" * 101, "ä"]
)
def test_any_other_name_is_a_usage_error(name: str):
    with pytest.raises(UsageError) as caught:
        check_run_name(name)
    assert caught.value.problems[0].code == "run-name"


def test_a_dated_name_is_made_where_none_is_given(tmp_path: Path):
    assert made(tmp_path, None).path.name.startswith("run_")


def test_an_existing_run_is_never_overwritten(tmp_path: Path):
    made(tmp_path, "one")
    with pytest.raises(UsageError):
        RunDirectory.create(tmp_path, "one")


def test_a_symbolic_link_in_the_way_is_refused(tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError) as caught:
        RunDirectory.create(tmp_path, "link")
    assert caught.value.problems[0].code == "unsafe-path"


def test_a_second_process_is_refused_and_told_the_owner(tmp_path: Path):
    directory = RunDirectory.create(tmp_path, "one")
    directory.write_record(record(directory, "running"))
    code = "import sys; from pathlib import Path; from steelyard.store.directories import RunDirectory\n"
    code += f"RunDirectory.reopen(Path({str(directory.path)!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert "the run is owned by process" in done.stderr
    directory.release()
    RunDirectory.reopen(directory.path).release()


def test_a_folder_without_write_permission_is_the_machine_s_fault(tmp_path: Path, monkeypatch):
    def refuse(*_arguments, **_options):
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(MachineError):
        RunDirectory.create(tmp_path / "runs", "one")


def test_a_run_is_found_by_directory_name_id_and_as_the_latest(tmp_path: Path):
    first = made(tmp_path, "first")
    for name in ("first", str(first.path), first.run_id, "latest", "latest@t"):
        assert find_run(tmp_path, name) == first.path


def test_the_latest_run_is_the_one_started_last_though_it_is_not_complete(tmp_path: Path):
    made(tmp_path, "first")
    broken = made(tmp_path, "broken", status="interrupted")
    assert find_run(tmp_path, "latest") == broken.path


def test_what_is_no_run_is_not_found(tmp_path: Path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError) as caught:
        find_run(tmp_path, "folder")
    assert caught.value.problems[0].code == "run-not-found"


def test_an_unreadable_record_is_said_to_be_unreadable(tmp_path: Path):
    path = made(tmp_path, "one").path
    (path / "run.json").write_text("{")
    with pytest.raises(InputError):
        read_run(path)


def test_runs_are_listed_newest_first(tmp_path: Path):
    names = [made(tmp_path, name).path.name for name in ("a", "b", "c")]
    assert {path.name for path, _ in list_runs(tmp_path)} == set(names)


def test_a_run_that_found_no_room_for_its_first_file_is_begun_again(tmp_path):
    (tmp_path / "one" / "eval").mkdir(parents=True)
    RunDirectory.create(tmp_path, "one", replaces=lambda _: True).release()
    (tmp_path / "two" / "eval").mkdir(parents=True)
    (tmp_path / "two" / "eval" / "mine.txt").touch()
    with pytest.raises(UsageError, match="there is already"):
        RunDirectory.create(tmp_path, "two", replaces=lambda _: True)
