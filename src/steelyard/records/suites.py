"""What a suite says about itself in `suite.json`, beside the runs of its tasks."""

from __future__ import annotations

from typing import Any

import msgspec

SUITE_FORMAT = 2
"""1 kept no number and no hash; such suites are still read."""


class SuiteTask(msgspec.Struct, frozen=True):
    """One task of a suite and where its run is."""

    task: str
    file: str
    path: str | None = None
    """The run's directory inside the suite's; null where the task was not evaluated to its end."""
    error: str | None = None
    run_id: str | None = None
    fingerprint: str | None = None
    """What the task's run was made from and answered."""


class SuiteRecord(msgspec.Struct, frozen=True):
    """`suite.json`: the tasks that were evaluated and the policy over them."""

    suite_id: str
    name: str
    suite: str
    created_at: str
    steelyard_version: str
    tasks: list[SuiteTask]
    policy: dict[str, Any] = msgspec.field(default_factory=dict)
    """`gates`, `allow` and `required`, as the suite file has them."""
    format_version: int = 1
    sequence: int | None = None
    """The number that the folder of runs gave it when it was started; null in suites of format 1."""
    seal: str | None = None
    """The hash of this file without this line."""
