"""`steelyard compare`: runs paired item by item."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.output import print_json
from steelyard.reading.references import names_of, slice_keys
from steelyard.records.comparisons import Comparison
from steelyard.records.plans import SEPARATOR
from steelyard.show.comparison import comparison_text
from steelyard.show.comparison_files import comparison_csv, comparison_markdown
from steelyard.store.files import json_bytes, write_bytes
from steelyard.verdicts.comparison import CompareOptions, compare

FORMATS = ("table", "json", "csv", "markdown")


@click.command("compare", epilog="Example: steelyard compare --runs baseline,candidate --metric f1 --slice-by source")
@click.option("--runs", "runs", required=True, help="Runs, separated by commas; the first is the baseline.")
@click.option("--metric", help="The metric to compare; the baseline's primary one by default.")
@click.option("--slice-by", help="Tags to slice by, separated by commas; a+b crosses two.")
@click.option("--attribute", is_flag=True, help="Split the change into model, scorer, data and coverage.")
@click.option("--allow", multiple=True, help="Compare though this differs: scorer, canonical, task, schema_version.")
@click.option("--top", default=10, show_default=True, type=click.IntRange(min=0), help="Changed items that come whole.")
@click.option("--format", "kind", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Same as --format json.")
@click.option("--output", type=click.Path(path_type=Path), help="Write there instead of printing.")
@click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
def compare_command(
    *,
    runs: str,
    slice_by: str | None,
    allow: tuple[str, ...],
    kind: str,
    as_json: bool,
    output: Path | None,
    **given: Any,
) -> None:
    """Compare runs item by item; delta is candidate minus baseline. Exit 3 when they are not comparable."""
    allowed = tuple(part for entry in allow for part in names_of(entry))
    keys = tuple(key if isinstance(key, str) else SEPARATOR.join(key) for key in slice_keys(slice_by or ""))
    found = compare(CompareOptions(runs=names_of(runs), slice_by=keys, allow=allowed, **given))
    kind = "json" if as_json else kind
    if output is not None:
        write_bytes(output, rendered(found, kind).encode("utf-8", "backslashreplace"))
        click.echo(f"wrote {output}", err=True)
    elif kind == "json":
        print_json(found.as_dict())
    else:
        click.echo(rendered(found, kind).rstrip("\n"))


def rendered(comparison: Comparison, kind: str) -> str:
    """Return a comparison in one of the formats, ending with a newline."""
    if kind == "json":
        return json_bytes(comparison.as_dict()).decode()
    if kind == "csv":
        return comparison_csv(comparison)
    return comparison_markdown(comparison) if kind == "markdown" else comparison_text(comparison) + "\n"
