"""Names to scorers and metrics: built-ins and plugins are loaded when something is first asked for."""

from __future__ import annotations

import copyreg
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from steelyard.errors import ConfigurationError, Problem, excerpt, quoted
from steelyard.records.scores import Direction, ValueKind
from steelyard.registry.built_in import MODULE_OF, MODULES
from steelyard.registry.definitions import Metric, MetricDefinition, Scorer, ScorerDefinition
from steelyard.registry.parameters import METRICS, SCORERS, Key, bind_parameters, suggestion

ENTRY_POINT_GROUP = "steelyard"

Definition = TypeVar("Definition", ScorerDefinition, MetricDefinition)

_VERSIONED = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9_]*)(?:@v(?P<version>[1-9][0-9]*))?")


@cache
def _load() -> None:
    """Import everything that registers scorers and metrics, by which they enter at the same door as a plugin's."""
    for module in MODULES:
        import_module(module)
    _load_plugins()


@cache
def _load_plugins() -> None:
    for entry_point in entry_points(group=ENTRY_POINT_GROUP):
        _load_plugin(entry_point)


def _load_named(name: str) -> None:
    """Import what has a name, of a scorer, a metric or a part; everything where only that can tell."""
    _load_plugins()
    if name in MODULE_OF:
        import_module(MODULE_OF[name])
    elif not any(name == known for known, _ in (*SCORERS, *METRICS)):
        _load()


def _load_plugin(entry_point: EntryPoint) -> None:
    """Import a plugin's module, whose decorators register what it has; whatever it raises is the plugin's fault."""
    before = {*SCORERS, *METRICS}
    try:
        entry_point.load()
        for name, _ in {*SCORERS, *METRICS} - before:
            # What the plugin calls by one of our names is held against ours while it can be told whose fault that is.
            if name in MODULE_OF:
                import_module(MODULE_OF[name])
    except Exception as error:
        found = f"{type(error).__name__}: {excerpt(str(error))}"
        message = f"the plugin {quoted(entry_point.name)} ({excerpt(entry_point.value)}) cannot be loaded: {found}"
        hint = "fix the plugin, or uninstall it"
        raise ConfigurationError(Problem(code="bad-plugin", message=message, hint=hint)) from error


_KEPT: ContextVar[Mapping[str, int]] = ContextVar("kept versions", default={})  # noqa: B039 - never changed


@contextmanager
def keeping(signatures: Iterable[str]) -> Iterator[None]:
    """Let a name without a version mean the version of these signatures, by which a run was judged, while this lasts.

    >>> with keeping(["text@v1|primary=rouge1"]):
    ...     bind_scorer("text").definition.key, bind_scorer("text@v2").definition.key
    ('text@v1', 'text@v2')
    """
    matches = (_VERSIONED.fullmatch(signature.partition("|")[0]) for signature in signatures)
    versions = {match["name"]: int(match["version"]) for match in matches if match and match["version"]}
    token = _KEPT.set(versions)
    try:
        yield
    finally:
        _KEPT.reset(token)


def scorers() -> list[ScorerDefinition]:
    """Return every registered scorer, built in or from a plugin, in order of name and version."""
    _load()
    return [SCORERS[key] for key in sorted(SCORERS)]


def metrics() -> list[MetricDefinition]:
    """Return every registered metric, in order of name and version."""
    _load()
    return [METRICS[key] for key in sorted(METRICS)]


def bind_scorer(
    name: str, parameters: Mapping[str, Any] | None = None, *, pass_threshold: float | None = None
) -> Scorer:
    """Return a scorer by `name@vN` (or `name` for its newest version) with parameters checked."""
    _load_named(name.partition("@")[0])
    definition = _resolve("scorer", name, _registered(SCORERS), scorers)
    bound = bind_parameters(definition.key, definition.parameters, parameters or {})
    threshold = definition.pass_threshold if pass_threshold is None else pass_threshold
    return Scorer(definition, bound, threshold)


def bind_metric(name: str, parameters: Mapping[str, Any] | None = None) -> Metric:
    """Return a metric by its key, or by the name it is reported under, with parameters checked.

    >>> bind_metric("pass@5").signature
    'pass_at_k@v1|k=5'
    """
    _load_named(name.partition("@")[0])
    spelled = _by_spelling(name)
    definition, said = spelled or (_resolve("metric", name, _registered(METRICS), metrics), {})
    return Metric(definition, bind_parameters(definition.key, definition.parameters, said | dict(parameters or {})))


def block_form(scorer: Scorer) -> Any:
    """Return what judges columns as a scorer judges each pair; None where the scorer, or its parameters, have none.

    A form of texts takes a `scoring.blocks.TextPair`, one of numbers two `kernels.plain_numbers.NumberColumn`, and one
    of lists has a method `judge`; the last two give what those of `number@v1` and `list@v1` give.
    """
    definition = scorer.definition
    if definition.block is None:
        return None
    module, _, name = definition.block.partition(":")
    try:
        make = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        message = (
            f"the block form of {definition.key}, {quoted(definition.block)}, cannot be loaded: {excerpt(str(error))}"
        )
        hint = "name a function as `module:name`, or register the scorer without a block form"
        raise ConfigurationError(Problem(code="bad-plugin", message=message, hint=hint)) from error
    return make(scorer)


def metric_definition(name: str) -> MetricDefinition | None:
    """Return what is registered under the name that reports give a metric; None where nothing is."""
    _load_named(name)
    for definition in _registered(METRICS):
        if definition.name == name:
            return definition
    spelled = _by_spelling(name)
    return None if spelled is None else spelled[0]


def _by_spelling(name: str) -> tuple[MetricDefinition, dict[str, int]] | None:
    """Return the metric whose name has whole numbers in it, and those numbers."""
    for definition in _registered(METRICS):
        if definition.spelled:
            pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[1-9][0-9]{0,5})", re.escape(definition.spelled))
            match = re.fullmatch(pattern, name)
            if match:
                return definition, {key: int(value) for key, value in match.groupdict().items()}
    return None


def direction_of(name: str) -> Direction | None:
    """Return the declared direction of a metric, a scorer's mean or a sub-score; None where none is declared.

    A task with several judgements reports their parts as `numeric_error.change.mae`, and the last word is the part.
    """
    definition = metric_definition(name)
    if definition is not None:
        return definition.direction
    for registered in _registered(SCORERS):
        if registered.name == name:
            return "higher"
        if name in registered.sub_scores:
            return registered.sub_scores[name]
    _, dot, part = name.rpartition(".")
    return direction_of(part) if dot else None


def is_bounded(name: str) -> bool | None:
    """Return whether every value of a metric, a scorer or a sub-score lies in [0, 1]; None for an unknown name."""
    values = value_kind(name)
    return None if values is None else values in ("rate", "bounded")


def value_kind(name: str) -> ValueKind | None:
    """Return what values a metric, a scorer's mean or a sub-score can have; None where the name is unknown.

    >>> value_kind("exact_match"), value_kind("f1"), value_kind("mae")
    ('rate', 'bounded', 'amount')
    """
    definition = metric_definition(name)
    if definition is not None:
        return definition.values
    for registered in _registered(SCORERS):
        if registered.name == name:
            return registered.values
        if name in registered.sub_scores:
            return registered.part_values(name)
    _, dot, part = name.rpartition(".")
    return value_kind(part) if dot else None


def _registered_scorer(name: str, version: int) -> ScorerDefinition:
    found: ScorerDefinition = _known(SCORERS, name, version)
    return found


def _registered_metric(name: str, version: int) -> MetricDefinition:
    found: MetricDefinition = _known(METRICS, name, version)
    return found


def _pickled_scorer(definition: ScorerDefinition) -> tuple[Any, ...]:
    return _pickled(SCORERS, _registered_scorer, definition)


def _pickled_metric(definition: MetricDefinition) -> tuple[Any, ...]:
    return _pickled(METRICS, _registered_metric, definition)


def _pickled(table: dict[Key, Any], found: Callable[..., Any], definition: Definition) -> tuple[Any, ...]:
    """Return how a definition is made in another process: by its name there, for a plugin's function may be a closure.

    What is registered by another definition, or not at all, goes as it is.
    """
    key = definition.name, definition.version
    if table.get(key) is definition:
        return found, key
    return object.__reduce_ex__(definition, 2)  # type: ignore[return-value]  # as pickle itself does it


copyreg.pickle(ScorerDefinition, _pickled_scorer)
copyreg.pickle(MetricDefinition, _pickled_metric)


def _known(table: Mapping[Key, Any], name: str, version: int) -> Any:
    _load_named(name)
    return table[name, version]


def _registered(table: Mapping[Key, Definition]) -> list[Definition]:
    """Return what is registered by now, in order of name and version."""
    return [table[key] for key in sorted(table)]


def _resolve(
    what: str, name: str, definitions: Sequence[Definition], every: Callable[[], Sequence[Definition]]
) -> Definition:
    match = _VERSIONED.fullmatch(name)
    candidates = [entry for entry in definitions if match and entry.name == match["name"]]
    if match and match["version"]:
        candidates = [entry for entry in candidates if entry.version == int(match["version"])]
    kept = _KEPT.get().get(match["name"]) if match and not match["version"] else None
    if candidates:
        return next((entry for entry in candidates if entry.version == kept), candidates[-1])
    definitions = every()
    keys = ", ".join(entry.key for entry in definitions)
    near = suggestion(name.split("@", maxsplit=1)[0], [entry.name for entry in definitions])
    message = f"there is no {what} {quoted(name)}; there are {keys}"
    hint = near or f"`steelyard {what}s` lists them"
    raise ConfigurationError(Problem(code="unknown-name", message=message, hint=hint))
