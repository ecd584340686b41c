"""llama.cpp in this process: one slot, and the calls of its own server that the GGUF models need.

Beside it the states of prompts' shared beginnings.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import urllib.error
import urllib.request
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from steelyard.errors import InputError, Problem, excerpt
from steelyard.models.opening import ModelOptions
from steelyard.records.models import Message

SILENT = -1


class Llama:
    """A loaded GGUF file."""

    def __init__(self, library: Any, path: Path, options: ModelOptions) -> None:
        self._states = Path(mkdtemp(prefix="steelyard-states-"))
        self._forget_states = weakref.finalize(self, shutil.rmtree, self._states, ignore_errors=True)
        self._key = secrets.token_hex(16)
        self._server = _started(library, path, options, self._key, self._states)

    @property
    def address(self) -> tuple[str, str]:
        """The base URL and the key of llama.cpp's own OpenAI-compatible server."""
        return f"{self._server.listening_address}/v1", self._key

    def chat(self, body: dict[str, Any]) -> dict[str, Any]:
        """Answer a chat."""
        return dict(self._server.handle_chat_completions(body))

    def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        """Continue a prompt, given as text or as tokens."""
        return dict(self._server.handle_completions(body))

    def render(self, messages: tuple[Message, ...]) -> str:
        """Return a chat as the text that the model's template makes of it."""
        return str(self._call("/apply-template", {"messages": as_chat(messages)})["prompt"])

    def tokenize(self, text: str, *, special: bool, begins: bool = True) -> list[int]:
        """Return the tokens of a text; `special` reads special tokens by name, `begins` puts the first one before."""
        body = {"content": text, "add_special": begins, "parse_special": special}
        return [int(token) for token in self._call("/tokenize", body)["tokens"]]

    def save_state(self, name: str) -> bool:
        """Keep what the slot holds in a file; False where that cannot be written, as on a full disk."""
        return self._moved("save", name)

    def restore_state(self, name: str) -> bool:
        """Put back what was kept under a name; False where the file is no longer there."""
        return self._moved("restore", name)

    def _moved(self, action: str, name: str) -> bool:
        try:
            self._call(f"/slots/0?action={action}", {"filename": name})
        except urllib.error.HTTPError:
            return False
        return True

    def forget_state(self, name: str) -> None:
        """Delete what was kept under a name."""
        (self._states / name).unlink(missing_ok=True)

    def _call(self, path: str, body: dict[str, Any]) -> Any:
        """Ask llama.cpp's own server, which listens on the loopback behind a key that only this process knows."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        asked = urllib.request.Request(  # noqa: S310 - the address is llama.cpp's own, on the loopback
            self._server.listening_address + path, json.dumps(body).encode(), headers
        )
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=60) as response:
            return json.load(response)

    def close(self) -> None:
        """Stop llama.cpp and delete what was kept."""
        self._server = None
        self._forget_states()


def as_chat(messages: tuple[Message, ...]) -> list[dict[str, str]]:
    """Return messages as an OpenAI-compatible body has them."""
    return [{"role": message.role, "content": message.content} for message in messages]


def _started(library: Any, path: Path, options: ModelOptions, key: str, states: Path) -> Any:
    parameters = library.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = options.context_tokens
    parameters.n_parallel = 1
    parameters.ctx_shift = False
    parameters.verbosity = SILENT
    parameters.api_keys = [key]
    parameters.slot_save_path = f"{states}/"
    # llama.cpp would keep states by itself too, and then what was asked before decides where an answer starts from.
    parameters.cache_ram_mib = 0
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


# Beginnings that many prompts share, computed once: a document, and what stands before it in every prompt.
#
# A reused state must not change an answer, or a resumed run could differ from an uninterrupted one. The last bits
# of a state depend on how its tokens were cut into batches, so each beginning is reached in one way only: from the
# beginning before it, in a batch of its own. Its bits are then the same whichever prompt needed it first.


KEPT = 2
"""How many states are kept: that of the document under way, and of what stands before every document."""


class Beginnings:
    """The states that are kept, the least recently used first."""

    def __init__(self, llama: Llama) -> None:
        self._llama = llama
        self._kept: OrderedDict[str, None] = OrderedDict()

    def reach(self, tokens: Sequence[int], lengths: Sequence[int]) -> dict[str, Any] | None:
        """Bring the slot behind the last of these beginnings of a prompt; return llama.cpp's error where it has one."""
        start = next((length for length in reversed(lengths) if self._restored(_name(tokens[:length]))), 0)
        for before, length in pairwise([start, *(length for length in lengths if length > start)]):
            body = {"prompt": list(tokens[:length]), "n_predict": 0, "temperature": 0, "cache_prompt": before > 0}
            found = self._llama.complete(body)
            if "error" in found:
                return found
            self._keep(_name(tokens[:length]))
        return None

    def _restored(self, name: str) -> bool:
        if name not in self._kept:
            return False
        if not self._llama.restore_state(name):
            del self._kept[name]
            return False
        self._kept.move_to_end(name)
        return True

    def _keep(self, name: str) -> None:
        # Where the state cannot be written, the slot holds it all the same, and this prompt can go on.
        if not self._llama.save_state(name):
            return
        self._kept[name] = None
        if len(self._kept) > KEPT:
            self._llama.forget_state(self._kept.popitem(last=False)[0])


def lengths_of(tokens: Sequence[int], beginnings: Sequence[Sequence[int]]) -> list[int]:
    """Return how many tokens of a prompt the beginnings cover, each number once, in ascending order.

    The last token of a beginning may be another one inside the prompt, where what follows belongs to the same word.

    >>> lengths_of([5, 6, 7, 8], [[5, 6], [5, 6, 9]]), lengths_of([5, 6, 7, 8], [[5], [5, 6, 7]])
    ([2], [1, 3])
    """
    return sorted({_agreeing(tokens, beginning) for beginning in beginnings} - {0})


def _agreeing(tokens: Sequence[int], beginning: Sequence[int]) -> int:
    # One token has to be left to go on from.
    differing = (place for place, pair in enumerate(zip(tokens[:-1], beginning, strict=False)) if pair[0] != pair[1])
    return next(differing, min(len(tokens) - 1, len(beginning)))


def _name(tokens: Sequence[int]) -> str:
    return hashlib.sha256(",".join(map(str, tokens)).encode()).hexdigest()
