"""What an endpoint's answer means: a reply, a reason to ask again, or a reason to stop."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from steelyard.errors import excerpt, quoted
from steelyard.models.refusals import Refusal
from steelyard.records.models import ModelReply, ReplyState

if TYPE_CHECKING:
    import aiohttp


OK = 200
_REFUSALS = {
    401: "set OPENAI_API_KEY to a key that the endpoint accepts",
    403: "ask for permission to use this model, or choose another",
    404: "check the model's name and OPENAI_BASE_URL; the address ends before /chat/completions",
}
_REFUSED = "check the model's name, the task's `generation:` and OPENAI_BASE_URL, which ends before /chat/completions"
_SHARED = frozenset({429, 503, 529})
"""The endpoint is overloaded: everybody waits."""
_AGAIN = frozenset({408, 409, 425, *range(500, 600)})
GARBLED_ATTEMPTS = 3
"""A body that cannot be read is asked for again this often: half an answer is chance, a third one is not."""


@dataclass(frozen=True, slots=True)
class Retry:
    """An attempt without an answer."""

    error: str
    state: ReplyState = "failed"
    last: bool = False
    """Whether asking again is of no use."""
    throttled: bool = False
    waiting: bool = False
    """Whether the endpoint said `later`, for everybody or for this request."""
    after: float | None = None
    """Seconds that the endpoint asks to wait."""
    refusal: Refusal | None = None
    """What every other request would meet too, as long as none was answered."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that every item would get."""

    status: int
    reason: str

    def refusal(self, model: str) -> Refusal:
        """Return what to tell the user."""
        return Refusal(f"answers {self.status} for {quoted(model)}: {self.reason}", _REFUSALS[self.status])


def status_outcome(status: int, location: str | None, body: bytes, after: float | None) -> Retry | Refused | None:
    """Return what a status means, or None where there is an answer to read."""
    if status == OK:
        return None
    reason = error_text(body)
    if status in _REFUSALS:
        return Refused(status, reason)
    if 300 <= status < 400:
        return Retry(f"{status}: a redirect to {excerpt(location or 'nowhere')}, which is not followed", last=True)
    if status in _SHARED:
        return Retry(f"{status}: {reason}", throttled=True, waiting=True, after=after)
    if status in _AGAIN:
        return Retry(f"{status}: {reason}", waiting=status >= 500, after=after)
    refusal = Refusal(f"answers {status}: {reason}", _REFUSED, of_request=True) if 400 <= status < 500 else None
    return Retry(f"{status}: {reason}", last=True, refusal=refusal)


def error_text(body: bytes) -> str:
    """Return the message in an error's body, or the beginning of the body.

    >>> error_text(b'{"error": {"message": "no such model"}}')
    'no such model'
    """
    text = body[:4096].decode("utf-8", "backslashreplace")
    try:
        found: Any = json.loads(body)
    except (ValueError, RecursionError):
        return excerpt(text) or "the answer is empty"
    inner = found.get("error", found.get("message")) if isinstance(found, dict) else None
    message = inner.get("message") if isinstance(inner, dict) else inner
    return excerpt(message if isinstance(message, str) else text) or "the answer is empty"


def parse_reply(body: bytes, *, latency_ms: float, attempts: int) -> ModelReply | Retry:
    """Return the answer in a body of `chat/completions`."""
    try:
        found: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        message = f"the answer is not JSON ({excerpt(str(error))}): {excerpt(body[:200].decode('utf-8', 'replace'))}"
        return Retry(message, last=attempts >= GARBLED_ATTEMPTS)
    try:
        choice = found["choices"][0]
        content = _content(choice["message"].get("content"))
    except (AttributeError, KeyError, IndexError, TypeError):
        shown = excerpt(body[:200].decode("utf-8", "replace"))
        return Retry(f"the answer has no choices[0].message: {shown}", last=attempts >= GARBLED_ATTEMPTS)
    finish = choice.get("finish_reason")
    if content is None:
        refusal = choice["message"].get("refusal")
        why = f": {excerpt(refusal)}" if isinstance(refusal, str) else ""
        return Retry(f"the answer has no content (finish_reason {excerpt(repr(finish))}){why}", last=True)
    usage = found.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return ModelReply(
        output=content,
        finish_reason=excerpt(finish) if isinstance(finish, str) else None,
        truncated=finish == "length",
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        latency_ms=latency_ms,
        attempts=attempts,
    )


def _content(value: Any) -> str | None:
    """Return a message's text; some servers give it in parts."""
    if isinstance(value, list):
        return "".join(part.get("text", "") for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else None


def _count(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value < 2**63 else None


# The body of a server's answer, read and unpacked within a limit.


_BLOCK = 1 << 16
_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 47}
"""What zlib is told of a packed body; 47 takes a header of either kind."""


@dataclass(frozen=True, slots=True)
class Body:
    """What a server sent, its body at most as long as the limit and one block more."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    cut: bool
    """Whether there was more."""


async def read_body(response: aiohttp.ClientResponse, limit: int) -> Body:
    """Return an answer, given up at the limit."""
    content = bytearray()
    async for block in response.content.iter_chunked(_BLOCK):
        content += block
        if len(content) > limit:
            response.close()
            return Body(response.status, response.headers, bytes(content), cut=True)
    packing = (response.headers.get("Content-Encoding") or "").strip().lower()
    if packing not in _WINDOWS:
        return Body(response.status, response.headers, bytes(content), cut=False)
    unpacked = zlib.decompressobj(_WINDOWS[packing]).decompress(content, limit + 1)
    return Body(response.status, response.headers, unpacked, cut=len(unpacked) > limit)
