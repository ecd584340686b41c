"""`steelyard cache`: what is kept between runs: answers of models, and compiled loops."""

from __future__ import annotations

import click

from steelyard.asking.caching import cache_info, clear_cache
from steelyard.cli.output import print_json


@click.group("cache", epilog="Example: steelyard cache info --json")
def cache_command() -> None:
    """Show or clear the cache of model answers, or compile loops ahead of time."""


@cache_command.command("info", epilog="Example: steelyard cache info")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def info(*, as_json: bool) -> None:
    """Show where the cache is and how many answers of which models it has."""
    found = cache_info()
    if as_json:
        print_json(found)
        return
    click.echo(f"{found['answers']:,} answers, {found['bytes']:,} bytes in {found['path']}")
    for model, count in found["models"].items():
        click.echo(f"  {model}: {count:,}")


@cache_command.command("clear", epilog="Example: steelyard cache clear")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def clear(*, as_json: bool) -> None:
    """Forget every answer."""
    removed = clear_cache()
    if as_json:
        print_json({"removed": removed})
    else:
        click.echo(f"removed {removed:,} answers")


@cache_command.command("compile", epilog="Example: steelyard cache compile")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def compile_ahead(*, as_json: bool) -> None:
    """Compile the loops for large files now, instead of at the first large evaluation."""
    from steelyard.kernels.compiling import compile_loops  # noqa: PLC0415 - the other commands need no loops

    found = compile_loops()
    if as_json:
        print_json(found)
    else:
        click.echo(f"{found['loops']} loops are ready in {found['path']}; {found['compiled']} were compiled now")
