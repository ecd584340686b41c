"""What every request would meet: a dead port, a name that nobody has, TLS that fails, a request that is refused.

As long as nothing was answered, so many of these stop the run with one message: a deadline for each item would tell
the same, hours later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from steelyard.errors import IncompleteError, Problem
from steelyard.records.models import ModelReply, ModelRequest
from steelyard.secrets import redact

MOST = 16
"""So many refused requests stop a run, or as many as it has."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request got no answer that the next one would not get either."""

    reason: str
    hint: str
    of_request: bool = False
    """Whether the endpoint is there, and it is this request that it refuses."""


class Refusals:
    """Counts refused requests until the first answer; from then on a refusal is an item's own."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._limit = MOST
        self._count = 0
        self.answered = False
        self.answered_before = False
        """Whether an earlier process of the run had answers; what is left may then be just what is refused."""

    def expecting(self, requests: Iterable[ModelRequest]) -> Iterator[ModelRequest]:
        """Return the same requests, having seen whether there are fewer than the limit."""
        stream = iter(requests)
        first = list(islice(stream, MOST))
        self._limit = min(MOST, self._count + max(1, len(first)))
        return chain(first, stream)

    def met(self, refusal: Refusal) -> None:
        """Count a refused request; raise where there were enough of them."""
        if self.answered or (self.answered_before and refusal.of_request):
            return
        self._count += 1
        if self._count >= self._limit:
            raise self.stop(refusal)

    def stop(self, refusal: Refusal) -> IncompleteError:
        """Return the one message that ends the run."""
        asked = f" ({self._count} requests, none answered)" if self._count > 1 else ""
        message = f"{self._endpoint} {refusal.reason}{asked}"
        return IncompleteError(Problem("model-refused", redact(message), hint=refusal.hint))

    def settled(self, replies: Iterator[tuple[ModelRequest, ModelReply]]) -> Iterator[tuple[ModelRequest, ModelReply]]:
        """Yield replies, those without an answer only once there is one.

        What is not yielded is in no journal, so that a run which is refused asks for everything when it is resumed.
        """
        held: list[tuple[ModelRequest, ModelReply]] = []
        for pair in replies:
            if not self.answered and pair[1].state is not None and len(held) < MOST:
                held.append(pair)
                continue
            yield from held
            held.clear()
            yield pair
        yield from held
