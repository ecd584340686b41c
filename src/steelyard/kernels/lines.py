"""Lines picked out of bytes, in any order."""

from __future__ import annotations

from steelyard.kernels.compiled import BYTES, INTEGERS, Loop
from steelyard.kernels.memory import Bytes, Integers

pick_loop = Loop("steelyard.kernels.loops.lines", "pick", (BYTES, INTEGERS, INTEGERS, BYTES))


def picked_lines(data: Bytes, starts: Integers, sizes: Integers, target: Bytes) -> int:
    r"""Write lines into `target`, each with a line feed behind it; return where they end.

    >>> target = np.zeros(16, np.uint8)
    >>> end = picked_lines(np.frombuffer(b"one two", np.uint8), np.array([4, 0, 0]), np.array([3, 0, 3]), target)
    >>> target[:end].tobytes()
    b'two\n\none\n'
    """
    return pick_loop(data, starts, sizes, target)
