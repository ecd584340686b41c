"""What is done with a run: every verb, the commands that are it, and how it is refused where it is not for a run."""

from __future__ import annotations

from collections.abc import Callable

from tests.ways.places import Place
from tests.ways.repetitions import evaluate_trained, reproduce, reproduce_verify_only, rescore, rescore_by_name, resume
from tests.ways.verdicts import attribute, baseline, calibrate, compare, plan, verify
from tests.ways.views import items, kind, listed, reindexed, report, report_compared, show

Verb = Callable[[Place], None]
VERBS: dict[str, Verb] = {
    verb.__name__: verb
    for verb in (
        kind, show, items, rescore, rescore_by_name, verify, compare, attribute, reproduce, reproduce_verify_only,
        resume, report, report_compared, baseline, listed, reindexed, calibrate, plan, evaluate_trained,
    )
}  # fmt: skip
"""Every column of the table."""
COMMANDS = {
    "rescore": ("rescore", "rescore_by_name"),
    "runs show": ("show",),
    "runs items": ("items",),
    "runs list": ("listed",),
    "compare": ("compare", "attribute"),
    "report": ("report", "report_compared"),
    "baseline set": ("baseline",),
    "baseline list": ("baseline",),
    "baseline show": ("baseline",),
    "gate": ("verify", "baseline"),
    "calibrate": ("calibrate",),
    "plan": ("plan",),
    "reindex": ("reindexed",),
    "reproduce": ("reproduce", "reproduce_verify_only"),
    "eval": ("resume", "evaluate_trained"),
    "evaluate": ("resume",),
    "research": ("resume",),
    "train": ("resume",),
}
"""The columns in which every command is tried that does something with a run."""
REFUSED_LINES = {
    "rescore_by_name": "rescore BASE --scorer text@v2",
    "verify": "gate GOOD --verify",
    "compare": "compare --runs BASE,GOOD",
    "attribute": "compare --runs BASE,GOOD --attribute",
    "report_compared": "report GOOD --output report.html --compare BASE",
    "baseline": "baseline set main BASE",
    "calibrate": "calibrate --baseline BASE --flip-rate 0.1 --simulations 20",
    "plan": "plan --effect 0.1 --baseline BASE",
    "reproduce": "reproduce --run BASE",
}
"""What is typed where a verb is not for a run."""


def assert_refused(place: Place, verb: str, code: str) -> None:
    """The verb is refused by this one code, which says what to do instead."""
    done = place.call(REFUSED_LINES[verb])
    assert done.code in (2, 3), done
    assert f"[{code}]" in done.err
    assert "hint: " in done.err


WITHOUT_A_RUN = {
    "program", "score", "dataset add", "dataset list", "dataset show", "dataset diff", "dataset check", "cache info",
    "cache clear", "cache compile", "validate", "scorers", "metrics", "schema", "init",
}  # fmt: skip
