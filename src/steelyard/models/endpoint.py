"""`openai:MODEL`: any OpenAI-compatible endpoint over HTTP.

Concurrency is bounded, back-off is shared, every item has a deadline with all its retries inside, and whatever an
endpoint does to one item is that item's reply. Only what no item can get past (a refused key, an unknown model) stops
the run. aiohttp carries the requests: `docs/explanation/endpoints.md` has the measurement behind that choice.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from steelyard.errors import ConfigurationError, IncompleteError, Problem, excerpt, quoted
from steelyard.extras import needed
from steelyard.models.back_off import BackOff, own_delay, retry_after
from steelyard.models.endpoint_replies import Refused, Retry, parse_reply, status_outcome
from steelyard.models.opening import ModelOptions
from steelyard.models.protocol import BaseModel, elapsed_ms
from steelyard.models.streaming import AsyncStream
from steelyard.records.models import ModelIdentity, ModelReply, ModelRequest
from steelyard.records.secrets import redact, remember_secret

if TYPE_CHECKING:
    import aiohttp

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_BLOCK = 1 << 16


class EndpointModel(BaseModel):
    """A model behind `BASE_URL/chat/completions`."""

    def __init__(self, name: str, base_url: str, options: ModelOptions, *, key: str | None = None) -> None:
        self._http = needed("aiohttp", extra="openai", what="openai: models")
        self._url = _request_url(base_url, with_user=key is None)
        self._name = name
        self._options = options
        self._key = key
        self._back_off = BackOff(longest=options.deadline)
        self._session: aiohttp.ClientSession | None = None
        endpoint = public_url(base_url)
        super().__init__(
            ModelIdentity(
                spec=f"openai:{name}", kind="openai", name=name, endpoint=endpoint, revision=options.revision
            ),
            at_a_time=options.concurrency,
        )

    @classmethod
    def from_environment(cls, name: str, options: ModelOptions) -> EndpointModel:
        """Return a model at `OPENAI_BASE_URL` with `OPENAI_API_KEY`, or the key in `OPENAI_API_KEY_FILE`."""
        key = os.environ.get("OPENAI_API_KEY") or _key_from_file(os.environ.get("OPENAI_API_KEY_FILE"))
        if key:
            remember_secret(key)
        return cls(name, os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL, options, key=key)

    def generate(self, request: ModelRequest) -> ModelReply:
        """Ask once, with retries."""
        return asyncio.run(self._alone(request))

    def ask(self, requests: Iterable[ModelRequest]) -> Iterator[tuple[ModelRequest, ModelReply]]:
        """Ask side by side."""
        return AsyncStream(self._answer, concurrency=self.at_a_time, around=self._connected).run(requests)

    async def _alone(self, request: ModelRequest) -> ModelReply:
        async with self._connected():
            return await self._answer(request)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[None]:
        connector = self._http.TCPConnector(limit=self.at_a_time)
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        timeout = self._http.ClientTimeout(total=None)
        async with self._http.ClientSession(
            connector=connector, headers=headers, timeout=timeout, trust_env=_has_proxy()
        ) as session:
            self._session = session
            yield
        self._session = None

    async def _answer(self, request: ModelRequest) -> ModelReply:
        """Return the reply to one request, after as many attempts as its deadline has room for."""
        await self._back_off.wait()
        ends_at = time.monotonic() + self._options.deadline
        attempts = 0
        while True:
            attempts += 1
            outcome = await self._attempt(request, ends_at, attempts)
            if isinstance(outcome, ModelReply):
                return outcome
            delay = self._delay(outcome, attempts)
            if outcome.last or time.monotonic() + delay >= ends_at:
                return ModelReply(state=outcome.state, error=redact(outcome.error), attempts=attempts)
            await asyncio.sleep(delay)

    def _delay(self, outcome: Retry, attempts: int) -> float:
        if outcome.throttled:
            return self._back_off.throttled(outcome.after)
        return outcome.after if outcome.after is not None else own_delay(attempts)

    async def _attempt(self, request: ModelRequest, ends_at: float, attempts: int) -> ModelReply | Retry:
        started = time.perf_counter()
        # Half the deadline leaves room to ask a second time where the first connection hangs.
        patience = min(ends_at - time.monotonic(), self._options.deadline / 2)
        try:
            async with asyncio.timeout(max(0.0, patience)):
                status, headers, body, cut = await self._post(request)
        except TimeoutError:
            return Retry(f"no answer within {self._options.deadline:g} s", state="timeout")
        except (self._http.ClientError, OSError) as error:
            return Retry(f"{type(error).__name__}: {excerpt(str(error))}")
        outcome = status_outcome(status, headers.get("Location"), body, retry_after(headers.get("Retry-After")))
        if isinstance(outcome, Refused):
            raise self._refused(outcome)
        if outcome is not None:
            return outcome
        self._back_off.answered()
        if cut:
            limit = self._options.max_answer_bytes
            return Retry(f"the answer was cut at {limit} bytes", last=True)
        return parse_reply(body, latency_ms=elapsed_ms(started), attempts=attempts)

    async def _post(self, request: ModelRequest) -> tuple[int, Mapping[str, str], bytes, bool]:
        assert self._session is not None
        async with self._session.post(self._url, json=self._body(request), allow_redirects=False) as response:
            body = bytearray()
            async for block in response.content.iter_chunked(_BLOCK):
                body += block
                if len(body) > self._options.max_answer_bytes:
                    response.close()
                    return response.status, response.headers, bytes(body), True
            return response.status, response.headers, bytes(body), False

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        generation = request.generation
        body: dict[str, Any] = {
            "model": self._name,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            "max_tokens": generation.max_new_tokens,
            "temperature": generation.temperature,
            "seed": generation.seed,
        }
        if generation.top_p != 1:
            body["top_p"] = generation.top_p
        return body | ({"stop": list(generation.stop)} if generation.stop else {})

    def _refused(self, refused: Refused) -> IncompleteError:
        return IncompleteError(
            Problem(
                "model-refused",
                redact(f"{self.identity.endpoint} answers {refused.status} for {self._name!r}: {refused.reason}"),
                hint=refused.hint,
            )
        )


def _has_proxy() -> bool:
    """Return whether the environment names a proxy; aiohttp looks that up for every request, which costs a third."""
    return any(name.lower() in ("http_proxy", "https_proxy", "all_proxy") for name in os.environ)


def public_url(url: str) -> str:
    """Return a URL without what may be secret in it: user, password, query and fragment.

    >>> public_url("http://me:secret@localhost:8000/v1/?key=x")
    'http://localhost:8000/v1'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))


def _request_url(base_url: str, *, with_user: bool) -> str:
    """Return where requests go; a user in the address is who asks, unless a key says that."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        message = f"OPENAI_BASE_URL is {quoted(public_url(base_url))}, expected an http or https address"
        raise ConfigurationError(Problem("bad-model", message, hint="such as http://127.0.0.1:8000/v1"))
    for secret in (parts.password, *(pair.partition("=")[2] for pair in parts.query.split("&"))):
        if secret:
            remember_secret(secret)
    host = parts.netloc if with_user else parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, f"{parts.path.rstrip('/')}/chat/completions", parts.query, ""))


def _key_from_file(name: str | None) -> str | None:
    if not name:
        return None
    try:
        return Path(name).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        message = f"OPENAI_API_KEY_FILE cannot be read: {error}"
        raise ConfigurationError(Problem("missing-file", message, file=name)) from None
