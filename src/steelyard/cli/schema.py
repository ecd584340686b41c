"""`steelyard schema NAME`: the JSON Schema of a file format."""

from __future__ import annotations

from difflib import get_close_matches

import click

from steelyard.canonical.schemas import SCHEMAS
from steelyard.cli.output import print_json
from steelyard.errors import Problem, UsageError, excerpt


@click.command("schema", epilog="Example: steelyard schema canonical-answer")
@click.argument("name", required=False)
def schema_command(name: str | None) -> None:
    """Print the JSON Schema of a file format; without a name, list the names."""
    if name is None:
        for known in SCHEMAS:
            click.echo(known)
        return
    if name not in SCHEMAS:
        close = get_close_matches(name, SCHEMAS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(SCHEMAS)}"
        raise UsageError(Problem(code="unknown-name", message=f"there is no schema {excerpt(name)!r}", hint=hint))
    print_json(SCHEMAS[name])
