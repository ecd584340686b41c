"""When to tell a user why nothing happens: an endpoint that is overloaded looks like one that hangs."""

from __future__ import annotations

import time

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
