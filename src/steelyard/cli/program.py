"""`steelyard program TEXT`: run a turn program (page 40)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from steelyard.cli.output import print_json
from steelyard.errors import InputError, Problem, escape
from steelyard.programs import Result, execute
from steelyard.reading.json_files import read_document


@click.command("program", epilog='Example: steelyard program "subtract(8181, 20454), divide(#0, 20454)"')
@click.argument("text")
@click.option("--table", type=click.Path(path_type=Path), help="A JSON file: {column: {row: cell}}, or rows.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def program_command(text: str, table: Path | None, *, as_json: bool) -> None:
    """Run a turn program: print its value, its operations and each step."""
    result = execute(text, None if table is None else _table(table))
    if as_json:
        print_json(_content(result))
        return
    for number, step in enumerate(result.steps):
        click.echo(f"#{number}  {escape(step.text)} = {_shown(step.value)}")
    click.echo(f"operations: {', '.join(result.operations) or 'none (extract only)'}")
    click.echo(f"value: {_shown(result.value)}")


def _table(path: Path) -> Any:
    found = read_document(path)
    found = found.get("table", found) if isinstance(found, dict) else found
    columns = isinstance(found, dict) and all(isinstance(column, dict) for column in found.values())
    rows = isinstance(found, list) and all(isinstance(row, list) for row in found)
    if columns or rows:
        return found
    hint = 'write {"2008": {"income": 12}}, or [["", "2008"], ["income", 12]]'
    raise InputError(Problem("bad-program", "the file holds no table", hint=hint, file=str(path)))


def _content(result: Result) -> dict[str, Any]:
    steps = [{"step": step.text, "value": step.value} for step in result.steps]
    return {"value": result.value, "exact": result.exact, "operations": list(result.operations), "steps": steps}


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else json.dumps(value)
