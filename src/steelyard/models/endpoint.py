"""`openai:MODEL`: any OpenAI-compatible endpoint over HTTP.

Concurrency is bounded, back-off is shared, every item has a deadline with all its retries inside, and whatever an
endpoint does to one item is that item's reply. Only what no item can get past (a refused key, an unknown model, a dead
port) stops the run. aiohttp carries the requests: `docs/explanation/endpoints.md` has the measurement behind that
choice.
"""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from steelyard.errors import excerpt
from steelyard.models.back_off import BackOff, Trouble, own_delay, retry_after
from steelyard.models.endpoint_address import (
    api_key,
    base_url,
    check_key,
    check_proxies,
    connect_limit,
    connection_fault,
    has_proxy,
    public_url,
    request_url,
)
from steelyard.models.endpoint_replies import (
    GARBLED_ATTEMPTS,
    Body,
    Refused,
    Retry,
    parse_reply,
    read_body,
    status_outcome,
)
from steelyard.models.opening import ModelOptions
from steelyard.models.protocol import BaseModel, elapsed_ms
from steelyard.models.refusals import Refusals
from steelyard.models.streaming import AsyncStream
from steelyard.records.models import ModelIdentity, ModelReply, ModelRequest
from steelyard.secrets import redact


class EndpointModel(BaseModel):
    """A model behind `BASE_URL/chat/completions`."""

    def __init__(self, name: str, address: str, options: ModelOptions, *, key: str | None = None) -> None:
        self._url = request_url(address, with_user=key is None)
        self._name = name
        self._options = options
        self._key = key
        self._back_off = BackOff(longest=options.deadline)
        self._session: aiohttp.ClientSession | None = None
        endpoint = public_url(address)
        self._refusals = Refusals(endpoint)
        self._trouble = Trouble(endpoint)
        super().__init__(
            ModelIdentity(
                spec=f"openai:{name}", kind="openai", name=name, endpoint=endpoint, revision=options.revision
            ),
            at_a_time=options.concurrency,
        )

    @classmethod
    def from_environment(cls, name: str, options: ModelOptions) -> EndpointModel:
        """Return a model at `OPENAI_BASE_URL` with `OPENAI_API_KEY`, or the key in `OPENAI_API_KEY_FILE`."""
        address, key = base_url(), api_key()
        check_key(address, key)
        model = cls(name, address, options, key=key)
        check_proxies(address)
        return model

    def generate(self, request: ModelRequest) -> ModelReply:
        """Ask once, with retries."""
        return asyncio.run(self._alone(request))

    def ask(self, requests: Iterable[ModelRequest]) -> Iterator[tuple[ModelRequest, ModelReply]]:
        """Ask side by side."""
        stream = AsyncStream(self._answer, concurrency=self.at_a_time, around=self._connected, idle=self._waiting)
        return self._refusals.settled(stream.run(self._refusals.expecting(requests)))

    def resumed(self) -> None:
        """Hear that an earlier process of the same run had answers from this endpoint."""
        self._refusals.answered_before = True

    def _waiting(self) -> None:
        notice = self._trouble.notice()
        if notice is not None:
            warnings.warn(redact(notice), stacklevel=2)

    async def _alone(self, request: ModelRequest) -> ModelReply:
        async with self._connected():
            return await self._answer(request)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[None]:
        # Compressed answers are not asked for: what a server compresses all the same is unpacked within our own limit.
        headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self.at_a_time),
            cookie_jar=aiohttp.DummyCookieJar(),  # nothing that one item was answered may reach another
            headers=headers,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=connect_limit(self._options.deadline)),
            auto_decompress=False,
            trust_env=has_proxy(),
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
                self._refusals.answered = True
                return outcome
            if outcome.refusal is not None:
                self._refusals.met(outcome.refusal)
            delay = self._delay(outcome, attempts)
            if outcome.last or time.monotonic() + delay >= ends_at:
                return ModelReply(state=outcome.state, error=redact(outcome.error), attempts=attempts)
            await asyncio.sleep(delay)

    def _delay(self, outcome: Retry, attempts: int) -> float:
        if outcome.waiting:
            self._trouble.met(outcome.error)
        if outcome.throttled:
            return self._back_off.throttled(outcome.after)
        return outcome.after if outcome.after is not None else own_delay(attempts)

    async def _attempt(self, request: ModelRequest, ends_at: float, attempts: int) -> ModelReply | Retry:
        started = time.perf_counter()
        # Half the deadline leaves room to ask a second time where the first connection hangs.
        patience = min(ends_at - time.monotonic(), self._options.deadline / 2)
        try:
            async with asyncio.timeout(max(0.0, patience)):
                answer = await self._post(request)
        except aiohttp.ConnectionTimeoutError as error:
            return connection_fault(error, limit=connect_limit(self._options.deadline))
        except TimeoutError:
            return Retry(f"no answer within {self._options.deadline:g} s", state="timeout")
        except (aiohttp.ClientError, OSError) as error:
            return connection_fault(error)
        except Exception as error:  # noqa: BLE001 - whatever a server's bytes do to the library is this item's failure
            shown = f"the answer cannot be read ({type(error).__name__}: {excerpt(str(error))})"
            return Retry(shown, last=attempts >= GARBLED_ATTEMPTS)
        return self._outcome(answer, elapsed_ms(started), attempts)

    def _outcome(self, answer: Body, latency_ms: float, attempts: int) -> ModelReply | Retry:
        after = retry_after(answer.headers.get("Retry-After"))
        outcome = status_outcome(answer.status, answer.headers.get("Location"), answer.content, after)
        if isinstance(outcome, Refused):
            raise self._refusals.stop(outcome.refusal(self._name))
        if outcome is not None:
            return outcome
        self._back_off.answered()
        self._trouble.over()
        if answer.cut:
            return Retry(f"the answer was cut at {self._options.max_answer_bytes} bytes", last=True)
        return parse_reply(answer.content, latency_ms=latency_ms, attempts=attempts)

    async def _post(self, request: ModelRequest) -> Body:
        assert self._session is not None
        async with self._session.post(self._url, json=self._body(request), allow_redirects=False) as response:
            return await read_body(response, self._options.max_answer_bytes)

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
