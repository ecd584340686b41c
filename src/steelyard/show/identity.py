"""What a verdict says of whether runs and items still are what they were: retagged items, the first baseline."""

from __future__ import annotations

from steelyard.errors import excerpt
from steelyard.records.verdicts import FirstBaseline, Retagged, RetaggedItem, TaskVerdict
from steelyard.show.comparison_table import signed

LISTED_RETAGGED = 10


def identity_lines(part: TaskVerdict) -> list[str]:
    """Return a line for retagged items, and lines for the delta to the first baseline."""
    return [*_retagged_lines(part.retagged), *_first_lines(part.first_baseline)]


def _first_lines(found: FirstBaseline | None) -> list[str]:
    """Return how far the run is from the first run that its baseline's name pointed to."""
    if found is None:
        return []
    title = (
        f"  since the first baseline {excerpt(found.name)} ({excerpt(found.run)} {found.run_id}, set {found.set_at})"
    )
    if found.reason:
        return [f"{title}: {found.reason}"]
    return [
        f"{title}: {excerpt(entry.metric)} {entry.first:.4f} -> {entry.current:.4f}  {signed(entry.delta)}  n {entry.n}"
        for entry in found.metrics
    ]


def _retagged_lines(found: Retagged) -> list[str]:
    """Return which items have other tags than the baseline had them with."""
    if not found.n:
        return []
    listed = [_retagged_item(entry) for entry in found.items[:LISTED_RETAGGED]]
    more = [] if found.n <= LISTED_RETAGGED else [f"{found.n - LISTED_RETAGGED} more"]
    return [f"  retagged, and held in the slices of the baseline: {'; '.join([*listed, *more])}"]


def _retagged_item(entry: RetaggedItem) -> str:
    values = [f"{excerpt(key)} was {_tagged(was)}, is {_tagged(entry.after[key])}" for key, was in entry.before.items()]
    return f"{excerpt(entry.item_id)} ({', '.join(values)})"


def _tagged(value: str | None) -> str:
    return "none" if value is None else excerpt(value)
