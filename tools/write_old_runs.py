"""Write a folder of runs of every kind by one version of the command: `write_old_runs.py STEELYARD FOLDER`.

What a version has written is kept in `tests/fixtures/old/<commit>`, and every later version is held to it. STEELYARD is
the command of that version, in an environment that has the extras for local models; FOLDER must not be there yet.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from old_runs_inputs import write_inputs

PAIRS: dict[str, tuple[str, str]] = {
    "stored": ("eval sums.yaml --predictions first.jsonl", "eval sums.yaml --predictions second.jsonl"),
    "numbers": ("eval numbers.yaml --predictions first.jsonl", "eval numbers.yaml --predictions second.jsonl"),
    "mixed": ("eval mixed.yaml --predictions first.jsonl", "eval mixed.yaml --predictions second.jsonl"),
    "gated": ("eval gated.yaml --predictions first.jsonl", "eval gated.yaml --predictions second.jsonl"),
    "labels": ("eval labels-first.yaml", "eval labels-second.yaml"),
    "events": ("eval events-first.yaml", "eval events-second.yaml"),
    "limited": (
        "eval sums.yaml --predictions first.jsonl --limit 8",
        "eval sums.yaml --predictions second.jsonl --limit 8",
    ),
    "sampled": (
        "eval sums.yaml --predictions first.jsonl --sample-size 8",
        "eval sums.yaml --predictions second.jsonl --sample-size 8",
    ),
    "quarantined": (
        "eval sums.yaml --predictions broken.jsonl --bad-rows quarantine",
        "eval sums.yaml --predictions second.jsonl --bad-rows quarantine",
    ),
    "clustered": (
        "eval sums.yaml --predictions first.jsonl --cluster-by level",
        "eval sums.yaml --predictions second.jsonl --cluster-by level",
    ),
    "versioned": (
        "eval sums.yaml --dataset shelf@v1 --predictions first.jsonl",
        "eval sums.yaml --dataset shelf@v1 --predictions second.jsonl",
    ),
    "repeated": (
        "eval sums.yaml --predictions repeat-{repeat}.jsonl --repeats 2",
        "eval sums.yaml --predictions again-{repeat}.jsonl --repeats 2",
    ),
    "asked": ("eval sums.yaml --model python:models:answer", "eval sums.yaml --model python:models:better"),
    "mock": ("eval sums.yaml --model mock", "eval sums.yaml --model mock"),
    "conversed": (
        "evaluate --dataset conversations.json --traces traces-first.jsonl",
        "evaluate --dataset conversations.json --traces traces-second.jsonl",
    ),
    "solved": (
        "evaluate --dataset conversations.json --model python:models:solve --no-plots",
        "evaluate --dataset conversations.json --model python:models:solve --no-plots",
    ),
    "researched": (
        "research --golden golden.json --outputs agent",
        "research --golden golden.json --outputs agent",
    ),
    "trained": (
        "train --config train.yaml --dataset capitals",
        "train --config train.yaml --dataset capitals --seed 1",
    ),
    "suite": ("eval suite-first.yaml", "eval suite-second.yaml"),
    "rescored": ("eval sums.yaml --predictions first.jsonl", "eval sums.yaml --predictions second.jsonl"),
}
"""By kind: how its two runs are made, `<kind>-a` and `<kind>-b`."""

UNFINISHED = {"failed": ("failing", 4), "crashed": ("dying", -9), "interrupted": ("stopping", 130)}
"""By kind: runs that never got to their end, and the code of the command that began them."""

AFTERWARDS = (
    "rescore rescored-a --task numbers.yaml",
    "rescore rescored-b --task numbers.yaml",
    "gate stored-b --against stored-kept --policy policy.yaml",
    "gate suite-b --against suite-kept --policy policy.yaml",
    "gate conversed-b --against conversed-kept --policy policy.yaml",
    "gate stored-b --against stored-a",
    "runs list",
)


class Writer:
    """Runs one version's command in the folder."""

    def __init__(self, command: Path, folder: Path) -> None:
        self.command = command
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("STEELYARD_")}
        self.environment |= {"STEELYARD_CACHE_DIR": str(folder / ".answers")}
        self.environment |= {"OMP_WAIT_POLICY": "PASSIVE", "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, line: str, *, codes: tuple[int, ...] = (0, 1)) -> None:
        """Run a command that ends in one of some codes."""
        done = subprocess.run(  # noqa: S603 - the command that this tool was given
            [self.command, *line.split()],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        print(f"{done.returncode}  {line}", flush=True)
        if done.returncode not in codes:
            sys.exit(done.stderr)


def trim(folder: Path) -> None:
    """Remove what can be made again and would fill the repository: pages, checkpoints, packages, the cache."""
    for path in [*folder.glob("runs/**/report.html"), folder / "make_tiny.py"]:
        path.unlink()
    for path in [*folder.glob("runs/*/eval/plots"), *folder.glob("runs/*/checkpoints"), folder / ".answers"]:
        shutil.rmtree(path, ignore_errors=True)


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", type=Path)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    writer = Writer(given.command.absolute(), given.folder.absolute())
    write_inputs(writer.folder)
    subprocess.run([sys.executable, "make_tiny.py"], cwd=writer.folder, check=True)
    writer.run("dataset add items.jsonl --name shelf")
    for kind, lines in PAIRS.items():
        for letter, line in zip("ab", lines, strict=True):
            writer.run(f"{line} --name {kind}-{letter}")
    for kind, (function, code) in UNFINISHED.items():
        writer.run(f"eval sums.yaml --model python:models:{function} --concurrency 1 --name {kind}-a", codes=(code,))
    for kind in PAIRS:
        writer.run(f"baseline set {kind}-kept {kind}-a", codes=(3,) if kind == "mock" else (0,))
    for line in AFTERWARDS:
        writer.run(line)
    trim(writer.folder)


if __name__ == "__main__":
    main()
