"""The log of a training that is resumed: kept up to the checkpoint, damaged lines told, whole or not there."""

import json
from pathlib import Path

import pytest

from steelyard.training.logs import LossLog


def line(step: int, **changed: object) -> bytes:
    values = {"step": step, "epoch": 0.5, "loss": 1.0, "learning_rate": 0.1, "grad_norm": None}
    return json.dumps(values | changed).encode() + b"\n"


def resumed(path: Path, content: bytes, *, from_step: int) -> list[int]:
    path.write_bytes(content)
    log = LossLog(path, from_step=from_step)
    log.close()
    return [json.loads(kept)["step"] for kept in path.read_bytes().splitlines()]


def test_what_lies_behind_the_checkpoint_is_cut_and_a_torn_line_too(tmp_path: Path):
    content = line(1) + line(2) + line(3) + line(4)[:9]
    assert resumed(tmp_path / "train_log.jsonl", content, from_step=2) == [1, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["train_log.jsonl"]


@pytest.mark.parametrize("damaged", [b"{}\n", b"[" * 5000 + b"\n", b'{"step":"\xff"}\n', line(2, loss="x"), b"\n"])
def test_a_damaged_line_is_told_and_passed_over(tmp_path: Path, damaged: bytes):
    with pytest.warns(UserWarning, match=r"train_log\.jsonl:2: \[run-damaged\] the line is passed over"):
        assert resumed(tmp_path / "train_log.jsonl", line(1) + damaged + line(3), from_step=3) == [1, 3]
