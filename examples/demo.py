"""`make demo`: a real model answers the shipped eval set under two prompts; compare the runs and gate the second.

Everything is done by the command line that you would type yourself. A demo that was stopped goes on where it stopped.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STEELYARD = [sys.executable, "-m", "steelyard"]
COMMANDS = (
    ("eval", "examples/demo/plain.yaml", "--name", "demo-plain", "--resume"),
    ("eval", "examples/demo/shown.yaml", "--name", "demo-shown", "--resume"),
    ("compare", "--runs", "demo-plain,demo-shown", "--metric", "f1", "--slice-by", "difficulty"),
    ("gate", "demo-shown", "--against", "demo-plain", "--policy", "examples/demo/gates.yaml"),
)
VERDICTS = (0, 1)
"""A gate that fails is a result of the demo, and no failure of it."""


def main() -> int:
    """Run the commands one after another, each shown before its output."""
    for command in COMMANDS:
        print(f"\n$ steelyard {' '.join(command)}\n", flush=True)
        code = subprocess.run([*STEELYARD, *command], cwd=HERE.parent, check=False).returncode  # noqa: S603
        if code not in (VERDICTS if command[0] == "gate" else (0,)):
            return code
    print("\nThe runs are in runs/demo-plain and runs/demo-shown; eval/items.parquet has every item.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
