"""The cells of the calibration table in a small form: the same seeds and limits, fewer simulations, exact counts."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from calibration.cell import Cell  # noqa: E402 - found on the path that was just set
from calibration.cells import CELLS  # noqa: E402 - the same
from calibration.run import BEGIN, END, FEW, table, write  # noqa: E402 - the same

PAGE = ROOT / "docs" / "explanation" / "calibration.md"
COUNTS = json.loads((Path(__file__).parent / "counts.json").read_text(encoding="utf-8"))
"""How often each thing happened: `python -m calibration.run --counts tests/calibration/counts.json` writes them."""


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell.group}: {cell.name}: {cell.what}")
def test_a_claim_of_the_table_holds_in_a_few_simulations_which_count_exactly_as_recorded(cell):
    """A count that is another one is a procedure that is another one: write the counts again, and the page."""
    found = cell.run(FEW)
    assert found.held, found.row()
    assert found.of > 0
    assert [found.happened, found.of] == COUNTS[cell.title]


def test_a_table_has_at_most_sixty_cells_and_no_two_of_one_name():
    names = [(cell.group, cell.name, cell.what) for cell in CELLS]
    assert len(names) == len(set(names)) <= 60
    assert [cell.title for cell in CELLS] == list(COUNTS)
    assert all(cell.simulations >= 2000 or cell.limit is None for cell in CELLS)


def test_an_interval_that_is_too_narrow_is_found():
    def naive(generator, simulations):
        rates = (generator.random((simulations, 20)) < 0.95).mean(axis=1)
        half = 1.96 * np.sqrt(rates * (1 - rates) / 20)
        return int(((rates - half <= 0.95) & (rates + half >= 0.95)).sum())

    assert not Cell("planted", "Wald's interval", "covers", "at least", 0.92, naive).run(2000).held


def test_a_cell_gives_the_same_figure_every_time():
    assert CELLS[0].run(FEW).happened == CELLS[0].run(FEW).happened


def test_the_page_shows_every_cell_with_a_rate_within_its_limit():
    shown = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    rows = [line for line in shown.splitlines() if re.match(r"\| (?!case|---)", line)]
    assert [tuple(cell.strip() for cell in row.split("|")[1:3]) for row in rows] == [
        (cell.name, cell.what) for cell in CELLS
    ]
    assert "missed" not in shown


def test_a_table_is_written_between_its_marks_and_nothing_else_is_touched(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    found = [CELLS[0].run(FEW)]
    write(page, found)
    assert page.read_text(encoding="utf-8") == f"before\n{BEGIN}\n\n{table(found)}\n\n{END}\nafter\n"
