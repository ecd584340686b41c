"""Cells of ways by verbs that are refused, and those that do not work yet, each with the reason."""

from __future__ import annotations

from ways.kinds import WAYS

Cell = tuple[str, str]


def cells(ways: str, verbs: str, reason: str) -> dict[Cell, str]:
    """Return every cell of these ways and verbs, each a list with `;`, under one reason."""
    return {(way.strip(), verb.strip()): reason for way in ways.split(";") for verb in verbs.split(";")}


def _of_our_kinds() -> list[str]:
    """Return the ways whose kind no run says today: all but the one made by hand."""
    return [name for name, way in WAYS.items() if way.remake is None]


_TALKS = (
    "conversations by traces; conversations by a model; conversations, sampled; conversations, unknown; "
    "conversations, gold history"
)
_RESEARCH = "research; research, own thresholds"
_SET_ASIDE = "quarantine; quarantine, unaccounted; line limit"
_UNKNOWN = "unknown ids; limit; sample"
_DEEP = "depth; asked depth"

REFUSED: dict[Cell, str] = {
    **cells("mock", "verify; compare; attribute; report_compared; baseline; calibrate; plan", "mock-run"),
    **cells(f"{_TALKS}; {_RESEARCH}", "rescore_by_name", "not-for-this-kind"),
    **cells("imported", "reproduce", "not-for-this-kind"),
    **cells("fields", "rescore_by_name", "bad-configuration"),
}
"""What a verb is not for, and the code by which it is refused."""

KNOWN_RED: dict[Cell, str] = {
    **cells(
        "mock",
        "rescore; rescore_by_name; evaluate_trained",
        "a mock run judged again gets scores of 0 for the null that it has",
    ),
    **cells(_SET_ASIDE, "rescore; evaluate_trained", "judged again, a run forgets how many rows were set aside"),
    **cells(_SET_ASIDE, "reproduce", "the journal is read again for the predictions: no row of it is set aside"),
    **cells(
        f"{_UNKNOWN}; conversations, unknown",
        "rescore; evaluate_trained",
        "judged again, a run forgets how many predictions named no item of it",
    ),
    **cells(_UNKNOWN, "reproduce", "the journal is read again for the predictions: it has no unknown ids"),
    **cells(
        _DEEP,
        "rescore; rescore_by_name; verify; attribute; reproduce; evaluate_trained",
        "config.yaml does not keep the limits of rows",
    ),
    **cells("failing", "reproduce", "config.yaml does not keep the error budget, so the run made again ends over it"),
    **cells("repeats", "resume", "eval/repeats.json holds run ids, which are others every time"),
    **cells("trained, other data", "resume", "`eval --run` takes --resume and drops it"),
    **cells(
        f"{_TALKS}; {_RESEARCH}",
        "verify; attribute",
        "judging aside knows runs of task files alone (unknown-format)",
    ),
    **cells(f"{_TALKS}; {_RESEARCH}", "rescore_by_name", "refused, by the code usage"),
    **cells(_TALKS, "reproduce", "config.yaml of conversations is read as a task file (unknown-key)"),
    **cells(_RESEARCH, "reproduce", "exit 70: config.yaml of research has no dataset (KeyError)"),
    **cells(
        "imported",
        "rescore; rescore_by_name; verify; attribute; reproduce; evaluate_trained",
        "there is no kind of run whose scores were recorded by another tool (unknown-key)",
    ),
    **cells("imported", "resume", "there is no importer yet, so nothing that could be killed"),
    **{
        (way, "kind"): "`kind` in run.json says as what a run was started, and not what it is"
        for way in _of_our_kinds()
    },
}
"""What is to work and does not: a cell that is mended has to leave this list."""

SUITES_RED: dict[str, str] = dict.fromkeys(
    (
        "show",
        "items",
        "rescore",
        "compare",
        "attribute",
        "reproduce",
        "reproduce_verify_only",
        "report",
        "calibrate",
        "plan",
    ),
    "a suite is said to be no run that can be found (run-not-found), and no verb but gates and baselines maps over it",
)
"""Verbs that neither map over a whole suite nor are refused as they should be."""
