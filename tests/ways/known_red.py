"""Cells of ways by verbs that are refused, and those that do not work yet, each with the reason."""

from __future__ import annotations

Cell = tuple[str, str]


def cells(ways: str, verbs: str, reason: str) -> dict[Cell, str]:
    """Return every cell of these ways and verbs, each a list with `;`, under one reason."""
    return {(way.strip(), verb.strip()): reason for way in ways.split(";") for verb in verbs.split(";")}


_TALKS = (
    "conversations by traces; conversations by a model; conversations, sampled; conversations, unknown; "
    "conversations, gold history"
)
_RESEARCH = "research; research, own thresholds"

REFUSED: dict[Cell, str] = {
    **cells("mock", "verify; compare; attribute; report_compared; baseline; calibrate; plan", "mock-run"),
    **cells(f"{_TALKS}; {_RESEARCH}", "rescore_by_name", "not-for-this-kind"),
    **cells("imported", "reproduce; rescore_by_name", "not-for-this-kind"),
    **cells("fields", "rescore_by_name", "bad-configuration"),
}
"""What a verb is not for, and the code by which it is refused."""

KNOWN_RED: dict[Cell, str] = {
    **cells("repeats", "resume", "eval/repeats.json holds run ids, which are others every time"),
    **cells("imported", "resume", "there is no importer yet, so nothing that could be killed"),
}
"""What is to work and does not: a cell that is mended has to leave this list."""
