"""Evaluation by columns: the same judged blocks as `pipeline.judging.items` gives, for large files of plain rows.

`block_path` says whether a task and a file can go this way. Rows that are not plain are read and judged one by one
inside their block, so every file gives the same results either way.
"""

from steelyard.pipeline.blocks.labelling import raw_references
from steelyard.pipeline.blocks.path import block_path
from steelyard.pipeline.blocks.workers import judged_by_processes

__all__ = ["block_path", "judged_by_processes", "raw_references"]
