"""`steelyard schema NAME`: the JSON Schema of a file format."""

from __future__ import annotations

import click

from steelyard.cli.output import print_json
from steelyard.schemas import schema_builders, schema_of


@click.command("schema", epilog="Example: steelyard schema canonical-answer")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the list of names as JSON; a schema is JSON always.")
def schema_command(name: str | None, *, as_json: bool) -> None:
    """Print the JSON Schema of a file format; without a name, list the names."""
    if name is not None:
        print_json(schema_of(name))
    elif as_json:
        print_json(list(schema_builders()))
    else:
        for known in schema_builders():
            click.echo(known)
