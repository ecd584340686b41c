"""Measures Steelyard beside its peers and prints the table of page 20.

usage: run.py [--quick] [--rows rouge,overlap,…] [--folder DIR] [--peers BIN] [--markdown FILE]
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from measure import ONE_THREAD  # noqa: E402 - the folder of this file has to be on the path first
from setting import Result, Setting  # noqa: E402

ROWS = (
    "rouge",
    "overlap",
    "classification",
    "end_to_end",
    "paths",
    "intervals",
    "research",
    "start_up",
    "conversations",
    "conversation_runs",
    "comparison",
    "generation",
)


def main() -> int:
    """Run the rows and print the table; 1 where a target is missed."""
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        # Libraries read these when they are loaded, so they have to be there from the start.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})
    options = _options()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(options.folder or made)
        folder.mkdir(parents=True, exist_ok=True)
        bin_folder = Path(sys.executable).parent
        # Commands run in that folder, so a relative path would be looked for there.
        peers = options.peers.absolute() if options.peers else None
        setting = Setting(folder.resolve(), options.quick, sys.executable, str(bin_folder / "steelyard"), peers)
        results = []
        for name in options.rows.split(","):
            print(f"measuring {name} …", file=sys.stderr, flush=True)
            measured = importlib.import_module(f"rows.{name}").measure(setting)
            print("\n".join(map(_line, measured)), file=sys.stderr, flush=True)
            results += measured
    table = "\n".join(_table(results))
    print(table)
    if options.markdown:
        options.markdown.write_text(table + "\n", encoding="utf-8")
    return 0 if all(result.met for result in results) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure Steelyard beside its peers.")
    parser.add_argument("--quick", action="store_true", help="smaller inputs, a few minutes")
    parser.add_argument("--rows", default=",".join(ROWS), help="which rows, by file name")
    parser.add_argument("--folder", help="where to keep workloads")
    parser.add_argument("--peers", type=Path, help="the bin folder with inspect and lm_eval")
    parser.add_argument("--markdown", type=Path, help="write the table to a file too")
    return parser.parse_args()


def _table(results: list[Result]) -> list[str]:
    lines = [
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, one thread each.",
        "",
        "| work | peer | ours | peer's | ratio | target | met |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    return lines + [_line(result) for result in results]


def _line(result: Result) -> str:
    sign = "≤" if result.at_most else "≥"
    met = "yes" if result.met else "**no**"
    costs = f"{_cost(result, ours=True)} | {_cost(result, ours=False)}"
    ratio = f"{result.ratio:.2f}x" if result.ratio < 10 else f"{result.ratio:.0f}x"
    return f"| {result.work} | {result.peer} | {costs} | {ratio} | {sign} {result.target:g}x | {met} |"


def _cost(result: Result, *, ours: bool) -> str:
    cost = result.ours if ours else result.theirs
    if result.unit == "memory":
        return f"{cost.megabytes:,.0f} MB"
    memory = f", {cost.megabytes:,.0f} MB" if cost.megabytes else ""
    return f"{cost.seconds:.3g} s{memory}" if cost.seconds >= 1 else f"{cost.seconds * 1000:.3g} ms{memory}"


if __name__ == "__main__":
    sys.exit(main())
