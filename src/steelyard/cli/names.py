"""`steelyard scorers` and `steelyard metrics`: what is registered, plugins included."""

from __future__ import annotations

from typing import Any

import click

from steelyard.cli.output import print_json, print_table
from steelyard.registry import MetricDefinition, Parameter, ScorerDefinition, metrics, scorers


@click.command("scorers", epilog="Example: steelyard scorers --json")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def scorers_command(*, as_json: bool) -> None:
    """List every scorer with version, parameters and meaning."""
    rows = [_scorer(definition) for definition in scorers()]
    if as_json:
        print_json(rows)
        return
    shown = [[row["name"], row["answer_type"], _parameters(row), row["summary"]] for row in rows]
    print_table(["scorer", "answers", "parameters", "meaning"], shown)


@click.command("metrics", epilog="Example: steelyard metrics --json")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def metrics_command(*, as_json: bool) -> None:
    """List every metric with version, direction and meaning."""
    rows = [_metric(definition) for definition in metrics()]
    if as_json:
        print_json(rows)
        return
    shown = [[row["name"], row["direction"] or "-", _parameters(row), row["summary"]] for row in rows]
    print_table(["metric", "better", "parameters", "meaning"], shown)


def _scorer(definition: ScorerDefinition) -> dict[str, Any]:
    return {
        "name": definition.key,
        "version": definition.version,
        "answer_type": definition.answer_type,
        "direction": "higher",
        "pass_threshold": definition.pass_threshold,
        "parameters": _defaults(definition.parameters.values()),
        "sub_scores": dict(definition.sub_scores),
        "summary": definition.summary,
        "module": definition.module,
    }


def _metric(definition: MetricDefinition) -> dict[str, Any]:
    return {
        "name": definition.key,
        "version": definition.version,
        "kind": definition.kind,
        "direction": definition.direction,
        "parameters": _defaults(definition.parameters.values()),
        "summary": definition.summary,
        "module": definition.module,
    }


def _defaults(parameters: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for parameter in parameters:
        assert isinstance(parameter, Parameter)
        found[parameter.name] = parameter.default
    return found


def _parameters(row: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in row["parameters"].items()) or "-"
