"""What a suite says about itself in `suite.json`, beside the runs of its tasks."""

from __future__ import annotations

from typing import Any

import msgspec


class SuiteTask(msgspec.Struct, frozen=True):
    """One task of a suite and where its run is."""

    task: str
    file: str
    path: str | None = None
    """The run's directory inside the suite's; null where the task was not evaluated to its end."""
    error: str | None = None


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
