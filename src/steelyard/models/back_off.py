"""How long to wait before asking again. What throttles one request throttles all, so that wait is shared."""

from __future__ import annotations

import asyncio
import math
import random
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_DELAY = 0.25
LONGEST_OWN_DELAY = 8.0


class BackOff:
    """A pause that every request of one endpoint keeps; it doubles while throttling goes on and ends with an answer."""

    def __init__(self, *, longest: float) -> None:
        self._longest = longest
        self._delay = FIRST_DELAY
        self._until = 0.0

    def throttled(self, after: float | None) -> float:
        """Return how long to wait, and make everyone wait that long: as asked, else twice as long as last time."""
        now = time.monotonic()
        if after is None and now >= self._until:
            # Requests that were under way together are one sign of load, so only the first of them doubles the pause.
            self._until = now + min(self._delay, self._longest)
            self._delay = min(2 * self._delay, self._longest)
        elif after is not None:
            self._until = max(self._until, now + min(after, self._longest))
        return max(after or 0.0, self._until - now) + _jitter()

    def answered(self) -> None:
        """Forget the throttling: the endpoint answers."""
        self._delay = FIRST_DELAY

    async def wait(self) -> None:
        """Wait until the shared pause is over; however often it is begun anew, no longer than one may last."""
        ends_at = time.monotonic() + self._longest
        # Who wakes first would else begin the next pause for all others, and each would be asked at most once in one.
        while (left := min(self._until, ends_at) - time.monotonic()) > 0:
            await asyncio.sleep(left + _jitter())


def own_delay(attempts: int) -> float:
    """Return how long one item waits after a fault that is its own: doubling from a quarter of a second."""
    return min(FIRST_DELAY * 2.0 ** min(attempts - 1, 10), LONGEST_OWN_DELAY) + _jitter()


def _jitter() -> float:
    # Spreads the requests that a shared pause has gathered; nothing that is stored depends on it.
    return random.random() * 0.05  # noqa: S311


def retry_after(value: str | None) -> float | None:
    """Return the seconds that a `Retry-After` header asks for, as a number or a date; None where it says neither.

    >>> retry_after("2"), retry_after("soon"), retry_after("1e400"), retry_after(None)
    (2.0, None, None, None)
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        return _until(value)
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _until(date: str) -> float | None:
    try:
        left = (parsedate_to_datetime(date).astimezone(UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError, OverflowError, IndexError):
        # A date before the first or after the last day that there is fails in as many ways as it has parts.
        return None
    return max(0.0, left)


# When to tell a user why nothing happens: an endpoint that is overloaded looks like one that hangs.


TOLD_AFTER = 20.0
"""Seconds without an answer after which the waiting is told, once."""


class Trouble:
    """How long an endpoint has answered nothing but `later`."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._since: float | None = None
        self._what = ""
        self._told = False

    def met(self, what: str) -> None:
        """Note what the endpoint says instead of an answer."""
        self._since = time.monotonic() if self._since is None else self._since
        self._what = what

    def over(self) -> None:
        """Note an answer."""
        self._since, self._told = None, False

    def notice(self) -> str | None:
        """Return what to tell the user now, if anything."""
        since = self._since
        if since is None or self._told or time.monotonic() - since < TOLD_AFTER:
            return None
        self._told = True
        return (
            f"{self._endpoint} has answered nothing for {TOLD_AFTER:g} s but {self._what}; "
            "each item is asked again until its deadline"
        )
