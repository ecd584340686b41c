"""A small evaluation starts light: what it does not need is not imported."""

import json
import subprocess
import sys

MODULES = 170
"""At most so many modules of ours for one item."""
PROGRAM = """
import json, sys
from steelyard.cli.main import main
try:
    main(["eval", "--dataset", "items.jsonl", "--answer-type", "text", "--json"])
except SystemExit as exited:
    assert not exited.code, exited.code
print(json.dumps(sorted(name for name in sys.modules if name.startswith("steelyard"))))
"""


def test_an_evaluation_of_one_item_imports_at_most_so_many_modules_of_ours(tmp_path):
    row = {"id": "a", "prompt": "2 + 2?", "expected_answer": "4", "prediction": "4"}
    (tmp_path / "items.jsonl").write_text(json.dumps(row) + "\n")
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, check=True)
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert len(loaded) <= MODULES, loaded
