"""A sample of conversations, stratified by number of turns and by type 2, the same for the same seed."""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Stratum: TypeAlias = tuple[int, bool]
"""Number of turns, and whether there is a type 2 question."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Conversations by the keyed hash that ranks them: eight bytes each, in ascending order."""

    seed: int
    values: array[int]

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, identity: object) -> bool:
        rank = _rank(str(identity), self.seed)
        place = bisect_left(self.values, rank)
        return place < len(self.values) and self.values[place] == rank


@dataclass(frozen=True, slots=True)
class Sample:
    """Which conversations were chosen, and from what."""

    size: int
    seed: int
    chosen: Ranks
    passed_over: Ranks
    strata: tuple[tuple[Stratum, int, int], ...]
    """Each stratum with how many there were and how many were chosen."""

    def as_dict(self) -> dict[str, Any]:
        """Return what is recorded with the run."""
        return {
            "size": self.size,
            "seed": self.seed,
            "available": len(self.chosen) + len(self.passed_over),
            "strata": [
                {"num_turns": turns, "has_type2_question": type2, "available": available, "chosen": chosen}
                for (turns, type2), available, chosen in self.strata
            ],
        }


def draw(conversations: Iterable[tuple[str, Stratum]], size: int, seed: int) -> Sample:
    """Return a sample of `size` conversations whose strata are as large as they are among all.

    >>> sample = draw([(f"c{number}", (2 + number % 2, False)) for number in range(100)], 10, 42)
    >>> [chosen for _, _, chosen in sample.strata]
    [5, 5]
    """
    members: dict[Stratum, array[int]] = {}
    for identity, stratum in conversations:
        members.setdefault(stratum, array("Q")).append(_rank(identity, seed))
    shares = _shares({stratum: len(found) for stratum, found in members.items()}, size)
    chosen, passed_over, strata = [], [], []
    for stratum, found in sorted(members.items()):
        ranked = np.sort(np.frombuffer(found, np.uint64))
        # Two ids of one rank would be chosen together.
        count = int(np.searchsorted(ranked, ranked[shares[stratum] - 1], "right")) if shares[stratum] else 0
        chosen.append(ranked[:count])
        passed_over.append(ranked[count:])
        strata.append((stratum, len(ranked), count))
    return Sample(size, seed, _united(chosen, seed), _united(passed_over, seed), tuple(strata))


def _united(parts: Sequence[npt.NDArray[np.uint64]], seed: int) -> Ranks:
    return Ranks(seed, array("Q", np.sort(np.concatenate([np.zeros(0, np.uint64), *parts])).tobytes()))


def _shares(sizes: Mapping[Stratum, int], size: int) -> dict[Stratum, int]:
    """Return how many of each stratum: the whole part of its share, and the rest by largest remainder."""
    total = sum(sizes.values())
    if size >= total:
        return dict(sizes)
    shares = {stratum: size * available // total for stratum, available in sizes.items()}
    remainders = sorted(sizes, key=lambda stratum: (-(size * sizes[stratum] % total), stratum))
    for stratum in remainders[: size - sum(shares.values())]:
        shares[stratum] += 1
    return shares


def _rank(identity: str, seed: int) -> int:
    """Return a keyed hash: a choice that does not depend on the order of the file."""
    keyed = hashlib.blake2b(f"{seed}:{identity}".encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(keyed.digest(), "big")
