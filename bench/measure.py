"""CPU time and peak memory of commands and of functions. Wall time is not used: a shared machine makes it useless."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = Path(__file__).resolve().parent / "launch.py"
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "POLARS_MAX_THREADS",
        "RAYON_NUM_THREADS",
        "ARROW_IO_THREADS",
    ),
    "1",
)


@dataclass(frozen=True)
class Cost:
    """What something took."""

    seconds: float
    megabytes: float | None = None


def run_command(arguments: Sequence[str], *, folder: Path) -> Cost:
    """Run a command to its end and return its CPU time, children included, and its peak memory."""
    output = folder / "output.txt"
    launched = subprocess.run(
        [sys.executable, "-I", "-S", str(LAUNCHER), str(output), *arguments],
        stdout=subprocess.PIPE,
        env={**os.environ, **ONE_THREAD},
        cwd=folder,
        check=True,
    )
    code, seconds, kilobytes = json.loads(launched.stdout)
    if code != 0:
        sys.exit(f"{' '.join(arguments)} failed:\n{output.read_text(errors='replace')[-3000:]}")
    return Cost(seconds, kilobytes / 1024)


def run_function(function: Callable[[], object]) -> Cost:
    """Call a function and return its CPU time."""
    gc.collect()
    start = time.process_time()
    function()
    return Cost(time.process_time() - start)


def interleaved(ours: Callable[[], Cost], peer: Callable[[], Cost], rounds: int) -> tuple[Cost, Cost]:
    """Measure both in turn and return the median of each."""
    pairs = [(ours(), peer()) for _ in range(rounds)]
    return _median([first for first, _ in pairs]), _median([second for _, second in pairs])


def _median(costs: Sequence[Cost]) -> Cost:
    return sorted(costs, key=lambda cost: cost.seconds)[len(costs) // 2]
