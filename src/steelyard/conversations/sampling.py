"""A sample of conversations, stratified by number of turns and by type 2, the same for the same seed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Stratum: TypeAlias = tuple[int, bool]
"""Number of turns, and whether there is a type 2 question."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Which conversations were chosen, and from what."""

    size: int
    seed: int
    chosen: frozenset[str]
    passed_over: frozenset[str]
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
    members: dict[Stratum, list[str]] = {}
    for identity, stratum in conversations:
        members.setdefault(stratum, []).append(identity)
    shares = _shares({stratum: len(found) for stratum, found in members.items()}, size)
    chosen: set[str] = set()
    for stratum, found in members.items():
        ranked = sorted(found, key=lambda identity: (_rank(identity, seed), identity))
        chosen.update(ranked[: shares[stratum]])
    every = {identity for found in members.values() for identity in found}
    strata = tuple((stratum, len(members[stratum]), shares[stratum]) for stratum in sorted(members))
    return Sample(size, seed, frozenset(chosen), frozenset(every - chosen), strata)


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


def _rank(identity: str, seed: int) -> bytes:
    """Return a keyed hash: a choice that does not depend on the order of the file."""
    return hashlib.blake2b(f"{seed}:{identity}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
