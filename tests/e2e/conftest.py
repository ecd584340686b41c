"""What the tests of the seeds share: the installed command in an empty folder."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

STEELYARD = Path(sys.executable).parent / "steelyard"


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command line in an empty folder, as it is typed; `steelyard` is the installed one."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("STEELYARD_", "OPENAI_"))}
    environment = kept | {"NO_COLOR": "1", "PATH": f"{STEELYARD.parent}{os.pathsep}{os.environ['PATH']}"}

    def run(line: str, *, code: int = 0, stdin: str | None = None, **variables: str):
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=environment | variables, input=stdin, capture_output=True,
            encoding="utf-8", check=False, timeout=240,
        )  # fmt: skip
        assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Write a file of the empty folder: text as it is, a list as JSONL, anything else as JSON."""

    def put(name: str, content: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, list):
            content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
        path.write_text(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False), "utf-8")
        return path

    return put
