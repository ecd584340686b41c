"""A calibration for people: how often this gate is wrong, in sentences first and as a table below."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.errors import escape
from steelyard.records.calibrations import Calibration, GateRates, Rate


def calibration_text(found: Calibration) -> str:
    """Return a calibration as text for a terminal."""
    lines = [
        f"{escape(found.policy)} policy on {escape(found.baseline)} ({found.baseline_id}), {found.n_items} items",
        f"  imagined runs: {found.simulations} equal and {found.simulations} worse, seed {found.seed}",
        f"  from {found.basis} (drawn: {found.flip_rate:.4f})",
        "",
        _false_alarms(found),
        _misses(found),
        "",
        *_table(found.gates),
        "",
        "  95 % Wilson intervals of the simulation are in brackets.",
    ]
    if found.not_drawn:
        names = escape(", ".join(found.not_drawn))
        lines.append(f"  {names}: single items do not decide it, so it stays as the baseline has it in every run.")
    return "\n".join(lines)


def _false_alarms(found: Calibration) -> str:
    undecided = share(found.verdict.equal["undecided"])
    return f"  false alarms: {share(found.false_alarm)} of equal runs fail, and {undecided} stay undecided"


def _misses(found: Calibration) -> str:
    worse = f"runs that are {found.drop:g} worse in {escape(found.metric)}"
    undecided = share(found.verdict.worse["undecided"])
    return f"  misses: {share(found.miss)} of {worse} pass, and {undecided} stay undecided"


def share(rate: Rate) -> str:
    """Return a rate in percent with its interval.

    >>> share(Rate(31, 1000, 0.0219, 0.0437))
    '3.1 % [2.2, 4.4]'
    """
    return f"{100 * rate.value:.1f} % [{100 * rate.low:.1f}, {100 * rate.high:.1f}]"


def _table(gates: tuple[GateRates, ...]) -> Iterator[str]:
    width = max((len(escape(entry.gate)) for entry in gates), default=4)
    yield f"  {'gate':<{width}}  equal runs: fail  undecided    worse runs: pass  undecided"
    for entry in gates:
        figures = (entry.equal["fail"], entry.equal["undecided"], entry.worse["pass"], entry.worse["undecided"])
        first, second, third, fourth = (f"{100 * rate.value:.1f} %" for rate in figures)
        yield f"  {escape(entry.gate):<{width}}  {first:>16}  {second:>9}    {third:>16}  {fourth:>9}"
