"""The cells of the calibration table, by what they hold to account."""

from __future__ import annotations

from calibration.cell import Cell
from calibration.cells import ceilings, gates, paired, slices

CELLS: tuple[Cell, ...] = (*paired.CELLS, *gates.CELLS, *slices.CELLS, *ceilings.CELLS)
