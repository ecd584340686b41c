"""A chat template is a program that came with a model: it runs in a process of its own, within limits.

jinja2's sandbox keeps a template from everything outside it, and not from looping for ever or from making a text of
gigabytes. The process that renders is forked; what it may take is kept by the kernel, whatever the template does.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from steelyard.errors import ConfigurationError, Problem, excerpt
from steelyard.extras import between_libraries

Messages: TypeAlias = Sequence[dict[str, str]]
Render: TypeAlias = Callable[[Messages], str]

SECONDS = 2.0
"""Of processor time for one chat; honest templates take a few thousandths."""
PATIENCE = 60.0
"""Seconds after which a process that takes no processor time is given up."""
MOST_GIVEN_UP = 8
"""After so many chats that took too long, no further one is tried: a thousand items would take as long each."""
MEMORY = 1 << 30
"""Bytes beyond what the process has at its start."""
LONGEST = 8 << 20
"""Characters of a rendered chat."""

_PROBES: tuple[Messages, ...] = (
    [{"role": "user", "content": "a"}],
    [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}],
    [{"role": role, "content": "a"} for role in ("user", "assistant", "user")],
)
_HINT = "use another model, or put right the chat template in its folder"


class TemplateError(Exception):
    """A chat that cannot be rendered; `unsafe` where the template went beyond its limits or out of its sandbox."""

    def __init__(self, message: str, *, unsafe: bool, refused: bool = False) -> None:
        super().__init__(message)
        self.unsafe = unsafe
        self.refused = refused
        """Whether the template itself said no, as some do to chats without a system message."""


class ChatTemplate:
    """Renders chats in a process of its own, which is made anew after a chat that was too much for it."""

    def __init__(self, render: Render) -> None:
        self._render = render
        self._process: Any = None
        self._pipe: Connection | None = None
        self._given_up = 0

    def check(self, file: str, *, limits_only: bool = False) -> None:
        """Refuse a template that does not render the plainest chat, or that is too much over any of three."""
        for number, messages in enumerate(_PROBES):
            try:
                self.render(messages)
            except TemplateError as error:
                if error.unsafe or not (limits_only or error.refused or number):
                    self.close()
                    code = "unsafe-model" if error.unsafe else "bad-model"
                    message = f"the chat template cannot be used: {error}"
                    raise ConfigurationError(Problem(code, message, hint=_HINT, file=file)) from None

    def render(self, messages: Messages) -> str:
        """Return a chat as one text, or raise TemplateError."""
        if not hasattr(os, "fork"):
            return _rendered(self._render, messages)
        if self._given_up >= MOST_GIVEN_UP:
            raise TemplateError(f"rendering took more than {SECONDS:g} seconds {MOST_GIVEN_UP} times", unsafe=True)
        if self._pipe is None:
            self._start()
        assert self._pipe is not None
        try:
            self._pipe.send(list(messages))
            if not self._pipe.poll(PATIENCE):
                raise EOFError
            kind, text = self._pipe.recv()
        except (EOFError, OSError):
            self.close()
            self._given_up += 1
            raise TemplateError(f"rendering it takes more than {SECONDS:g} seconds", unsafe=True) from None
        if kind == "text":
            return str(text)
        raise TemplateError(text, unsafe=kind == "unsafe", refused=kind == "refused")

    def close(self) -> None:
        """End the process."""
        if self._pipe is not None:
            self._pipe.close()
            self._process.kill()
            self._process.join()
            self._pipe = self._process = None

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        self._pipe, theirs = context.Pipe()
        # Python warns of a fork beside threads: the child runs the template and nothing that a thread may hold.
        with between_libraries():
            self._process = context.Process(target=_serve, args=(theirs, self._pipe, self._render), daemon=True)
            self._process.start()
        theirs.close()


def _serve(pipe: Connection, parents: Connection, render: Render) -> None:
    """Render what comes through the pipe until the other end is closed, or the kernel ends it."""
    parents.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    _limit_memory()
    while True:
        try:
            messages = pipe.recv()
        except (EOFError, OSError):
            _leave()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            found = ("text", _rendered(render, messages))
        except TemplateError as error:
            found = ("unsafe" if error.unsafe else "refused" if error.refused else "failed", str(error))
        signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send(found)


def _leave() -> NoReturn:
    """End without a word: what the parent registered for its own end is not this process's to do."""
    os._exit(0)


def _limit_memory() -> None:
    import resource  # noqa: PLC0415 - not on every platform, where nothing is forked either

    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_bytes().split()[0]) if sys.platform == "linux" else 0
        used = pages * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))


def _rendered(render: Render, messages: Messages) -> str:
    """Return the text, or raise TemplateError with what a user can read."""
    from jinja2 import exceptions  # noqa: PLC0415 - comes with the libraries that have templates

    try:
        text = render(messages)
    except (MemoryError, RecursionError, OverflowError, SyntaxError) as error:
        # A constant that Python computes while it compiles can fail as a syntax error of the generated code.
        message = f"rendering it takes more than {MEMORY >> 20} MiB, or too many calls: {type(error).__name__}"
        raise TemplateError(message, unsafe=True) from None
    except exceptions.SecurityError as error:
        raise TemplateError(f"it reaches out of its sandbox: {excerpt(str(error))}", unsafe=True) from None
    except exceptions.TemplateSyntaxError as error:
        message = f"its line {error.lineno} is no template: {excerpt(str(error.message))}"
        raise TemplateError(message, unsafe=False) from None
    except Exception as error:  # noqa: BLE001 - a template can raise what it likes
        refused = type(error) is exceptions.TemplateError
        raise TemplateError(excerpt(f"{type(error).__name__}: {error}"), unsafe=False, refused=refused) from None
    if len(text) > LONGEST:
        raise TemplateError(f"it makes {len(text)} characters of a chat, and {LONGEST} are taken", unsafe=True)
    return text


def sandboxed(source: str) -> Render:
    """Return what renders a template by itself, as transformers does it."""
    from jinja2 import exceptions  # noqa: PLC0415 - as above
    from jinja2.ext import loopcontrols  # noqa: PLC0415
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

    def raise_exception(message: str) -> NoReturn:
        raise exceptions.TemplateError(message)

    def render(messages: Messages) -> str:
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
        environment.globals["raise_exception"] = raise_exception
        environment.globals["strftime_now"] = lambda form: form
        names = {"bos_token": "", "eos_token": "", "add_generation_prompt": True}
        return environment.from_string(source).render(messages=messages, **names)

    return render
