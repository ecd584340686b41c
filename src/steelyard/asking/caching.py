"""The key of an answer: everything that can change it, and nothing else."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import msgspec

from steelyard.records.encoded import UNREADABLE
from steelyard.records.models import ModelIdentity, ModelReply, ModelRequest
from steelyard.store.cache import AnswerCache, cache_file
from steelyard.store.files import json_line

CACHED_KINDS = frozenset({"openai", "gguf", "hf"})
"""A callable may depend on anything, so its answers are never kept; a replay is a file already."""


def answer_key(identity: ModelIdentity, request: ModelRequest, template: str) -> str:
    """Return the hash of endpoint, model, revision, adapter, templates, runtime and the whole request with its seed.

    The item's id and its other fields are no part of it: the same question has the same answer.
    """
    content: dict[str, Any] = {
        "identity": msgspec.to_builtins(identity),
        "template": template,
        "messages": msgspec.to_builtins(request.messages),
        "generation": msgspec.to_builtins(request.generation),
        "reference": request.reference,
        "json_schema": request.json_schema,
    }
    if request.shared:
        # It decides how a prompt is cut into batches, and with that the last bits.
        content["shared"] = request.shared
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


class Answers:
    """The cache as generation uses it; a cache that is off knows nothing and keeps nothing."""

    def __init__(self, identity: ModelIdentity, template: str, *, enabled: bool) -> None:
        self.identity = identity
        self.template = template
        self.hits = 0
        self._cache = AnswerCache(cache_file()) if enabled and identity.kind in CACHED_KINDS else None

    @property
    def enabled(self) -> bool:
        """Whether there is anything to look in."""
        return self._cache is not None

    def find(self, request: ModelRequest) -> ModelReply | None:
        """Return the kept answer to a request."""
        if self._cache is None:
            return None
        found = self._cache.get(answer_key(self.identity, request, self.template))
        if found is None:
            return None
        try:
            reply = msgspec.convert(json.loads(found), ModelReply)
        except UNREADABLE:
            return None
        self.hits += 1
        return reply

    def keep(self, request: ModelRequest, reply: ModelReply) -> None:
        """Keep an answer where it is complete: given, and not cut short."""
        if self._cache is None or reply.state is not None or reply.truncated:
            return
        key = answer_key(self.identity, request, self.template)
        self._cache.put(key, self.identity.name, json_line(msgspec.to_builtins(reply)))

    def close(self) -> None:
        """Let go of the file."""
        if self._cache is not None:
            self._cache.close()


def cache_info() -> dict[str, Any]:
    """Return where the cache is, how large it is and what is in it."""
    path = cache_file()
    if not path.is_file():
        return {"path": str(path), "answers": 0, "bytes": 0, "models": {}}
    with AnswerCache(path) as cache:
        models = cache.counts()
    return {"path": str(path), "answers": sum(models.values()), "bytes": path.stat().st_size, "models": models}


def clear_cache() -> int:
    """Forget every answer; return how many there were."""
    path = cache_file()
    if not path.is_file():
        return 0
    with AnswerCache(path) as cache:
        return cache.clear()
