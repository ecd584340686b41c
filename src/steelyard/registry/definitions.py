"""What a scorer and a metric are: as registered, and with their parameters bound."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from steelyard.records.answers import Answer, AnswerType
from steelyard.records.scores import Direction, Score, Scorecard, ValueKind

ScorerFunction: TypeAlias = Callable[..., Score]
ParameterValue: TypeAlias = str | int | float | bool | tuple[str, ...] | None
Environment: TypeAlias = Callable[[], Mapping[str, str]]
"""What besides parameters can change a number, by name: versions of libraries that give it."""
CountsOf: TypeAlias = Literal["texts", "answer"]
MetricKind: TypeAlias = Literal["item", "classification", "corpus", "loss", "rules", "gold", "research", "repeats"]

_NEEDS_QUOTES = re.compile(r'[,;|\[\]"\\\x00-\x1f]')
"""What would make a signature mean two things."""


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
    values: ValueKind = "bounded"
    """What values the primary score can have: `rate` where it is 0 or 1."""
    sub_values: Mapping[str, ValueKind] = field(default_factory=dict)
    """The same for the sub-scores; one that is not named is `bounded` where higher is better, else `unbounded`."""
    environment: Environment | None = None
    needs: str | None = None
    """The part of a reference without which there is nothing to judge by."""
    block: str | None = None
    """Where its block form stands, as `module:name`. It is loaded for blocks alone, so that one item needs no loops."""

    @property
    def key(self) -> str:
        """The versioned name, `number@v1`."""
        return f"{self.name}@v{self.version}"

    def part_values(self, part: str) -> ValueKind:
        """Return what values a sub-score can have."""
        by_direction: ValueKind = "bounded" if self.sub_scores[part] == "higher" else "unbounded"
        return self.sub_values.get(part, by_direction)


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
        """Everything that can change what this scorer gives, defaults included; a threshold of the user's own too."""
        declared = signed_parameters(self.definition)
        if self.pass_threshold != self.definition.pass_threshold:
            declared["pass_threshold"] = Parameter("pass_threshold", float, self.pass_threshold)
        return signature(self.definition.key, declared, self.parameters)

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

    def over(self, predicted: Sequence[Answer], expected: Sequence[Answer]) -> list[Scorecard]:
        """Judge a block of pairs: the function lifted over two columns of answers."""
        return [self(found, wanted) for found, wanted in zip(predicted, expected, strict=True)]


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """A metric as registered: a number over many items with a declared direction.

    `item`: the mean of `function(prediction, reference, **parameters)` over items, both texts.
    `classification`: from the confusion matrix. `corpus`: from sums over the whole text. `loss`: from token losses.
    `rules`: from format rules. `gold`: on a gold set of its own. `research`: from two counts of research artifacts.
    `repeats`: the mean of `function(outcomes, **parameters)` over items, from all that their repeats gave.
    """

    name: str
    version: int
    kind: MetricKind
    direction: Direction | None
    """None for what is no single number (`confusion_matrix`)."""
    function: Callable[..., float | None] | None
    parameters: Mapping[str, Parameter]
    summary: str
    values: ValueKind = "bounded"
    """What values a single item can have; it decides how the interval is made."""
    module: str = ""
    counts: Callable[..., Sequence[int]] | None = None
    """For `corpus`: the whole numbers of one item, from its prediction and its references. `function` then makes the
    figures of rows of their sums."""
    counts_of: CountsOf = "texts"
    """What `counts` is given for the references: their texts, or the expected answer as a whole."""
    environment: Environment | None = None
    spelled: str = ""
    """How reports name it where its parameters are part of its name: `pass@{k}`."""

    @property
    def bounded(self) -> bool:
        """Whether every value lies in [0, 1]."""
        return self.values in ("rate", "bounded")

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
        if not self.definition.spelled:
            return self.definition.name
        values = {name: parameter.default for name, parameter in self.definition.parameters.items()}
        return self.definition.spelled.format(**(values | dict(self.parameters)))

    @property
    def signature(self) -> str:
        """Everything that can change this metric's value, defaults included."""
        return signature(self.definition.key, signed_parameters(self.definition), self.parameters)


def signed_parameters(definition: ScorerDefinition | MetricDefinition) -> dict[str, Parameter]:
    """Return what stands in a signature: declared parameters, and what the environment is made of."""
    around = definition.environment() if definition.environment is not None else {}
    return {**definition.parameters, **{name: Parameter(name, str, value) for name, value in around.items()}}


def signature(key: str, parameters: Mapping[str, Parameter], bound: Mapping[str, ParameterValue]) -> str:
    """Return `name@vN|a=1,b=2` over all parameters in alphabetical order; unset and empty ones are left out."""
    values = {name: bound.get(name, parameter.default) for name, parameter in parameters.items()}
    printed = [f"{name}={_print(value)}" for name, value in sorted(values.items()) if value is not None and value != ()]
    return f"{key}|{','.join(printed)}" if printed else key


def _print(value: ParameterValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ";".join(map(_print, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if not value or _NEEDS_QUOTES.search(value) else value
    return repr(value)
