"""Names, versions, parameters and signatures of scorers and metrics, and the door plugins come in by.

Built-ins and plugins enter the same way: a decorated function. Loading happens when a registry is first asked, not on
import. A scorer's output under a version never changes; a change of output is a new version.
"""

from __future__ import annotations

import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Literal, TypeAlias, TypeVar

from steelyard.errors import ConfigurationError, Problem, excerpt
from steelyard.records.answers import ANSWER_CLASSES, Answer, AnswerType
from steelyard.records.scores import Direction, Score, Scorecard

ENTRY_POINT_GROUP = "steelyard"
BUILT_IN_MODULES = ("steelyard.scoring", "steelyard.aggregate")
"""Rooms that register scorers and metrics on import. They enter by the same door as a plugin's module."""

ScorerFunction: TypeAlias = Callable[..., Score]
ParameterValue: TypeAlias = str | int | float | bool | tuple[str, ...] | None
F = TypeVar("F", bound=Callable[..., Any])

_NAME = re.compile(r"[a-z][A-Za-z0-9_]*")
_VERSIONED = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_]*)(?:@v(?P<version>[1-9][0-9]*))?")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One keyword of a scorer or metric."""

    name: str
    annotation: Any
    default: ParameterValue


@dataclass(frozen=True, slots=True)
class ScorerDefinition:
    """A scorer as registered."""

    name: str
    version: int
    answer_type: AnswerType
    function: ScorerFunction
    parameters: Mapping[str, Parameter]
    pass_threshold: float
    sub_scores: Mapping[str, Direction]
    summary: str
    module: str

    @property
    def key(self) -> str:
        """The versioned name, `number@v1`."""
        return f"{self.name}@v{self.version}"


@dataclass(frozen=True, slots=True)
class Scorer:
    """A scorer with its parameters bound: a pure function of two answers, with a signature."""

    definition: ScorerDefinition
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    pass_threshold: float = 0.5

    @property
    def name(self) -> str:
        """The unversioned name, which is also the name of its mean as a metric."""
        return self.definition.name

    @property
    def signature(self) -> str:
        """Everything that can change a number this scorer gives, defaults included."""
        return signature(self.definition.key, self.definition.parameters, self.parameters)

    def __call__(self, predicted: Answer, expected: Answer) -> Scorecard:
        """Judge one pair of answers."""
        score = self.definition.function(predicted, expected, **self.parameters)
        if not (math.isfinite(score.primary) and 0.0 <= score.primary <= 1.0):
            raise ValueError(f"{self.definition.key} gave {score.primary!r}, which is not in [0, 1]")
        return Scorecard(
            primary_score=float(score.primary),
            passed=score.primary >= self.pass_threshold,
            sub_scores=score.sub_scores,
            error_tags=score.error_tags,
            explain=score.explain,
        )


MetricKind: TypeAlias = Literal["item", "classification", "corpus", "loss", "rules", "gold"]


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """A metric as registered: a number over many items with a declared direction.

    `item`: the mean of `function(prediction, reference, **parameters)` over items, both texts.
    `classification`: from the confusion matrix. `corpus`: from sums over the whole text. `loss`: from token losses.
    `rules`: from format rules. `gold`: on a gold set of its own.
    """

    name: str
    version: int
    kind: MetricKind
    direction: Direction | None
    """None for what is no single number (`confusion_matrix`)."""
    function: Callable[..., float | None] | None
    parameters: Mapping[str, Parameter]
    summary: str
    bounded: bool = True
    """Whether every value lies in [0, 1]."""
    module: str = ""

    @property
    def key(self) -> str:
        """The versioned name, `f1@v1`."""
        return f"{self.name}@v{self.version}"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric with its parameters bound."""

    definition: MetricDefinition
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The key it is reported by."""
        return self.definition.name

    @property
    def signature(self) -> str:
        """Everything that can change this metric's value, defaults included."""
        return signature(self.definition.key, self.definition.parameters, self.parameters)


def signature(key: str, parameters: Mapping[str, Parameter], bound: Mapping[str, ParameterValue]) -> str:
    """Return `name@vN|a=1,b=2` over all parameters in alphabetical order; unset ones are left out."""
    values = {name: bound.get(name, parameter.default) for name, parameter in parameters.items()}
    printed = [f"{name}={_print(value)}" for name, value in sorted(values.items()) if value is not None]
    return f"{key}|{','.join(printed)}" if printed else key


def _print(value: ParameterValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ";".join(value) + "]"
    return repr(value) if isinstance(value, float) else str(value)


_scorers: dict[tuple[str, int], ScorerDefinition] = {}
_metrics: dict[tuple[str, int], MetricDefinition] = {}


def scorer(
    name: str,
    *,
    version: int,
    pass_threshold: float = 0.5,
    sub_scores: Mapping[str, Direction] | None = None,
) -> Callable[[F], F]:
    """Register a typed function of two answers as `name@v<version>`.

    Both answers must have one type, and every further parameter must be keyword-only with a default.

    >>> from steelyard.records.answers import Text
    >>> from steelyard.records.scores import Score
    >>> @scorer("same_length", version=1)
    ... def same_length(predicted: Text, expected: Text, *, slack: int = 0) -> Score:
    ...     "1 when both texts have the same length."
    ...     return Score(float(abs(len(predicted.value) - len(expected.value)) <= slack))
    >>> bind_scorer("same_length@v1", {"slack": 2}).signature
    'same_length@v1|slack=2'
    """

    def register(function: F) -> F:
        answer_type, parameters = _inspect_scorer(name, function)
        definition = ScorerDefinition(
            name=name,
            version=version,
            answer_type=answer_type,
            function=function,
            parameters=parameters,
            pass_threshold=pass_threshold,
            sub_scores=dict(sub_scores or {}),
            summary=_first_line(function),
            module=function.__module__,
        )
        _enter(_scorers, definition)
        return function

    return register


def metric(
    name: str,
    *,
    version: int = 1,
    kind: MetricKind = "item",
    direction: Direction | None = "higher",
    bounded: bool = True,
) -> Callable[[F], F]:
    """Register a metric by the key it is reported under, with the direction in which it is better."""

    def register(function: F) -> F:
        definition = MetricDefinition(
            name=name,
            version=version,
            kind=kind,
            direction=direction,
            function=function,
            parameters=_keyword_parameters(name, function),
            summary=_first_line(function),
            bounded=bounded,
            module=function.__module__,
        )
        _enter(_metrics, definition)
        return function

    return register


def _enter(table: dict[tuple[str, int], Any], definition: ScorerDefinition | MetricDefinition) -> None:
    if not _NAME.fullmatch(definition.name):
        raise TypeError(f"{definition.name!r} is not a name: use letters, digits and underscores")
    present = table.get((definition.name, definition.version))
    if present is not None and present.module != definition.module:
        raise TypeError(f"{definition.key} is registered twice, by {present.module} and by {definition.module}")
    table[definition.name, definition.version] = definition


def _inspect_scorer(name: str, function: Callable[..., Any]) -> tuple[AnswerType, dict[str, Parameter]]:
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
    return known[first], _keyword_parameters(name, function)


def _keyword_parameters(name: str, function: Callable[..., Any]) -> dict[str, Parameter]:
    hints = typing.get_type_hints(function)
    parameters = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        if parameter.default is inspect.Parameter.empty:
            raise TypeError(f"{name}: parameter {parameter.name} needs a default")
        annotation = hints.get(parameter.name, Any)
        parameters[parameter.name] = Parameter(parameter.name, annotation, parameter.default)
    return parameters


def _first_line(function: Callable[..., Any]) -> str:
    lines = (inspect.getdoc(function) or "").splitlines()
    return lines[0] if lines else ""


@cache
def _load() -> None:
    for module in BUILT_IN_MODULES:
        import_module(module)
    for entry_point in entry_points(group=ENTRY_POINT_GROUP):
        entry_point.load()


def scorers() -> list[ScorerDefinition]:
    """Return every registered scorer, built in or from a plugin, in order of name and version."""
    _load()
    return [_scorers[key] for key in sorted(_scorers)]


def metrics() -> list[MetricDefinition]:
    """Return every registered metric, in order of name and version."""
    _load()
    return [_metrics[key] for key in sorted(_metrics)]


def bind_scorer(
    name: str, parameters: Mapping[str, Any] | None = None, *, pass_threshold: float | None = None
) -> Scorer:
    """Return a scorer by `name@vN` (or `name` for its newest version) with parameters checked."""
    definition: ScorerDefinition = _resolve("scorer", name, scorers())
    bound = _bind(definition.key, definition.parameters, parameters or {})
    threshold = definition.pass_threshold if pass_threshold is None else pass_threshold
    return Scorer(definition, bound, threshold)


def bind_metric(name: str, parameters: Mapping[str, Any] | None = None) -> Metric:
    """Return a metric by its key with parameters checked."""
    definition: MetricDefinition = _resolve("metric", name, metrics())
    return Metric(definition, _bind(definition.key, definition.parameters, parameters or {}))


def direction_of(name: str) -> Direction | None:
    """Return the declared direction of a metric, a scorer's mean or a sub-score; None where none is declared."""
    for definition in metrics():
        if definition.name == name:
            return definition.direction
    for registered in scorers():
        if registered.name == name:
            return "higher"
        if name in registered.sub_scores:
            return registered.sub_scores[name]
    return None


def _resolve(what: str, name: str, definitions: Iterable[Any]) -> Any:
    match = _VERSIONED.fullmatch(name)
    candidates = [entry for entry in definitions if match and entry.name == match["name"]]
    if match and match["version"]:
        candidates = [entry for entry in candidates if entry.version == int(match["version"])]
    if candidates:
        return candidates[-1]
    keys = [entry.key for entry in definitions]
    raise ConfigurationError(
        Problem(
            code="unknown-name",
            message=f"there is no {what} {excerpt(name)!r}; there are {', '.join(keys)}",
            hint=_suggestion(name.split("@", maxsplit=1)[0], [entry.name for entry in definitions])
            or f"`steelyard {what}s` lists them",
        )
    )


def _suggestion(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]!r}?" if close else ""


def _bind(key: str, declared: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, ParameterValue]:
    bound: dict[str, ParameterValue] = {}
    for name, value in given.items():
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise ConfigurationError(
                Problem(
                    code="unknown-parameter",
                    message=f"{key} has no parameter {excerpt(name)!r}; its parameters are: {known}",
                    hint=_suggestion(name, declared),
                )
            )
        bound[name] = _checked(key, declared[name], value)
    return bound


def _checked(key: str, parameter: Parameter, value: Any) -> ParameterValue:
    if isinstance(value, list):
        value = tuple(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigurationError(
            Problem(
                code="bad-configuration",
                message=f"{key}: {parameter.name} is {value}, not a finite number",
            )
        )
    if not _fits(value, parameter.annotation):
        expected = getattr(parameter.annotation, "__name__", str(parameter.annotation))
        raise ConfigurationError(
            Problem(
                code="bad-configuration",
                message=f"{key}: {parameter.name} is {excerpt(repr(value))}, expected {expected}",
            )
        )
    return typing.cast("ParameterValue", value)


def _fits(value: Any, annotation: Any) -> bool:
    """Return whether a value from a configuration file is of an annotated type; an int serves as a float."""
    if annotation is Any:
        return True
    origin = typing.get_origin(annotation)
    if origin is Literal:
        return value in typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, part) for part in typing.get_args(annotation))
    if origin is tuple:
        part = typing.get_args(annotation)[0]
        return isinstance(value, tuple) and all(_fits(entry, part) for entry in value)
    if annotation is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if annotation is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return value is None if annotation in (None, type(None)) else isinstance(value, annotation)
