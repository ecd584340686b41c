"""`steelyard dataset`: versions of datasets by their content."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.output import print_json, print_table
from steelyard.datasets.shipped import opened_path
from steelyard.datasets.versions import add_dataset, check_dataset, diff_datasets, find_version, list_datasets
from steelyard.errors import escape
from steelyard.records.datasets import Manifest

OVERLAP_FOUND = 3
LISTED = 20


@click.group("dataset", epilog="Example: steelyard dataset add data/ --name ds_abc")
def dataset_command() -> None:
    """Add datasets as immutable versions, list, show and compare them, and find overlap."""


@dataset_command.command("add", epilog="Example: steelyard dataset add data/ --name ds_abc")
@click.argument("place", type=click.Path(path_type=Path))
@click.option("--name", required=True, help="The dataset's name; its versions are NAME@v1, NAME@v2, …")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def add(place: Path, name: str, *, as_json: bool) -> None:
    """Add a file or folder as a version; the same content again is the same version."""
    manifest, is_new = add_dataset(opened_path(place), name)
    if as_json:
        print_json(manifest.as_dict())
    else:
        click.echo(f"{manifest.reference}: {manifest.num_rows:,} rows{'' if is_new else ', there already'}")


@dataset_command.command("list", epilog="Example: steelyard dataset list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_versions(*, as_json: bool) -> None:
    """List every version of every dataset."""
    found = list_datasets()
    if as_json:
        print_json([manifest.as_dict() for manifest in found])
        return
    rows = [
        [entry.reference, entry.task, f"{entry.num_rows:,}", entry.created_at, entry.content_hash] for entry in found
    ]
    print_table(["dataset", "task", "rows", "added", "content"], rows)


@dataset_command.command("show", epilog="Example: steelyard dataset show ds_abc@v2")
@click.argument("reference")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(reference: str, *, as_json: bool) -> None:
    """Show a version's files and tags; its bytes are checked."""
    manifest = find_version(reference).manifest
    if as_json:
        print_json(manifest.as_dict())
        return
    click.echo(f"{manifest.reference}: {manifest.task}, {manifest.num_rows:,} rows, {manifest.content_hash}")
    for file in manifest.files:
        click.echo(f"  {escape(file.path)}: {file.split}, {file.num_rows:,} rows")
    _print_tags(manifest)


def _print_tags(manifest: Manifest) -> None:
    for key, values in manifest.tag_distribution.items():
        shown = ", ".join(f"{escape(value)} {count:,}" for value, count in list(values.items())[:LISTED])
        click.echo(f"  tag {escape(key)}: {shown}")


@dataset_command.command("diff", epilog="Example: steelyard dataset diff ds_abc@v1 ds_abc@v2")
@click.argument("before")
@click.argument("after")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def diff(before: str, after: str, *, as_json: bool) -> None:
    """Show added, removed and changed rows, and how the tags shifted."""
    found = diff_datasets(before, after)
    if as_json:
        print_json(found.as_dict())
        return
    for word, rows in (("added", found.added), ("removed", found.removed), ("changed", found.changed)):
        shown = ", ".join(escape(row) for row in rows[:5]) + ("…" if len(rows) > 5 else "")
        click.echo(f"{word}: {len(rows):,}{f' ({shown})' if rows else ''}")
    for key, values in found.tag_shift.items():
        for value, (one, other) in values.items():
            click.echo(f"tag {escape(key)}={escape(value)}: {one:,} -> {other:,} rows")


@dataset_command.command("check", epilog="Example: steelyard dataset check ds_abc@v2")
@click.argument("reference")
@click.option(
    "--threshold", type=click.FloatRange(min=0.1, max=1), default=0.8, show_default=True, help="3-gram Jaccard."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(reference: str, threshold: float, *, as_json: bool) -> None:
    """Find test rows that stand, exactly or nearly, among the training rows. Exit 3 where there are any."""
    report = check_dataset(reference, threshold=threshold)
    content = report.as_dict()
    if as_json:
        print_json(content)
    else:
        counts = f"{content['exact']:,} exact and {content['near']:,} near"
        rows = f"{report.test_rows:,} test rows stand in {report.train_rows:,} training rows"
        click.echo(f"{report.reference}: {counts} of {rows}")
        for entry in report.overlaps[:LISTED]:
            click.echo(f"  {escape(entry.test)} ~ {escape(entry.train)}: {entry.similarity:.3f}")
    if report.overlaps:
        raise click.exceptions.Exit(OVERLAP_FOUND)
