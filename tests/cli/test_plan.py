"""`steelyard plan` through the command: what a baseline cannot tell is refused."""

from pathlib import Path

import pytest

from tests.tamper.worlds import inside, steelyard, write_rows


@pytest.fixture
def folder(tmp_path: Path):
    with inside(tmp_path):
        write_rows("items.jsonl", [{"id": n, "prompt": "?", "expected_answer": n, "output": "none"} for n in "123"])
        assert steelyard("eval --dataset items.jsonl --answer-type number --name silent").code == 0
        assert steelyard("eval --dataset items.jsonl --answer-type number --model mock --name dry").code == 0
        yield tmp_path


def test_a_metric_of_which_no_item_has_a_value_tells_nothing(folder: Path):
    found = steelyard("plan --effect 0.1 --baseline silent --metric mae")
    assert (found.code, "no item of silent has a value of mae" in found.err) == (3, True)


@pytest.mark.parametrize("line", ["plan --effect 0.1 --baseline dry", "calibrate --baseline dry --policy p.yaml"])
def test_a_mock_run_tells_nothing(folder: Path, line: str):
    Path("p.yaml").write_text("gates:\n  - {metric: number, max_drop: 0.1}\n")
    found = steelyard(f"{line} --flip-rate 0.1" if "calibrate" in line else line)
    assert (found.code, "[mock-run]" in found.err) == (3, True), found
