"""The cells of the calibration table, by what they hold to account."""

from __future__ import annotations

from calibration.cell import Cell
from calibration.cells import ceilings, gates, paired, single, slices

CELLS: tuple[Cell, ...] = (*single.CELLS, *paired.CELLS, *gates.CELLS, *slices.CELLS, *ceilings.CELLS)
