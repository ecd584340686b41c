"""`python:module:function`: a callable of an item, sync or async. What it raises is that item's failure."""

from __future__ import annotations

import asyncio
import inspect
import math
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from steelyard.errors import ConfigurationError, Problem, excerpt
from steelyard.models.calling import Calls
from steelyard.models.parts import hash_text
from steelyard.models.protocol import BaseModel, elapsed_ms, failure, said
from steelyard.models.streaming import AsyncStream, BlockedLoopError
from steelyard.records.models import ModelIdentity, ModelReply, ModelRequest

# What a callable gave, as a reply: anything that JSON cannot hold, or that could not be read back, is its mistake.


DEEPEST = 48
"""Nesting of an output. A row may be nested 64 deep, and a journal's line puts the output into one."""
LONGEST = 8 << 20
"""Characters of an output; escaped, they must fit into the 32 MiB of a line."""
MOST_DIGITS = 4000
"""Digits of a whole number: Python neither prints nor reads longer ones."""

_REPLY_FIELDS = tuple(field for field in ModelReply.__struct_fields__ if field not in ("output", "attempts"))


def as_reply(given: Any) -> ModelReply:
    """Return what a callable gave as a reply: a reply, an object with `prediction`, or the output itself."""
    if given is None:
        return ModelReply(state="failed", error="the callable returned None")
    if isinstance(given, ModelReply):
        return _checked({name: getattr(given, name) for name in ModelReply.__struct_fields__})
    if isinstance(given, Mapping) and "prediction" in given:
        known = {name: given[name] for name in _REPLY_FIELDS if name in given}
        return _checked({"output": given["prediction"], **known})
    return _checked({"output": given})


def _checked(fields: Mapping[str, Any]) -> ModelReply:
    plain = json_value(dict(fields))
    if (length := _length(plain["output"])) > LONGEST:
        raise ValueError(f"the callable returned {length} characters, and {LONGEST} are kept")
    return msgspec.convert(plain, ModelReply)


def json_value(value: Any, depth: int = 0, *, who: str = "the callable returned") -> Any:
    """Return a value as JSON can hold it, in plain types only; raise where it cannot."""
    if depth > DEEPEST:
        raise ValueError(f"{who} a value nested more than {DEEPEST} deep")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return _finite(float.__float__(value), who)
    if isinstance(value, Mapping):
        return {str(key): json_value(entry, depth + 1, who=who) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(entry, depth + 1, who=who) for entry in value]
    raise TypeError(f"{who} {type(value).__name__}, expected text or another JSON value")


def _finite(number: float, who: str) -> float:
    if not math.isfinite(number):
        raise ValueError(f"{who} {number!r}, which JSON cannot hold")
    return number


def _length(value: Any) -> int:
    if isinstance(value, dict):
        return sum(len(key) + _length(entry) + 4 for key, entry in value.items())
    if isinstance(value, list):
        return sum(_length(entry) + 2 for entry in value)
    if isinstance(value, str):
        return len(value)
    # Whole numbers beyond what Python prints could be written in no file.
    return _digits(value) if isinstance(value, int) else 24


def _digits(number: int) -> int:
    digits = number.bit_length() * 3 // 10
    if digits > MOST_DIGITS:
        raise ValueError(f"the callable returned a whole number of about {digits} digits")
    return digits + 2


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
    """Calls a function with up to `concurrency` items at a time: a sync one in threads, an async one in one loop."""

    def __init__(self, spec: str, *, concurrency: int = 16, deadline: float | None = None) -> None:
        self._function = _load(spec)
        self._is_async = _is_async(self._function)
        self._deadline = deadline
        super().__init__(
            ModelIdentity(spec=f"python:{spec}", kind="python", name=spec, revision=_source_hash(self._function)),
            at_a_time=concurrency,
        )

    def generate(self, request: ModelRequest) -> ModelReply:
        """Call the function once."""
        return next(iter(self.ask([request])))[1]

    def ask(self, requests: Iterable[ModelRequest]) -> Iterator[tuple[ModelRequest, ModelReply]]:
        """Call the function for every request."""
        if not self._is_async:
            return Calls(self._call, at_a_time=self.at_a_time, deadline=self._deadline).run(requests)
        return self._side_by_side(requests)

    def _call(self, request: ModelRequest) -> ModelReply:
        started = time.perf_counter()
        try:
            given = self._function(CallableItem(request))
            if inspect.iscoroutine(given):
                # A plain function around an async one: its thread has no loop yet.
                given = asyncio.run(given)
            return _timed(as_reply(given), started)
        except BaseException as error:  # noqa: BLE001 - foreign code: whatever it raises is this item's failure
            return ModelReply(**failure(error))

    async def _answer(self, request: ModelRequest) -> ModelReply:
        call = asyncio.create_task(self._awaited(request), name=request.item_id)
        # Waited for without being awaited: foreign code may take no notice of being cancelled.
        done, _ = await asyncio.wait({call}, timeout=self._deadline)
        if done:
            return call.result()
        call.cancel()
        return self._late()

    async def _awaited(self, request: ModelRequest) -> ModelReply:
        started = time.perf_counter()
        try:
            awaited: Awaitable[Any] = self._function(CallableItem(request))
            return _timed(as_reply(await awaited), started)
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            return ModelReply(**failure(error))
        except BaseException as error:  # noqa: BLE001 - foreign code: whatever it raises is this item's failure
            return ModelReply(**failure(error))

    def _late(self) -> ModelReply:
        return ModelReply(state="timeout", error=f"no answer within {self._deadline:g} s")

    def _side_by_side(self, requests: Iterable[ModelRequest]) -> Iterator[tuple[ModelRequest, ModelReply]]:
        """Run an async function in one loop, in a new one wherever it blocks a loop for longer than its deadline."""
        left = iter(requests)
        while True:
            stream = AsyncStream(self._answer, concurrency=self.at_a_time, deadline=self._deadline)
            try:
                yield from stream.run(left)
                return
            except BlockedLoopError as blocked:
                yield blocked.request, self._late()
                left = chain(blocked.waiting, left)


def _timed(reply: ModelReply, started: float) -> ModelReply:
    """Return a reply with the time that its call took, where the callable says no other."""
    return reply if reply.latency_ms is not None else msgspec.structs.replace(reply, latency_ms=elapsed_ms(started))


def _is_cancelled() -> bool:
    """Return whether it is us who stop; foreign code may raise the same error by itself."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


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
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise _bad(spec, excerpt(said(error))) from None
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
