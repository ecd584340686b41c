"""What a model is asked and what it gives back; asking, conversations and training meet the models here."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

ModelKind: TypeAlias = Literal["gguf", "hf", "openai", "replay", "python", "mock"]
ReplyState: TypeAlias = Literal["failed", "timeout"]
Role: TypeAlias = Literal["system", "user", "assistant"]

DEFAULT_NEW_TOKENS = 256


class Generation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a model is to answer. Greedy and seeded unless a task says otherwise."""

    max_new_tokens: int = DEFAULT_NEW_TOKENS
    stop: tuple[str, ...] = ()
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0


class Message(msgspec.Struct, frozen=True):
    """One message of a chat."""

    role: Role
    content: str


class ModelRequest(msgspec.Struct, frozen=True):
    """One question to a model."""

    item_id: str
    messages: tuple[Message, ...]
    generation: Generation = Generation()
    fields: dict[str, Any] = msgspec.field(default_factory=dict)
    """The item's whole row: what a Python callable is given."""
    tags: dict[str, str] = msgspec.field(default_factory=dict)
    input: str = ""
    reference: str | None = None
    """The expected text, given only where the task asks for `eval_loss`; no answer ever depends on it."""
    json_schema: dict[str, Any] | None = None
    """What the answer has to be, for runtimes that can hold a model to a schema; the prompt says it to all others."""
    shared: tuple[str, ...] = ()
    """Parts of the prompt, in order: up to the end of each, other requests have the same prompt. A runtime may compute
    these beginnings once."""

    @property
    def prompt(self) -> str:
        """The last message, which is the whole prompt unless the request is a chat."""
        return self.messages[-1].content

    @classmethod
    def of(cls, prompt: str, *, item_id: str = "", generation: Generation | None = None) -> ModelRequest:
        """Return a request with one user message."""
        return cls(item_id, (Message("user", prompt),), generation or Generation())


class ModelReply(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a model gave: its output and what it says about it, or the error instead of one."""

    output: Any = None
    """Text from every model but a Python callable, which may give any JSON value."""
    state: ReplyState | None = None
    error: str | None = None
    finish_reason: str | None = None
    truncated: bool = False
    """Whether the output was cut at the token limit or at the size limit."""
    prompt_tokens: int | None = None
    """Counted by the model, never guessed."""
    completion_tokens: int | None = None
    latency_ms: float | None = None
    loss: float | None = None
    """Mean cross-entropy over the tokens of the reference, where it was asked for."""
    n_tokens: int | None = None
    confidence: float | None = None
    probabilities: dict[str, float] | None = None
    """By label, from a classification model."""
    attempts: int = 1


class ModelIdentity(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything about a model that can change its answers. Never holds a secret."""

    spec: str
    kind: ModelKind
    name: str
    endpoint: str | None = None
    revision: str | None = None
    """A hash of the weights or of the replayed file, or the revision that was asked for."""
    adapter: str | None = None
    """The hash of the adapter's weights."""
    tokenizer: str | None = None
    """The hash of the tokenizer, where it is not the base's own."""
    template: str | None = None
    """The hash of the chat template, `none` where prompts go in as they are."""
    runtime: str | None = None
    """The library that runs the model, with its version."""

    @property
    def is_mock(self) -> bool:
        """Whether no model stands behind the name."""
        return self.kind == "mock"
