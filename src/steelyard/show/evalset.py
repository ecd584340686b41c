"""A checked eval set as text for people: what it is made of, then what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from steelyard.errors import Problem, escape, excerpt
from steelyard.records.datasets import EvalsetReport, Share


def evalset_text(report: EvalsetReport) -> str:
    """Return the report as lines that end with a newline."""
    lines = [_summary(report)]
    for key, values in report.composition.items():
        lines += ["", key, *_shares(values)]
    lines += _problems("errors", report.errors, report.total_errors)
    lines += _problems("warnings", report.warnings, report.total_warnings)
    return "\n".join(lines) + "\n"


def evalset_errors_text(report: EvalsetReport) -> str:
    """Return only what makes the set invalid, as lines that end with a newline; nothing for a valid set."""
    lines = [line for problem in report.errors for line in _lines(problem)]
    hidden = report.total_errors - len(report.errors)
    lines += [f"and {hidden} more"] if hidden else []
    return "".join(f"{line}\n" for line in lines)


def _summary(report: EvalsetReport) -> str:
    verdict = "valid" if report.valid else "invalid"
    counts = [
        _count(report.n_items, "item"),
        _count(report.total_errors, "error"),
        _count(report.total_warnings, "warning"),
    ]
    return f"{escape(report.path)}: {verdict}, {', '.join(counts)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _shares(values: Mapping[str, Share]) -> Iterator[str]:
    """Yield one line per value. The value stands last: foreign text must not start a line, a CI might obey it."""
    width = max((len(str(share["n"])) for share in values.values()), default=0)
    for value, share in values.items():
        yield f"  {share['n']:>{width}}  {share['percent']:5.1f} %  {excerpt(value)}"


def _problems(title: str, listed: Sequence[Problem], total: int) -> Iterator[str]:
    if not total:
        return
    yield ""
    yield f"{title} ({total})"
    for problem in listed:
        yield from (f"  {line}" for line in _lines(problem))
    if total > len(listed):
        yield f"  and {total - len(listed)} more"


def _lines(problem: Problem) -> list[str]:
    return [escape(line) for line in str(problem).split("\n")]
