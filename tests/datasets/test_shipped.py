"""The sets that ship, by name."""

import json
import tomllib
from pathlib import Path

import pytest

from steelyard.datasets.evalset import validate_evalset
from steelyard.datasets.shipped import (
    is_shipped,
    lasting_path,
    named_path,
    opened_path,
    own_size,
    shipped_file,
    shipped_folder,
    shipped_names,
)
from steelyard.errors import InputError

ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_takes_the_folder_into_the_package():
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {"evalsets": "steelyard/evalsets"}


def test_every_set_of_the_folder_has_a_name_and_its_file():
    assert [shipped_file(f"evalsets:{name}").name.split(".")[0] for name in shipped_names()] == shipped_names()


@pytest.mark.parametrize("name", ["eval_v3", "../eval_v2", "", "README"])
def test_a_name_that_is_none_is_refused_with_those_there_are(name):
    with pytest.raises(InputError, match="eval_v2"):
        shipped_file(f"evalsets:{name}")


def test_a_file_that_has_such_a_name_is_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_shipped("evalsets:eval_v2")
    Path("evalsets:eval_v2").touch()
    assert not is_shipped("evalsets:eval_v2")
    assert opened_path("evalsets:eval_v2") == Path("evalsets:eval_v2")


def test_a_set_is_kept_by_name_and_every_other_file_by_its_path(tmp_path):
    assert named_path(shipped_folder() / "eval_v2.jsonl") == "evalsets:eval_v2"
    assert lasting_path(shipped_file("evalsets:conversations_v1")) == "evalsets:conversations_v1"
    assert lasting_path(tmp_path / "eval_v2.jsonl") == str(tmp_path / "eval_v2.jsonl")


def test_each_set_of_items_is_valid_by_its_own_size_and_a_part_of_one_is_not(tmp_path):
    for name in ("eval_v1", "eval_v2", "golden_v1"):
        file = shipped_file(f"evalsets:{name}")
        assert validate_evalset(file, min_items=own_size(file) or 50).valid
    part = tmp_path / "golden_v1.jsonl"
    part.write_bytes(b"".join(shipped_file("evalsets:golden_v1").read_bytes().splitlines(keepends=True)[:9]))
    assert own_size(part) is None


def test_the_example_has_the_conversations_that_ship():
    example = ROOT / "examples/convfinqa/conversations.json"
    assert json.loads(example.read_text()) == json.loads(shipped_file("evalsets:conversations_v1").read_text())
