"""Asking a model: requests to replies to a journal, what the journal or the cache knows asked for no second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from steelyard.asking.caching import Answers
from steelyard.asking.requests import Requests
from steelyard.errors import IncompleteError, Problem, excerpt, quoted
from steelyard.models import Model
from steelyard.records.models import ModelReply, ModelRequest
from steelyard.secrets import SECRET_IN_OUTPUT, hidden, redact
from steelyard.store.journal import Journal

Asking: TypeAlias = Callable[[int, int], None]
"""Called with how many items are answered and how many there are."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of the asking."""

    total: int
    states: Mapping[str, int]
    """How many items failed or timed out."""
    cached: int
    example: str = ""
    """The first failure of this process: an item and what was wrong."""

    @property
    def failed(self) -> int:
        """How many items have no answer."""
        return sum(self.states.values())


def generate(
    journal_path: Path, model: Model, requests: Requests, *, total: int, cache: bool, asking: Asking | None = None
) -> Asked:
    """Ask the model for every item that the journal does not have yet."""
    answers = Answers(model.identity, requests.template.sha256, enabled=cache)
    with closing(answers), Journal(journal_path) as journal:
        writer = _Writer(journal, requests.prediction_field, total, asking)
        if model.identity.is_mock:
            return _dry(journal, requests, total)
        if None in journal.done.values():
            model.resumed()
        writer.tell()
        for request, reply in _found(journal, requests, answers):
            writer.write(request.item_id, reply, cached=True)
        journal.sync()
        with closing(_asked(model, requests.without(dict(journal.done)))) as replies:
            for request, reply in replies:
                writer.write(request.item_id, reply)
                if hidden(reply.output) is reply.output:
                    answers.keep(request, reply)
        journal.sync()
        writer.tell()
        states = Counter(state for state in journal.done.values() if state is not None)
        return Asked(total, dict(states), answers.hits, writer.failures[0] if writer.failures else "")


def _dry(journal: Journal, requests: Requests, total: int) -> Asked:
    """Journal that nobody was asked."""
    for request in requests.without(dict(journal.done)):
        journal.append(request.item_id, {"state": "missing", "mock": True}, state="missing")
    return Asked(total, {}, 0)


@dataclass(frozen=True, slots=True)
class _Writer:
    """Puts replies into the journal and tells how far the asking is."""

    journal: Journal
    output_field: str
    total: int
    asking: Asking | None
    failures: list[str] = field(default_factory=list)
    """The first failure, to be told as an example."""

    def write(self, item_id: str, reply: ModelReply, *, cached: bool = False) -> None:
        fields = _told(reply)
        output = fields.pop("output", None)
        if reply.state is None:
            fields = {self.output_field: output, **fields}
        elif not self.failures:
            self.failures.append(f"{quoted(item_id)}: {excerpt(reply.error or reply.state)}")
        self.journal.append(item_id, fields | ({"cached": True} if cached else {}), state=reply.state)
        self.tell()

    def tell(self) -> None:
        if self.asking is not None:
            self.asking(len(self.journal.done), self.total)


def _told(reply: ModelReply) -> dict[str, Any]:
    """Return what the journal keeps of a reply: an error is told without any secret, an output without keys."""
    given: dict[str, Any] = msgspec.to_builtins(reply)
    if reply.error is not None:
        given["error"] = redact(reply.error)
    found: dict[str, Any] = hidden(given)
    return dict(given) if found is given else found | {SECRET_IN_OUTPUT: True}


def _found(journal: Journal, requests: Requests, answers: Answers) -> Iterator[tuple[ModelRequest, ModelReply]]:
    """Yield what the cache knows of the requests that are open."""
    if answers.enabled:
        for request in requests.without(dict(journal.done)):
            reply = answers.find(request)
            if reply is not None:
                yield request, reply


def _asked(model: Model, requests: Iterator[ModelRequest]) -> Generator[tuple[ModelRequest, ModelReply]]:
    """Yield the model's replies; as a generator of our own it can be closed, whatever the model's iterator is."""
    yield from model.ask(requests)


def over_budget(asked: Asked, budget: float) -> IncompleteError | None:
    """Return the error where more items failed than the budget allows: a count, or a share of all items below 1."""
    allowed = int(budget * asked.total) if 0 < budget < 1 else int(budget)
    if asked.failed <= allowed:
        return None
    reasons = ", ".join(f"{count} {state}" for state, count in sorted(asked.states.items()))
    example = f"; such as {asked.example}" if asked.example else ""
    return IncompleteError(
        Problem(
            "model-errors",
            f"{asked.failed} of {asked.total} items have no answer ({reasons}), "
            f"and the error budget is {allowed}{example}",
            hint="--resume --retry-failed asks those again; --resume --error-budget N accepts them",
        )
    )
