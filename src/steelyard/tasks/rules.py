"""Format rules and the metrics that a task may ask for without having what they need."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.configuration.task import Task
from steelyard.records.plans import FORMAT_COMPLIANCE
from steelyard.records.rules import Rule
from steelyard.registry import Metric
from steelyard.scoring.rules import FormatRules

WITHOUT_RULES = "the task has no `eval.format_rules`"
WITHOUT_GOLD_SET = "the task has no `eval.gold_set`"
OVER_REPEATS = "it is over the repeats of an item: `--repeats N` makes them, and eval/repeats.json has it"
OF_RESEARCH = "it is of research artifacts: `steelyard research` computes it"


def task_rules(task: Task) -> FormatRules | None:
    """Return the format rules of a task; None where it has none."""
    if not task.eval.format_rules:
        return None
    return FormatRules([Rule(**rule.model_dump()) for rule in task.eval.format_rules])


def metric_signatures(requested: Sequence[Metric], rules: FormatRules | None) -> list[str]:
    """Return the signatures of what is reported; that of format compliance covers the rules themselves."""
    listed = [metric.signature for metric in requested if metric.name != FORMAT_COMPLIANCE]
    return listed + ([rules.signature] if rules is not None else [])


def unavailable_metrics(task: Task, requested: Sequence[Metric]) -> dict[str, str]:
    """Return why metrics that were asked for by name cannot be computed."""
    kinds = {metric.definition.kind: metric.name for metric in requested}
    found = {}
    if "rules" in kinds and not task.eval.format_rules:
        found[kinds["rules"]] = WITHOUT_RULES
    if "gold" in kinds and task.eval.gold_set is None:
        found[kinds["gold"]] = WITHOUT_GOLD_SET
    found |= {metric.name: OVER_REPEATS for metric in requested if metric.definition.kind == "repeats"}
    return found | {metric.name: OF_RESEARCH for metric in requested if metric.definition.kind == "research"}
