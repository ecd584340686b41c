"""The task file (page 05), and seed 003's task YAML, which means the same in other words.

Beside it the suite file, which lists task files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, Discriminator, Field, Tag, field_validator, model_validator

from steelyard.configuration.problems import Strict, checked, own_problem
from steelyard.configuration.rules import FormatRule
from steelyard.errors import quoted
from steelyard.text.tokens import normalise

TaskType: TypeAlias = Literal["choice", "number", "list", "text", "reasoning", "label", "mixed"]

TAG_FIELDS = ("section", "category", "difficulty")
"""Top-level fields of a row that become tags unless a task says otherwise."""

_TASK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Fields(Strict):
    """Field names of the data where they differ from page 10's."""

    id: str | None = None
    input: str | None = None
    reference: str | None = None
    prediction: str | None = None
    confidence: str | None = None
    choices: str | None = None
    conversation: str | None = None
    turn: str | None = None


class ScorerEntry(Strict):
    """`{name: number@v1, tolerance_rel: 0.02}`; every further key is a parameter of the scorer."""

    model_config = Strict.model_config | {"extra": "allow"}

    name: str
    pass_threshold: float | None = Field(default=None, ge=0, le=1)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters given for the scorer."""
        return dict(self.model_extra or {})


class MetricEntry(Strict):
    """`{name: f1, normalize: squad}`; every further key is a parameter of the metric."""

    model_config = Strict.model_config | {"extra": "allow"}

    name: str

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters given for the metric."""
        return dict(self.model_extra or {})


class FieldMetric(Strict):
    """Seed 003's `{type: exact_match, pred_field: sentiment, label_field: gt_sentiment}`."""

    model_config = Strict.model_config | {"extra": "allow"}

    type: str
    pred_field: str
    label_field: str
    name: str | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters given for the scorer behind the name."""
        return dict(self.model_extra or {})


def _scorer_kind(entry: Any) -> str:
    """Return which kind of entry is meant, so that a mistake in it is told once and not for every kind there is."""
    return "<parameters>" if isinstance(entry, dict | BaseModel) else "<name>"


def _metric_kind(entry: Any) -> str:
    if isinstance(entry, FieldMetric) or (isinstance(entry, dict) and {"type", "pred_field", "label_field"} & {*entry}):
        return "<fields>"
    return _scorer_kind(entry)


ScorerSpec: TypeAlias = Annotated[
    Annotated[str, Tag("<name>")] | Annotated[ScorerEntry, Tag("<parameters>")], Discriminator(_scorer_kind)
]
MetricSpec: TypeAlias = Annotated[
    Annotated[str, Tag("<name>")]
    | Annotated[FieldMetric, Tag("<fields>")]
    | Annotated[MetricEntry, Tag("<parameters>")],
    Discriminator(_metric_kind),
]


class EvalBlock(Strict):
    """Seed 001's `eval:` block, as it stands there."""

    format_rules: tuple[FormatRule, ...] = Field(default=(), strict=False)
    gold_set: str | None = None
    slice_by_tags: tuple[str | tuple[str, ...], ...] = Field(default=(), strict=False)
    hard_examples: int = Field(default=50, ge=0, le=100_000)

    @field_validator("slice_by_tags", mode="before")
    @classmethod
    def _lists_are_cross_slices(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return tuple(tuple(entry) if isinstance(entry, list) else entry for entry in value)


class Task(Strict):
    """A task file, checked. Paths are still as written; `tasks` resolves them against the file."""

    task: str
    version: str | int | None = None
    dataset: str | None = None
    predictions: str | None = None
    answer_type: TaskType = "text"
    fields: Fields = Fields()
    tag_fields: tuple[str, ...] = Field(default=TAG_FIELDS, strict=False)
    choices: tuple[str, ...] = Field(default=(), strict=False)
    aliases: dict[str, tuple[str, ...]] = Field(default_factory=dict, strict=False)
    model: str | None = None
    prompt: str | None = None
    prompt_file: str | None = None
    prompt_version: str | None = None
    generation: dict[str, Any] = Field(default_factory=dict)
    extract: str | dict[str, str] | None = None
    extract_reference: str | dict[str, str] | None = None
    """Where the reference is a worked solution with the answer at its end, as in GSM8K: how to take it out."""
    parse_schema: dict[str, Any] | None = None
    scorers: tuple[ScorerSpec, ...] = Field(default=(), strict=False)
    metrics: tuple[MetricSpec, ...] | None = Field(default=None, strict=False)
    scoring_profile: str | None = None
    eval: EvalBlock = EvalBlock()
    cluster_by: str | None = None
    """The tag or field by which items belong together: without it a conversation's id, with `none` nothing."""
    training: dict[str, Any] | None = None
    """What the model was trained with; written into the configuration of trained runs."""
    gates: tuple[dict[str, Any], ...] = Field(default=(), strict=False)

    @model_validator(mode="before")
    @classmethod
    def _seed_003_names(cls, values: Any) -> Any:
        """`name` is `task` and `prompt_template` is `prompt` in seed 003."""
        if not isinstance(values, dict):
            return values
        renamed = dict(values)
        for seed, ours in (("name", "task"), ("prompt_template", "prompt")):
            if seed in renamed and ours in renamed:
                raise ValueError(f"{seed} and {ours} mean the same: give one")
            if seed in renamed:
                renamed[ours] = renamed.pop(seed)
        return renamed

    @field_validator("aliases", mode="before")
    @classmethod
    def _alias_lists(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {key: tuple(entry) if isinstance(entry, list) else entry for key, entry in value.items()}

    @field_validator("task")
    @classmethod
    def _is_a_name(cls, value: str) -> str:
        if not _TASK_NAME.fullmatch(value):
            raise ValueError("a task's name has letters, digits, `.`, `_` and `-`, and starts with a letter or digit")
        return value

    @field_validator("tag_fields", "choices", "scorers", "metrics", "gates", mode="before")
    @classmethod
    def _lists(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("aliases")
    @classmethod
    def _each_means_one_choice(cls, value: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        meaning = {normalise(choice, "basic"): choice for choice in value}
        for choice, spellings in value.items():
            for spelling in spellings:
                other = meaning.setdefault(normalise(spelling, "basic"), choice)
                if other != choice:
                    message = f"the alias {quoted(spelling)} means both {quoted(other)} and {quoted(choice)}"
                    raise own_problem("ambiguous-alias", message, "leave the alias to one of the two")
        return value

    @model_validator(mode="after")
    def _one_prompt(self) -> Task:
        if self.prompt is not None and self.prompt_file is not None:
            raise ValueError("prompt and prompt_file are both given: give one")
        return self


def parse_task(values: Mapping[str, Any], *, file: str | None = None) -> Task:
    """Return a task from the content of its file.

    >>> parse_task({"task": "demo", "answer_type": "number"}).answer_type
    'number'
    """
    return checked(Task, values, file=file)


# Suite files: several tasks, one policy over them (page 30).


class Suite(Strict):
    """A suite file, checked. Task files are still as written; `kinds.suite` resolves them against the file."""

    suite: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    tasks: tuple[str, ...] = Field(strict=False, min_length=1)
    gates: tuple[dict[str, Any], ...] = Field(default=(), strict=False)
    allow: tuple[str, ...] = Field(default=(), strict=False)
    required: tuple[str, ...] = Field(default=(), strict=False)
    """Tasks that must pass; where none is named, all must. The others are advisory."""

    @field_validator("tasks", "gates", "allow", "required", mode="before")
    @classmethod
    def _lists(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value


def parse_suite(values: Mapping[str, Any], *, file: str | None = None) -> Suite:
    """Return a suite from the content of its file.

    >>> parse_suite({"suite": "release", "tasks": ["qa.yaml"]}).tasks
    ('qa.yaml',)
    """
    return checked(Suite, values, file=file)
