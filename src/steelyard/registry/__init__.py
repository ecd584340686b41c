"""Names, versions, parameters and signatures of scorers and metrics, and the door plugins come in by.

Built-ins and plugins enter the same way: a decorated function. Loading happens when a registry is first asked, not on
import. A scorer's output under a version never changes; a change of output is a new version.
"""

from steelyard.registry.decorators import metric, scorer
from steelyard.registry.definitions import (
    Metric,
    MetricDefinition,
    MetricKind,
    Parameter,
    ParameterValue,
    Scorer,
    ScorerDefinition,
    ScorerFunction,
    signature,
)
from steelyard.registry.lookup import (
    bind_metric,
    bind_scorer,
    block_form,
    direction_of,
    is_bounded,
    keeping,
    metric_definition,
    metrics,
    scorers,
    value_kind,
)

__all__ = [
    "Metric",
    "MetricDefinition",
    "MetricKind",
    "Parameter",
    "ParameterValue",
    "Scorer",
    "ScorerDefinition",
    "ScorerFunction",
    "bind_metric",
    "bind_scorer",
    "block_form",
    "direction_of",
    "is_bounded",
    "keeping",
    "metric",
    "metric_definition",
    "metrics",
    "scorer",
    "scorers",
    "signature",
    "value_kind",
]
