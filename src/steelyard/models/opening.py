"""A model by its `--model` spec (page 60)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.errors import Problem, UsageError, quoted
from steelyard.records.encoded import refuse_not_utf8

if TYPE_CHECKING:
    from steelyard.models.protocol import Model

DEFAULT_CONCURRENCY = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """How a model is run. None of this changes what a greedy answer is."""

    concurrency: int = DEFAULT_CONCURRENCY
    """How many requests an endpoint or a callable is given at a time."""
    batch_size: int = 8
    threads: int | None = None
    """CPU threads of a local model; None leaves it to the library."""
    deadline: float = 120.0
    """Seconds that one item may take, all retries included."""
    context_tokens: int = 4096
    """The window of a GGUF model."""
    max_answer_bytes: int = 1 << 20
    """An endpoint's answer beyond this is cut."""
    losses: bool = False
    """Whether the loss on the reference is wanted."""
    device: str | None = None
    revision: str | None = None


def open_model(spec: str, options: ModelOptions | None = None) -> Model:
    """Return the model behind a spec, ready to answer.

    >>> from steelyard.records.models import ModelRequest
    >>> open_model("mock").generate(ModelRequest.of("2 + 2?")).state
    'failed'
    """
    refuse_not_utf8(spec, "the model")
    kind, colon, rest = spec.partition(":")
    if kind not in _OPENERS or bool(colon) != (kind in _NEED_ARGUMENT) or (colon and not rest):
        raise _unknown(spec, kind)
    return _OPENERS[kind](rest, options or ModelOptions())


def _mock(rest: str, options: ModelOptions) -> Model:
    from steelyard.models.protocol import MockModel  # noqa: PLC0415 - each kind is loaded when it is asked for

    del rest, options
    return MockModel()


def _python(rest: str, options: ModelOptions) -> Model:
    from steelyard.models.python_callable import PythonModel  # noqa: PLC0415 - as above

    return PythonModel(rest, concurrency=options.concurrency, deadline=options.deadline)


def _replay(rest: str, options: ModelOptions) -> Model:
    from steelyard.models.replay import ReplayModel  # noqa: PLC0415 - as above

    del options
    return ReplayModel(Path(rest))


def _embedded(rest: str, options: ModelOptions) -> Model:
    from steelyard.models.gguf import embedded_model  # noqa: PLC0415 - llama.cpp is an extra

    del rest
    return embedded_model(options)


def _gguf(rest: str, options: ModelOptions) -> Model:
    from steelyard.models.gguf import GgufModel  # noqa: PLC0415 - llama.cpp is an extra

    return GgufModel(Path(rest), options, spec=f"gguf:{rest}")


def _openai(rest: str, options: ModelOptions) -> Model:
    from steelyard.models.endpoint import EndpointModel  # noqa: PLC0415 - loading the HTTP client takes a while

    return EndpointModel.from_environment(rest, options)


def _hugging_face(rest: str, options: ModelOptions) -> Model:
    from steelyard.models.hugging_face import open_hugging_face  # noqa: PLC0415 - torch is an extra

    return open_hugging_face(rest, options)


_OPENERS: dict[str, Callable[[str, ModelOptions], Model]] = {
    "embedded": _embedded,
    "gguf": _gguf,
    "hf": _hugging_face,
    "openai": _openai,
    "replay": _replay,
    "python": _python,
    "mock": _mock,
}
_NEED_ARGUMENT = frozenset({"gguf", "hf", "openai", "replay", "python"})


def _unknown(spec: str, kind: str) -> UsageError:
    forms = "embedded, gguf:PATH, hf:PATH_OR_ID[+adapter=DIR], openai:MODEL, replay:FILE, python:module:function, mock"
    close = get_close_matches(kind, _OPENERS, n=1)
    hint = f"did you mean {close[0]!r}? " if close and close[0] != kind else ""
    return UsageError(Problem("bad-model", f"{quoted(spec)} is no model", hint=f"{hint}models are {forms}"))
