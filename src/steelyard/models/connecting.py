"""What the HTTP library says when there is no answer: nobody is there, or something broke on the way."""

from __future__ import annotations

import aiohttp

from steelyard.errors import excerpt
from steelyard.models.endpoint_replies import Retry
from steelyard.models.refusals import Refusal

LONGEST_CONNECT = 10.0
"""Seconds that a connection may take to come about, its TLS included."""

_RESUME = "then give the same command with --resume"


def connect_limit(deadline: float) -> float:
    """Return the seconds that a connection may take: short of the patience with one attempt, so that it is told apart.

    >>> connect_limit(120), connect_limit(5)
    (10.0, 2.0)
    """
    return min(LONGEST_CONNECT, 0.4 * deadline)


def connection_fault(error: Exception, *, limit: float = LONGEST_CONNECT) -> Retry:
    """Return what an exception of a request means; what every request would meet is a refusal."""
    shown = f"{type(error).__name__}: {excerpt(str(error))}"
    return Retry(shown, refusal=_refusal(error, limit))


def _refusal(error: Exception, limit: float) -> Refusal | None:
    """Return what every request would meet, or None. The order matters: each kind is one of those after it too."""
    reason = excerpt(str(getattr(error, "os_error", None) or error))
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return Refusal(f"has a host that nobody knows: {reason}", f"check the host in OPENAI_BASE_URL, {_RESUME}")
    if isinstance(error, aiohttp.InvalidURL):
        return Refusal(f"cannot be asked: {reason} is no address", f"check OPENAI_BASE_URL, {_RESUME}")
    if isinstance(error, aiohttp.ClientSSLError):
        hint = f"a server without TLS has an http:// address; else check its certificate, {_RESUME}"
        return Refusal(f"cannot be reached over TLS: {reason}", hint)
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        hint = f"check OPENAI_BASE_URL, the network and its firewalls, {_RESUME}"
        return Refusal(f"cannot be reached: no connection within {limit:g} s", hint)
    if isinstance(error, aiohttp.ClientProxyConnectionError | aiohttp.ClientHttpProxyError):
        return Refusal(f"cannot be reached through the proxy: {reason}", f"check HTTPS_PROXY and NO_PROXY, {_RESUME}")
    if isinstance(error, aiohttp.ClientConnectorError):
        hint = f"is the server running, and is OPENAI_BASE_URL its address? {_RESUME}"
        return Refusal(f"cannot be reached: {reason}", hint)
    return None
