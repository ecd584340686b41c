"""A calibration for people: how often this gate is wrong, in sentences first and as a table below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from steelyard.errors import escape
from steelyard.records.calibrations import Calibration, GateRates, Rate
from steelyard.records.gates import Outcome
from steelyard.show.terminal import folded


def calibration_text(found: Calibration) -> str:
    """Return a calibration as text for a terminal."""
    lines = [
        *folded(
            f"{_policy(found)} on {escape(found.baseline)} ({found.baseline_id}), {found.n_items} items", hanging=2
        ),
        f"  imagined runs: {found.simulations:,} equal and {found.simulations:,} worse, seed {found.seed}",
        *folded(f"from {found.basis} (drawn: {found.flip_rate:.4f})", indent=2, hanging=2),
        "",
        *_false_alarms(found),
        *_misses(found),
        "",
        *_table(found.gates),
        "",
        "  in [ ]: where the share lies for endless imagined runs, 95 % sure (wilson)",
    ]
    if found.not_drawn:
        said = "single items do not decide it, so it stays as the baseline has it in every run."
        lines += folded(f"{escape(', '.join(found.not_drawn))}: {said}", indent=2, hanging=2)
    return "\n".join(lines)


def _policy(found: Calibration) -> str:
    return "the default policy" if found.policy == "default" else f"policy {escape(found.policy)}"


def _false_alarms(found: Calibration) -> list[str]:
    stopped = found.verdict.equal
    return folded(
        f"false alarms: {share(stopped['fail'])} of equal runs fail, and {share(stopped['undecided'])} stay undecided: "
        f"{_together(stopped)} do not pass, though they are as good as the baseline",
        indent=2, hanging=2,
    )  # fmt: skip


def _together(rates: Mapping[Outcome, Rate]) -> str:
    return f"{100 * (1 - rates['pass'].value):.1f} %"


def _misses(found: Calibration) -> list[str]:
    worse, rates = f"runs that are {found.drop:g} worse in {escape(found.metric)}", found.verdict.worse
    return folded(
        f"misses: {share(rates['pass'])} of {worse} pass, and {share(rates['undecided'])} stay undecided: "
        f"{share(rates['fail'])} fail, as they should",
        indent=2, hanging=2,
    )  # fmt: skip


def share(rate: Rate) -> str:
    """Return a rate in percent with its interval.

    >>> share(Rate(31, 1000, 0.0219, 0.0437))
    '3.1 % [2.2, 4.4]'
    """
    return f"{100 * rate.value:.1f} % [{100 * rate.low:.1f}, {100 * rate.high:.1f}]"


def _table(gates: tuple[GateRates, ...]) -> Iterator[str]:
    width = max((len(escape(entry.gate)) for entry in gates), default=4)
    yield f"  {'':<{width}}  {'equal runs':^18}  {'worse runs':^18}".rstrip()
    yield f"  {'gate':<{width}}  {'fail':>7}  {'undecided':>9}  {'pass':>7}  {'undecided':>9}"
    for entry in gates:
        figures = (entry.equal["fail"], entry.equal["undecided"], entry.worse["pass"], entry.worse["undecided"])
        first, second, third, fourth = (f"{100 * rate.value:.1f} %" for rate in figures)
        yield f"  {escape(entry.gate):<{width}}  {first:>7}  {second:>9}  {third:>7}  {fourth:>9}"
