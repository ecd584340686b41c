"""`@scorer` and `@metric`: how a function becomes a registered one, in the package and in a plugin alike."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from steelyard.records.answers import ANSWER_CLASSES, AnswerType
from steelyard.records.scores import Direction, ValueKind
from steelyard.registry.definitions import CountsOf, Environment, MetricDefinition, MetricKind, ScorerDefinition
from steelyard.registry.parameters import METRICS, SCORERS, declared_parameters, enter

Function = TypeVar("Function", bound=Callable[..., Any])


def scorer(  # noqa: PLR0913 - each is a word of the registration
    name: str,
    *,
    version: int,
    pass_threshold: float = 0.5,
    sub_scores: Mapping[str, Direction] | None = None,
    values: ValueKind = "bounded",
    sub_values: Mapping[str, ValueKind] | None = None,
    environment: Environment | None = None,
    needs: str | None = None,
    block: str | None = None,
) -> Callable[[Function], Function]:
    """Register a typed function of two answers as `name@v<version>`.

    Both answers must have one type, and every further parameter must be keyword-only with a default. `environment`
    says what else can change a number, such as the version of a library; it stands in the signature too. A reference
    without the part that the scorer `needs` is refused where references are read. `values` is `rate` where the score is
    0 or 1 and nothing between; `sub_values` says the same of sub-scores, by name. `block` names the scorer's block form
    as `module:name`: a function that takes the scorer with its parameters and returns what judges columns of answers
    just as the scorer judges each pair (`registry.block_form`), or None where these parameters have none.

    >>> from steelyard.records.answers import Text
    >>> from steelyard.records.scores import Score
    >>> from steelyard.registry import bind_scorer
    >>> @scorer("same_length", version=1)
    ... def same_length(predicted: Text, expected: Text, *, slack: int = 0) -> Score:
    ...     "1 when both texts have the same length."
    ...     return Score(float(abs(len(predicted.value) - len(expected.value)) <= slack))
    >>> bind_scorer("same_length@v1", {"slack": 2}).signature
    'same_length@v1|slack=2'
    """
    if not 0.0 <= pass_threshold <= 1.0:
        raise TypeError(f"scorer {name}: pass_threshold is {pass_threshold}, expected a number in [0, 1]")
    if block is not None and not all(block.partition(":")):
        raise TypeError(f"scorer {name}: block is {block!r}, expected `module:name` of a function")

    def register(function: Function) -> Function:
        definition = ScorerDefinition(
            name=name,
            version=version,
            answer_type=_answer_type(name, function),
            function=function,
            parameters=declared_parameters(name, function),
            pass_threshold=pass_threshold,
            sub_scores=dict(sub_scores or {}),
            summary=_first_line(function),
            module=function.__module__,
            values=values,
            sub_values=dict(sub_values or {}),
            environment=environment,
            needs=needs,
            block=block,
        )
        enter(SCORERS, definition)
        return function

    return register


def metric(  # noqa: PLR0913 - each is a word of the registration
    name: str,
    *,
    version: int = 1,
    kind: MetricKind = "item",
    direction: Direction | None = "higher",
    bounded: bool = True,
    values: ValueKind | None = None,
    counts: Callable[..., Sequence[int]] | None = None,
    environment: Environment | None = None,
    spelled: str = "",
) -> Callable[[Function], Function]:
    """Register a metric by the key it is reported under, with the direction in which it is better.

    `values` says what a single item's value can be, which decides how the interval is made: `rate` (0 or 1), `bounded`
    (from 0 to 1), `percent` (from 0 to 100), `amount` (0 or more), `unbounded`. Unset, it is `bounded`, or `unbounded`
    with `bounded=False`. `counts` is given a prediction and the texts of its references, or, where it is annotated so,
    the expected answer; of a corpus metric that is a `rate`, they are two: what is right, and of how many. `spelled` is
    how reports name a metric whose whole-number parameters are part of its name, such as `pass@{k}`; it can be asked
    for by that name too.
    """

    def register(function: Function) -> Function:
        definition = MetricDefinition(
            name=name,
            version=version,
            kind=kind,
            direction=direction,
            function=function,
            parameters=declared_parameters(name, function),
            summary=_first_line(function),
            values=values or ("bounded" if bounded else "unbounded"),
            module=function.__module__,
            counts=counts,
            counts_of=_counted(counts) if counts is not None else "texts",
            environment=environment,
            spelled=spelled,
        )
        enter(METRICS, definition)
        return function

    return register


def _answer_type(name: str, function: Callable[..., Any]) -> AnswerType:
    """Return the one answer type that a function judges."""
    hints = typing.get_type_hints(function)
    positional = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY
    ]
    if len(positional) != 2 or any(key not in hints for key in positional):
        raise TypeError(f"scorer {name} takes two annotated answers, then keywords after `*`")
    first, second = (hints[key] for key in positional)
    known = {answer_class: answer_type for answer_type, answer_class in ANSWER_CLASSES.items()}
    if first is not second or first not in known:
        raise TypeError(f"scorer {name}: both answers must have one type of {sorted(known.values())}")
    return known[first]


def _counted(counts: Callable[..., Sequence[int]]) -> CountsOf:
    """Return what counts are taken of, by the annotation of their second parameter."""
    _, second = list(inspect.signature(counts).parameters)[:2]
    return "answer" if typing.get_type_hints(counts).get(second) in ANSWER_CLASSES.values() else "texts"


def _first_line(function: Callable[..., Any]) -> str:
    lines = (inspect.getdoc(function) or "").splitlines()
    return lines[0] if lines else ""
