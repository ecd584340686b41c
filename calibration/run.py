"""Runs the cells of the calibration table: python -m calibration.run [--full] [--only GROUP] [--write PAGE].

`--counts FILE` makes few simulations of each cell and writes how often each thing happened, which the tests repeat.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from pathlib import Path

from calibration.cell import Cell, Measured
from calibration.cells import CELLS

BEGIN, END = "<!-- calibration: begin -->", "<!-- calibration: end -->"
FEW = 60
"""How many simulations the tests make of each cell."""
FULL = 5
"""How many times more simulations `--full` makes."""


def counted(place: int, simulations: int) -> tuple[int, int]:
    """Return what one cell's simulations gave; a process is told a cell by its place, since functions do not travel."""
    found = CELLS[place].run(simulations)
    return found.happened, found.of


def run(cells: Sequence[int], *, factor: int, workers: int) -> Iterator[Measured]:
    """Yield cells as they are measured, in the order of the table."""
    counts = [CELLS[place].simulations * factor for place in cells]
    with ProcessPoolExecutor(workers) as pool:
        for place, found in zip(cells, pool.map(counted, cells, counts), strict=True):
            yield Measured(CELLS[place], *found)


def table(found: Sequence[Measured]) -> str:
    """Return the table as Markdown, a part for each group."""
    lines: list[str] = []
    for group, members in groupby(found, key=lambda entry: entry.cell.group):
        lines += ["", f"### {group[:1].upper()}{group[1:]}", "", "| case | what | rate | limit | simulations |"]
        lines += ["| --- | --- | ---: | --- | ---: |", *(entry.row() for entry in members)]
    return "\n".join(lines).strip()


def write(page: Path, found: Sequence[Measured]) -> None:
    """Put the table into a page, between its two marks."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n{table(found)}\n\n{END}{after}", encoding="utf-8")


def counts(cells: Sequence[Cell]) -> dict[str, list[int]]:
    """Return for each cell how often its thing happened in a few simulations, and how many of them count."""
    found = (cell.run(FEW) for cell in cells)
    return {entry.cell.title: [entry.happened, entry.of] for entry in found}


def main() -> int:
    """Run what was asked for; 1 where a claim does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help=f"make {FULL} times as many simulations")
    parser.add_argument("--only", default="", help="groups or cells whose name has this text")
    parser.add_argument("--write", type=Path, help="put the table into this page")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--counts", type=Path, help=f"write the counts of {FEW} simulations of each cell, and stop")
    given = parser.parse_args()
    if given.counts is not None:
        given.counts.write_text(json.dumps(counts(CELLS), indent=2) + "\n", encoding="utf-8")
        return 0
    chosen = [place for place, cell in enumerate(CELLS) if given.only in f"{cell.group}: {cell.name}"]
    started, found = time.monotonic(), []
    for entry in run(chosen, factor=FULL if given.full else 1, workers=given.workers):
        found.append(entry)
        print(f"[{time.monotonic() - started:5.0f} s] {entry.cell.group}: {entry.row()}", flush=True)
    if given.write is not None:
        write(given.write, found)
    missed = [entry for entry in found if not entry.held]
    print(f"{len(found)} cells, {len(missed)} missed their limit, {time.monotonic() - started:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
