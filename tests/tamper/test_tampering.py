"""`make tamper`: nothing that happens to one file, name, task or policy makes a gate say more than is true.

A sample runs with every test run. The threat: any one file of a run or of its folder is changed, exchanged or lost by
someone who does not make our hashes anew, or by our own commands.
"""

import contextlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tamper.table import Case, UnchangedError, cases
from tests.tamper.worlds import KINDS, Finished, inside, make_world, steelyard

LEAST = 150
SAMPLE = 30
REFUSALS = {1, 2, 3, 5}
"""A failed gate, usage, undecided, the machine: how a gate may end that does not pass. 4 is never a gate's."""


def played(table: list[Case], root: Path) -> Iterator[tuple[Case, Finished]]:
    """Yield what the command of each case says, each in a folder that is as it was made."""
    by_kind: dict[str, list[Case]] = defaultdict(list)
    for case in table:
        by_kind[case.kind].append(case)
    for kind, entries in by_kind.items():
        world = make_world(kind, root / kind)
        with inside(world.folder):
            for case in entries:
                world.restore()
                with contextlib.suppress(UnchangedError):
                    case.change()
                    yield case, steelyard(case.command)


def wrong(case: Case, found: Finished) -> bool:
    """Whether a forged run passes, a clean one does not, or the command ends as none may."""
    refusals = REFUSALS if case.command.startswith("gate ") else REFUSALS | {4}
    return found.code != 0 if case.passes else found.code not in refusals


def counted(table: list[Case], root: Path) -> tuple[dict[str, Counter[str]], list[str]]:
    """Count by family what was forged, refused and clean; list what went wrong."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    told = []
    for case, found in played(table, root):
        family = counts[case.family]
        family["clean" if case.passes else "forged"] += 1
        family["wrong"] += wrong(case, found)
        family["passed"] += not case.passes and found.code == 0
        if wrong(case, found):
            told.append(f"{case.family} | {case.name} | {case.command} | {found.code}\n{found.out}{found.err}")
    return counts, told


def report(counts: dict[str, Counter[str]]) -> str:
    """Return the table of the campaign."""
    lines = [f"{'family':<28}{'forged':>8}{'passed':>8}{'clean':>8}{'wrong':>8}"]
    for family, found in counts.items():
        columns = "".join(f"{found[name]:>8}" for name in ("forged", "passed", "clean", "wrong"))
        lines.append(f"{family:<28}{columns}")
    total: Counter[str] = sum(counts.values(), Counter())
    return "\n".join([*lines, f"{total['passed']} pass of {total['forged']}"])


def test_a_sample_of_forgeries_is_refused(tmp_path: Path):
    table = cases()
    forged = [case for case in table if not case.passes]
    chosen = [*forged[:: len(forged) // SAMPLE], *(case for case in table if case.passes)]
    counts, told = counted(chosen, tmp_path)
    assert not told, "\n".join([*told, report(counts)])


@pytest.mark.campaign
@pytest.mark.timeout(1800)
def test_no_forgery_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    table = cases()
    assert {case.kind for case in table} == set(KINDS)
    counts, told = counted(table, tmp_path)
    with capsys.disabled():
        print(f"\n{report(counts)}")
    assert not told, "\n".join(told)
    assert sum(found["forged"] for found in counts.values()) >= LEAST
    assert all(found["clean"] for found in counts.values())
