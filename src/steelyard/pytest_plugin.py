"""Gates as tests: `pytest --steelyard TASK.yaml` shows one test per gate, and `steelyard_eval` evaluates inside tests.

The module is loaded by every pytest session of an environment, so it imports nothing of the package until it is asked
to: a session that does not use it does not notice it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from steelyard.api import Run
    from steelyard.records.gates import Decision
    from steelyard.records.verdicts import Verdict


class GateError(Exception):
    """A gate that failed or could not be decided."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("steelyard", "gates of model evaluations")
    group.addoption(
        "--steelyard", action="append", default=[], metavar="TASK.yaml", help="evaluate it, one test per gate"
    )
    group.addoption("--steelyard-policy", metavar="FILE", help="gates, in place of the task's own")
    group.addoption("--steelyard-against", metavar="BASELINE", help="the baseline or run that gates look back at")
    group.addoption("--steelyard-predictions", metavar="FILE", help="stored predictions, in place of the task's own")
    group.addoption("--steelyard-model", metavar="SPEC", help="the model to ask, in place of the task's own")
    group.addoption("--steelyard-runs-dir", default="runs", metavar="DIR", help="where runs and baselines are")


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the gates of every task that was named."""
    for name in config.getoption("--steelyard"):
        task = GatedTask.from_parent(session, path=config.invocation_params.dir / name)
        items.extend(task.collect())


class GatedTask(pytest.File):
    """A task file; its evaluation runs once, when the first of its gates does."""

    _verdict: Verdict | None = None

    def collect(self) -> Iterator[Gate]:
        """Yield one test for each rule of the policy."""
        from steelyard.configuration.policy import default_policy, parse_policy, task_policy  # noqa: PLC0415 - on demand
        from steelyard.reading.yaml_file import read_yaml  # noqa: PLC0415

        named = self.config.getoption("--steelyard-policy")
        gates = read_yaml(self.path).get("gates")
        if named is not None:
            policy = parse_policy(read_yaml(Path(named)), file=named)
        else:
            policy = task_policy(gates, file=str(self.path)) if gates else default_policy()
        for rule in policy.rules:
            yield Gate.from_parent(self, name=rule.title)

    def verdict(self) -> Verdict:
        """Return the verdict, after evaluating when nobody has yet."""
        if self._verdict is None:
            from steelyard.api import evaluate, gate  # noqa: PLC0415 - on demand

            option = self.config.getoption
            asked = {name: option(f"--steelyard-{name}") for name in ("predictions", "model")}
            given = {name: value for name, value in asked.items() if value is not None}
            runs_dir = option("--steelyard-runs-dir")
            run = evaluate(self.path, runs_dir=runs_dir, **given)
            against, policy = option("--steelyard-against"), option("--steelyard-policy")
            self._verdict = gate(run, against=against, policy=policy, runs_dir=runs_dir)
        return self._verdict


class Gate(pytest.Item):
    """One rule of a policy as a test."""

    parent: GatedTask

    def runtest(self) -> None:
        """Pass when every gate of the rule passes; an advisory one that does not is skipped."""
        verdict = self.parent.verdict()
        own = [entry for entry in verdict.decisions if entry.rule in (self.name, "")]
        blocking = [entry for entry in own if entry.blocks]
        if blocking or not own:
            raise GateError("\n".join(map(_line, blocking)) or "the run has no gate of this rule")
        advisory = [entry for entry in own if entry.outcome != "pass"]
        if advisory:
            pytest.skip("; ".join(map(_line, advisory)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return what a gate said, or an error of the evaluation, without a traceback of ours."""
        from steelyard.errors import SteelyardError  # noqa: PLC0415 - on demand

        if isinstance(excinfo.value, GateError | SteelyardError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where the gate stands."""
        return self.path, None, f"{self.path.name}: {self.name}"


def _line(entry: Decision) -> str:
    return f"{entry.outcome}: {entry.gate}: {entry.reason}"


@pytest.fixture
def steelyard_eval(tmp_path: Path) -> Callable[..., Run]:
    """Return what evaluates a task as `steelyard.evaluate` does, with runs in the folder of the test."""
    from steelyard.api import evaluate  # noqa: PLC0415 - on demand

    def run(task: Any = None, **options: Any) -> Run:
        return evaluate(task, **{"runs_dir": tmp_path / "runs", **options})

    return run
