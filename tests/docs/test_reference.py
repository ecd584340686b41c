"""Generated pages say what the registry and the command line say."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_generated_pages_are_up_to_date():
    # In a process of its own: click remembers on each command how it was last asked for help.
    command = [sys.executable, str(ROOT / "tools/write_reference.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
