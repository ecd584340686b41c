"""The way of rows in blocks: columns where rows are plain, the item form of `judging.items` for the others.

Both give the same judged blocks. `block_path` is the way of every file but small ones, `judged_by_processes` theirs.
"""

from steelyard.judging.labelling import raw_references
from steelyard.judging.path import block_path
from steelyard.judging.workers import judged_by_processes

__all__ = ["block_path", "judged_by_processes", "raw_references"]
