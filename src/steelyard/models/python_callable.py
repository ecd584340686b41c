"""`python:module:function`: a callable of an item, sync or async. What it raises is that item's failure."""

from __future__ import annotations

import asyncio
import inspect
import math
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from steelyard.errors import ConfigurationError, Problem, excerpt
from steelyard.models.hashing import hash_text
from steelyard.models.protocol import BaseModel, failure
from steelyard.models.streaming import AsyncStream
from steelyard.records.models import ModelIdentity, ModelReply, ModelRequest

_REPLY_FIELDS = tuple(field for field in ModelReply.__struct_fields__ if field not in ("output", "attempts"))


class CallableItem(dict[str, Any]):
    """The item a callable is given: its row's fields as a dictionary, and `id`, `input`, `prompt`, `tags`."""

    def __init__(self, request: ModelRequest) -> None:
        super().__init__(request.fields)
        self.id = request.item_id
        self.input = request.input
        self.prompt = request.prompt
        self.tags = request.tags
        self.fields = request.fields
        self.generation = request.generation


class PythonModel(BaseModel):
    """Calls a function with an item; an async one with up to `concurrency` items at a time."""

    def __init__(self, spec: str, *, concurrency: int = 16, timeout: float | None = None) -> None:
        self._function = _load(spec)
        self._is_async = _is_async(self._function)
        self._timeout = timeout
        super().__init__(
            ModelIdentity(spec=f"python:{spec}", kind="python", name=spec, revision=_source_hash(self._function)),
            at_a_time=concurrency if self._is_async else 1,
        )

    def generate(self, request: ModelRequest) -> ModelReply:
        """Call the function once."""
        return asyncio.run(self._answer(request)) if self._is_async else self._call(request)

    def ask(self, requests: Iterable[ModelRequest]) -> Iterator[tuple[ModelRequest, ModelReply]]:
        """Call the function for every request."""
        if not self._is_async:
            return super().ask(requests)
        return AsyncStream(self._answer, concurrency=self.at_a_time).run(requests)

    def _call(self, request: ModelRequest) -> ModelReply:
        try:
            return as_reply(self._function(CallableItem(request)))
        except Exception as error:  # noqa: BLE001 - foreign code: whatever it raises is this item's failure
            return ModelReply(**failure(error))

    async def _answer(self, request: ModelRequest) -> ModelReply:
        try:
            awaited: Awaitable[Any] = self._function(CallableItem(request))
            return as_reply(await asyncio.wait_for(awaited, self._timeout))
        except Exception as error:  # noqa: BLE001 - foreign code: whatever it raises is this item's failure
            return ModelReply(**failure(error))


def as_reply(given: Any) -> ModelReply:
    """Return what a callable gave as a reply: a reply, an object with `prediction`, or the output itself."""
    if isinstance(given, ModelReply):
        return given
    if isinstance(given, Mapping) and "prediction" in given:
        known = {name: given[name] for name in _REPLY_FIELDS if name in given}
        return msgspec.convert({"output": _json_value(given["prediction"]), **known}, ModelReply)
    if given is None:
        return ModelReply(state="failed", error="the callable returned None")
    return ModelReply(output=_json_value(given))


def _json_value(value: Any) -> Any:
    """Return a value as JSON can hold it; what it cannot hold is the callable's mistake."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"the callable returned {value!r}, which JSON cannot hold")
    if isinstance(value, Mapping):
        return {str(key): _json_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(entry) for entry in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"the callable returned {type(value).__name__}, expected text or another JSON value")


def _is_async(function: Callable[..., Any]) -> bool:
    called = getattr(function, "__call__", None)  # noqa: B004 - an object may have an async __call__
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)


def _load(spec: str) -> Callable[[Any], Any]:
    module_name, colon, name = spec.rpartition(":")
    if not colon or not module_name or not name:
        raise _bad(spec, "expected python:module:function")
    here = str(Path.cwd())
    if here not in sys.path:
        # A function beside the task is what people have; an installed package is found all the same.
        sys.path.insert(0, here)
    try:
        found: Any = import_module(module_name)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:
        raise _bad(spec, f"{type(error).__name__}: {excerpt(str(error))}") from error
    if not callable(found):
        raise _bad(spec, f"{name} is no function")
    return found  # type: ignore[no-any-return]


def _bad(spec: str, reason: str) -> ConfigurationError:
    return ConfigurationError(
        Problem(
            "bad-model",
            f"the model python:{excerpt(spec)} cannot be loaded: {reason}",
            hint="the module must be importable from the working directory, and the function take one item",
        )
    )


def _source_hash(function: Callable[..., Any]) -> str | None:
    try:
        return hash_text(inspect.getsource(inspect.unwrap(function)))
    except (OSError, TypeError):
        return None
