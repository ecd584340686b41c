"""The installed command in an empty folder, as a newcomer types it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STEELYARD = Path(sys.executable).parent / "steelyard"


@pytest.fixture
def steelyard(tmp_path: Path):
    """Run the installed command in an empty folder."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STEELYARD_")}

    def run(*arguments: str, code: int = 0, stdin: str | None = None, **variables: str):
        done = subprocess.run(
            [str(STEELYARD), *arguments],
            cwd=tmp_path,
            env=environment | {"NO_COLOR": "1"} | variables,
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
        assert done.returncode == code, done.stderr
        return done

    return run


def test_a_newcomer_starts_evaluates_and_looks(steelyard):
    steelyard("init", "my-task")
    done = steelyard("eval", "my-task/task.yaml", "--name", "first")
    assert "answer_correctness" in done.stdout
    assert "runs/first" in done.stdout


def test_json_is_alone_on_standard_output(steelyard):
    steelyard("init")
    content = json.loads(steelyard("eval", "task.yaml", "--json").stdout)
    assert content["scorecard"]["primary_score"] == 0.75


def test_an_option_is_set_by_the_environment_and_by_a_dotenv_file(steelyard, tmp_path: Path):
    steelyard("init")
    (tmp_path / ".env").write_text("STEELYARD_NAME=from-dotenv\n")
    assert json.loads(steelyard("eval", "task.yaml", "--json").stdout)["name"] == "from-dotenv"
    content = steelyard("eval", "task.yaml", "--json", STEELYARD_NAME="from-environment").stdout
    assert json.loads(content)["name"] == "from-environment"


def test_the_version_and_help_answer(steelyard):
    assert steelyard("--version").stdout.startswith("steelyard ")
    assert "eval" in steelyard("--help").stdout
    for command in ("eval", "score", "rescore", "validate", "scorers", "metrics", "schema", "init", "runs"):
        assert "Example" in steelyard(command, "--help").stdout


def test_a_usage_error_exits_2_and_says_how(steelyard):
    assert "steelyard eval TASK.yaml" in steelyard("eval", code=2).stderr
    assert "No such option" in steelyard("eval", "--nmae", "x", code=2).stderr


def test_help_imports_nothing_heavy():
    heavy = ["numpy", "numba", "scipy", "polars", "pyarrow", "pint", "pydantic", "rich", "sqlalchemy", "torch", "yaml"]
    heavy += ["aiohttp"]
    code = f"""
import sys
from steelyard.cli.main import main
try:
    main(["--help"])
except SystemExit:
    pass
found = sorted(set({heavy!r}) & set(sys.modules))
sys.exit(f"imported: {{found}}" if found else 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def test_stored_predictions_are_judged_without_the_http_client(tmp_path: Path):
    (tmp_path / "items.jsonl").write_text('{"id": "a", "reference": "x", "prediction": "x"}\n')
    code = """
import sys
import steelyard
from steelyard.cli.main import main
try:
    main("eval --dataset items.jsonl --answer-type text".split())
except SystemExit as ended:
    sys.exit(ended.code or ("aiohttp" in sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_output_cut_short_by_head_is_no_crash(steelyard, tmp_path: Path):
    done = subprocess.run(
        ["bash", "-c", f"{STEELYARD} metrics --json | head -n 1"], cwd=tmp_path, capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip
    assert "crash report" not in done.stderr


def test_the_shipped_eval_sets_are_valid(steelyard):
    for name in ("eval_v1.jsonl", "eval_v2.jsonl"):
        steelyard("validate", str(ROOT / "evalsets" / name))
    steelyard("validate", str(ROOT / "evalsets/golden_v1.jsonl"), "--min-items", "10")
