"""Where an endpoint is and with which key: checked before the first request, told without what is secret in it."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import SplitResult, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from steelyard.errors import ConfigurationError, Problem, excerpt, quoted
from steelyard.models.endpoint_replies import Retry
from steelyard.models.refusals import Refusal
from steelyard.secrets import is_secret_name, remember_secret

BASE_URL, KEY, KEY_FILE = "OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_API_KEY_FILE"
DEFAULT_BASE_URL = "https://api.openai.com/v1"


def base_url() -> str:
    """Return the address that the environment names, or OpenAI's own."""
    return (os.environ.get(BASE_URL) or DEFAULT_BASE_URL).strip()


def api_key() -> str | None:
    """Return the key in `OPENAI_API_KEY`, or in the file that `OPENAI_API_KEY_FILE` names."""
    key = (os.environ.get(KEY) or "").strip() or _key_from_file(os.environ.get(KEY_FILE))
    if not key:
        return None
    remember_secret(key, KEY)
    if not key.isascii() or not key.isprintable():
        message = f"{KEY} holds a character that no header can carry"
        hint = "a key is one line of ASCII text: was it copied with something around it?"
        raise ConfigurationError(Problem("bad-model", message, hint=hint))
    return key


def check_key(address: str, key: str | None) -> None:
    """Refuse to ask OpenAI itself without a key: it answers nobody without one."""
    if key is None and address == DEFAULT_BASE_URL:
        message = f"{KEY} is not set, and {DEFAULT_BASE_URL} answers nobody without a key"
        hint = f"set {KEY}, or {BASE_URL} to the address of a server of your own, such as http://127.0.0.1:8000/v1"
        raise ConfigurationError(Problem("bad-model", message, hint=hint))


def public_url(url: str) -> str:
    """Return a URL without what may be secret in it: user, password, query and fragment.

    >>> public_url("http://me:secret@localhost:8000/v1/?key=x")
    'http://localhost:8000/v1'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


def request_url(url: str, *, with_user: bool) -> str:
    """Return where requests go; a user in the address is who asks, unless a key says that."""
    parts = _parts(url)
    _remember(parts)
    host = parts.netloc if with_user else parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, f"{parts.path.rstrip('/')}/chat/completions", parts.query, ""))


def has_proxy() -> bool:
    """Return whether the environment names a proxy; aiohttp looks that up for every request, which costs a third."""
    return any(name.lower() in ("http_proxy", "https_proxy", "all_proxy") for name in os.environ)


def check_proxies(address: str) -> None:
    """Refuse a proxy that is no address: every request would fail of it, and none would say so."""
    if not has_proxy() or proxy_bypass(urlsplit(address).hostname or ""):
        return
    for kind, proxy in getproxies().items():
        if kind in ("http", "https") and not _is_address(proxy):
            message = f"{kind.upper()}_PROXY is {quoted(_shown(proxy))}, expected an http address"
            raise ConfigurationError(Problem("bad-model", message, hint="such as http://127.0.0.1:3128, or unset it"))


def _is_address(url: str) -> bool:
    """Return whether a URL has a host that can be looked up and a port that there is."""
    try:
        parts = urlsplit(url)
        (parts.hostname or "").encode("idna")  # as the lookup does, where it fails for every request alike
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False
    return sound and url.isprintable() and not any(character.isspace() for character in url)


def _parts(url: str) -> SplitResult:
    if _is_address(url):
        return urlsplit(url)
    message = f"{BASE_URL} is {quoted(_shown(url))}, expected an http or https address"
    raise ConfigurationError(Problem("bad-model", message, hint="such as http://127.0.0.1:8000/v1"))


def _shown(url: str) -> str:
    """Return an unusable address without what may be secret in it, wherever its parts end."""
    scheme, colon, rest = url.partition("://")
    if not colon:
        scheme, rest = "", url
    return scheme + colon + rest.rpartition("@")[2].split("?", maxsplit=1)[0]


def _remember(parts: SplitResult) -> None:
    """Keep the password, and what is secret in the query by its name, out of what is said."""
    if parts.password:
        remember_secret(parts.password, BASE_URL)
    for pair in parts.query.split("&"):
        name, _, value = pair.partition("=")
        if value and is_secret_name(name.replace("-", "_")):
            remember_secret(value, BASE_URL)


def _key_from_file(name: str | None) -> str | None:
    if not name:
        return None
    try:
        return Path(name).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        message = f"{KEY_FILE} cannot be read: {error}"
        raise ConfigurationError(Problem("missing-file", message, file=name)) from None


# What the HTTP library says when there is no answer: nobody is there, or something broke on the way.


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
