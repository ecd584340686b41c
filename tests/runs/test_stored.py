"""A completed run read back: what cannot be read is damage that names its file, never a crash."""

import json
from pathlib import Path

import pytest

from steelyard.errors import InputError
from steelyard.runs.listing import shown_run
from steelyard.runs.stored import open_run
from tests.made_runs import make_run


def test_a_run_that_was_not_repeated_has_no_repeats(tmp_path: Path):
    make_run(tmp_path, "a", [1, 0])
    assert open_run(tmp_path, "a").repeats is None


def test_repeats_are_what_their_file_says(tmp_path: Path):
    content = {"metrics": {"f1": {"noise_floor": 0.25}}, "scorers": []}
    (make_run(tmp_path, "a", [1, 0]) / "eval" / "repeats.json").write_text(json.dumps(content))
    assert open_run(tmp_path, "a").repeats == content


@pytest.mark.parametrize(("name", "what"), [("eval_results", "results"), ("repeats", "repeats")])
def test_a_file_that_is_no_json_is_damage(tmp_path: Path, name, what):
    file = make_run(tmp_path, "a", [1, 0]) / "eval" / f"{name}.json"
    file.write_text("{")
    with pytest.raises(InputError, match=rf"\[run-damaged\] the {what} cannot be read") as caught:
        getattr(open_run(tmp_path, "a"), what)
    assert caught.value.problems[0].file == str(file)


def test_a_run_with_damaged_results_cannot_be_shown(tmp_path: Path):
    (make_run(tmp_path, "a", [1, 0]) / "eval" / "eval_results.json").write_text("")
    with pytest.raises(InputError, match=r"\[run-damaged\] the results cannot be read"):
        shown_run(tmp_path, "a")
