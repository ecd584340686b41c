"""Items to the requests that a model is asked: the prompt of each, and how the model is to answer.

Before it the model, opened as the caller said.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import msgspec

from steelyard.configuration.task import Task
from steelyard.errors import ConfigurationError, InputError, Problem, Problems, excerpt, quoted
from steelyard.items.source import Source
from steelyard.models import Model, ModelOptions, open_model
from steelyard.models.prompts import DEFAULT_PROMPT, PromptTemplate
from steelyard.reading.references import reference_field, value_of
from steelyard.records.items import Item
from steelyard.records.models import Generation, Message, ModelIdentity, ModelRequest
from steelyard.secrets import redacted
from steelyard.tasks.gold import gold_items
from steelyard.tasks.loading import EvaluateOptions, prompt_text
from steelyard.tasks.preparation import GoldSet, Prepared


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of a task, made anew from the dataset as often as they are asked for."""

    template: PromptTemplate
    generation: Generation
    source: Callable[[], Source]
    prediction_field: str = "prediction"
    """What the journal calls an output, so that whoever reads it by the task's field names finds it."""
    with_references: bool = False
    """Whether the loss on the reference is wanted."""
    gold: GoldSet | None = None
    """Further items that are asked after those of the dataset."""

    def check(self) -> int:
        """Render every prompt once; return how many there are, or raise all that is wrong with the items."""
        source, problems = self.source(), Problems()
        count = 0
        for item in self._items(source):
            count += 1
            try:
                self.request(item, source)
            except InputError as error:
                first = error.problems[0]
                problems.add(
                    Problem(first.code, first.message, first.hint, str(source.dataset), item.line, item_id=item.id)
                )
        source.problems.raise_if_any()
        problems.raise_if_any()
        return count

    def without(self, done: Container[str]) -> Iterator[ModelRequest]:
        """Yield the requests of the items that are not done, in dataset order."""
        source = self.source()
        for item in self._items(source):
            if item.id not in done:
                yield self.request(item, source)

    def _items(self, source: Source) -> Iterator[Item]:
        for block in source.blocks():
            yield from block.items
        if self.gold is not None:
            yield from gold_items(self.gold, source)

    def request(self, item: Item, source: Source) -> ModelRequest:
        """Return the request of one item."""
        return ModelRequest(
            item_id=item.id,
            messages=(Message("user", self.template.render(item.fields, input_text=item.input)),),
            generation=self.generation,
            fields=item.fields,
            tags=item.tags,
            input=item.input,
            reference=_reference(item, source) if self.with_references else None,
        )


def _reference(item: Item, source: Source) -> str | None:
    found = reference_field(item.fields, source.names)
    value = value_of(item.fields, found) if found else None
    return value if isinstance(value, str) else None


def prompt_template(prepared: Prepared) -> PromptTemplate:
    """Return the task's prompt; without one the input is the prompt."""
    text = prompt_text(prepared.task, prepared.folder)
    return PromptTemplate(DEFAULT_PROMPT if text is None else text)


def task_generation(task: Task) -> Generation:
    """Return the task's `generation:` block, checked."""
    return parse_generation(task.generation)


def parse_generation(values: dict[str, Any]) -> Generation:
    """Return `{max_new_tokens, stop, temperature, top_p, seed}` as a record; other keys are errors."""
    known = Generation.__struct_fields__
    for key in values:
        if key not in known:
            close = get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"keys are: {', '.join(known)}"
            raise ConfigurationError(
                Problem("unknown-key", f"there is no key {quoted(f'generation.{key}')}", hint=hint)
            )
    try:
        found = msgspec.convert(_with_tuple(values), Generation)
    except msgspec.ValidationError as error:
        raise ConfigurationError(Problem("bad-configuration", f"generation: {excerpt(str(error))}")) from None
    if found.max_new_tokens < 1 or not 0 <= found.temperature <= 10 or not 0 < found.top_p <= 1:
        message = "generation: max_new_tokens is at least 1, temperature 0 to 10, top_p above 0 and at most 1"
        raise ConfigurationError(Problem("bad-configuration", message))
    return found


def _with_tuple(values: dict[str, Any]) -> dict[str, Any]:
    stop = values.get("stop")
    return values | ({"stop": [stop]} if isinstance(stop, str) else {})


# The model of an evaluation, opened as the caller said, and what its run says of it.


def model_options(options: EvaluateOptions, *, losses: bool) -> ModelOptions:
    """Return how a model is run, as far as the caller said."""
    names = ("concurrency", "deadline", "batch_size", "threads", "device")
    given = {name: value for name in names if (value := getattr(options, name)) is not None}
    return ModelOptions(losses=losses, **given)


def open_task_model(spec: str, options: EvaluateOptions, *, losses: bool) -> Model:
    """Return the model of an evaluation."""
    return open_model(spec, model_options(options, losses=losses))


def model_facts(identity: ModelIdentity) -> dict[str, Any]:
    """Return what `run.json` says of the model."""
    facts: dict[str, Any] = msgspec.to_builtins(identity)
    return redacted({"name": facts.pop("name"), "kind": facts.pop("kind"), **facts})  # type: ignore[no-any-return]
