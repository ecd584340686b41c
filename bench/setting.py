"""What rows are given, and what they give back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from measure import Cost


@dataclass(frozen=True)
class Setting:
    """Where and how large."""

    folder: Path
    quick: bool
    python: str
    """The interpreter that has the package."""
    command: str
    """The `steelyard` command."""
    peers: Path | None
    """The `bin` folder of an environment with `inspect` and `lm_eval`."""

    def size(self, full: int, quick: int) -> int:
        """Return how many rows to take."""
        return quick if self.quick else full

    def peer(self, name: str) -> str | None:
        """Return a peer's command, or None where it is not installed."""
        path = self.peers / name if self.peers else None
        return str(path) if path and path.exists() else None


@dataclass(frozen=True)
class Result:
    """One line of the table."""

    work: str
    peer: str
    target: float
    ours: Cost
    theirs: Cost
    at_most: bool = False
    """Whether the target is a largest ratio of us to the peer, and not a smallest of the peer to us."""
    unit: str = "CPU"
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times as much the peer takes; of memory that may grow, how many times as much we take."""
        if self.unit == "memory":
            first, second = self.theirs.megabytes or 0.0, self.ours.megabytes or 1.0
        else:
            first, second = self.theirs.seconds, self.ours.seconds
        return second / first if self.at_most else first / second

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.ratio <= self.target if self.at_most else self.ratio >= self.target
