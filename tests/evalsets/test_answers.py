"""Every expected answer that ships is recomputed here, by code that has not seen it.

`COMPUTED` works each answer out from the quantities in its prompt; `LOOKED_UP` names where the rest can be checked.
"""

import json
import math
import re
import string
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import groupby, product
from pathlib import Path

import pytest

EVALSETS = Path(__file__).resolve().parents[2] / "evalsets"
ROWS = {
    row["id"]: row
    for path in sorted(EVALSETS.glob("*.jsonl"))
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())
}


def plain(value: Fraction | int) -> str:
    """A finite decimal in its shortest form."""
    exact = Decimal(Fraction(value).numerator) / Decimal(Fraction(value).denominator)
    assert Fraction(exact) == value
    return f"{exact:f}"


def only(solutions: Iterable[int]) -> str:
    """The one solution that a search finds."""
    (solution,) = solutions
    return str(solution)


def rounded(value: str, step: str) -> str:
    return str(Decimal(value).quantize(Decimal(step), ROUND_HALF_UP))


def iterate(function: Callable[[int], int], value: int, times: int) -> int:
    for _ in range(times):
        value = function(value)
    return value


def additive(first: int, second: int) -> Iterator[int]:
    """Each term is the sum of the two before it."""
    while True:
        yield first
        first, second = second, first + second


def collatz_steps(value: int) -> int:
    steps = 0
    while value != 1:
        value = value * 3 + 1 if value % 2 else value // 2
        steps += 1
    return steps


def look_and_say(term: str) -> str:
    return "".join(f"{len(list(run))}{digit}" for digit, run in groupby(term))


def through(points: list[tuple[int, int]], x: int) -> Fraction:
    """Lagrange's polynomial through the points, at x."""
    return sum(
        (y * math.prod(Fraction(x - other, own - other) for other, _ in points if other != own) for own, y in points),
        start=Fraction(0),
    )


def roman(value: int) -> str:
    numerals = [
        ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"],
        ["", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"],
        ["", "C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"],
        ["", "M", "MM", "MMM"],
    ]
    digits = [int(digit) for digit in reversed(str(value))]
    return "".join(reversed([row[digit] for row, digit in zip(numerals, digits, strict=False)]))


def e_notation(value: str) -> str:
    mantissa, exponent = f"{Decimal(value):e}".split("e")
    return f"{mantissa}e{int(exponent)}"


COMPUTED: dict[str, Callable[[], str]] = {
    "eval-v1-003": lambda: "".join(word[0] for word in ("National", "Oceanic", "Atmospheric", "Administration")),
    "eval-v1-004": lambda: plain((1 - 4 * (Fraction(1, 10) + Fraction(1, 15))) * 15),
    "eval-v1-005": lambda: str(sum(x * x for x in range(-100, 100) if 2 * x * x - 14 * x + 20 == 0)),
    "eval-v1-006": lambda: str(28**2),
    "eval-v1-008": lambda: only(x for x in range(31) if x - (30 - x) == 4),
    "eval-v1-009": lambda: plain(Fraction((2 * 10) ** 2, 2)),
    "eval-v1-010": lambda: plain(Fraction("6.5") * 60),
    "eval-v1-011": lambda: plain(Fraction(14 * 9, 2)),
    "eval-v1-013": lambda: plain(Fraction(92, 4)),
    "eval-v1-014": lambda: str(math.comb(7, 2) - 7),
    "eval-v1-015": lambda: str(Fraction(5, 6) - Fraction(1, 4)),
    "eval-v1-016": lambda: plain(Fraction(180, 3)),
    "eval-v1-017": lambda: plain(Fraction(76, 4)),
    "eval-v1-018": lambda: f"{Decimal(10) / Decimal(7):.3f}",
    "eval-v1-019": lambda: str(sum(3 * 2**k for k in range(8))),
    "eval-v1-021": lambda: plain(Fraction(5 * 12, 4)),
    "eval-v1-022": lambda: str(max(d for d in range(1, 85) if 84 % d == 0 == 126 % d)),
    "eval-v1-023": lambda: only(x for x in range(-200, 200) if x - 17 == 26),
    "eval-v1-024": lambda: f"{80 * Decimal('0.75') * Decimal('1.10'):.2f}",
    "eval-v1-025": lambda: plain(Fraction("2.06") * 100),
    "eval-v1-026": lambda: only(x for x in range(-200, 200) if 2 * (x + 5) == 3 * x - 4),
    "eval-v1-028": lambda: only(days for days in range(15) if 300 - 22 * days == 80),
    "eval-v1-029": lambda: str(5 - 12),
    "eval-v1-030": lambda: str(next(term for term in additive(2, 5) if term > 19)),
    "eval-v1-031": lambda: str(len("queueing")),
    "eval-v1-032": lambda: only(side**3 for side in range(100) if 6 * side**2 == 150),
    "eval-v1-033": lambda: plain(Fraction((14 - 32) * 5, 9)),
    "eval-v1-036": lambda: str(38 - (50 - 46)),
    "eval-v1-037": lambda: plain(Fraction("1.2") * 3600 / 1000),
    "eval-v1-038": lambda: str(iterate(lambda term: 2 * term, 5, 7)),
    "eval-v1-039": lambda: plain(Fraction(640, 8)),
    "eval-v1-040": lambda: only(n for n in range(100) if n + 2 * n == 81),
    "eval-v1-041": lambda: f"{time(7 + 12, 5):%H:%M}",
    "eval-v1-042": lambda: str(next(n for n in range(1, 9999) if n % 12 == n % 18 == n % 20 == 0)),
    "eval-v1-043": lambda: plain(Fraction(8400, 1000)),
    "eval-v1-044": lambda: plain(Fraction("31.4") / (2 * Fraction("3.14"))),
    "eval-v1-045": lambda: plain((Fraction(60, 3) - Fraction(60, 5)) / 2),
    "eval-v1-046": lambda: str(99999 * 99999),
    "eval-v1-047": lambda: f"{45:b}",
    "eval-v1-048": lambda: str(317 + 486),
    "eval-v1-049": lambda: str(sum(360 % d == 0 for d in range(1, 361))),
    "eval-v1-050": lambda: str(monthrange(2024, 9)[1] * 24),
    "eval-v2-001": lambda: str(Decimal("0.1") + Decimal("0.2")),
    "eval-v2-003": lambda: f"{2000 * Decimal('1.05') ** 3 - 2000:.2f}",
    "eval-v2-004": lambda: only(p for p in range(1, 1000) if p * Fraction(125, 100) * Fraction(70, 100) == 105),
    "eval-v2-005": lambda: only(x for x in range(-200, 200) if 3 * x + 8 == 44),
    "eval-v2-006": lambda: plain(Fraction(25 * 9, 5) + 32),
    "eval-v2-007": lambda: plain((5 * 12 + 10) * Fraction("2.54")),
    "eval-v2-008": lambda: str(sum(3 * x + 5 * y == 100 for x in range(1, 101) for y in range(1, 101))),
    "eval-v2-009": lambda: only(d for d in range(100) if d * d == 4**2 + 13**2 + 16**2),
    "eval-v2-010": lambda: str(sum(5 + 3 * k for k in range(25))),
    "eval-v2-011": lambda: f"{pow(7, 2023, 100):02d}",
    "eval-v2-012": lambda: str(
        len({root for square in (4 + 4, 4 - 4) for root in (math.sqrt(square), -math.sqrt(square))})
    ),
    "eval-v2-013": lambda: str(list(range(4, 1000, 7))[9]),
    "eval-v2-014": lambda: str(203 - 58),
    "eval-v2-016": lambda: str(iterate(lambda term: 3 * term - 1, 2, 4)),
    "eval-v2-017": lambda: plain(1 / (Fraction(1, 6) + Fraction(1, 9) - Fraction(1, 18))),
    "eval-v2-018": lambda: str((timedelta(days=1, minutes=15) - timedelta(hours=23, minutes=50)).seconds // 60),
    "eval-v2-019": lambda: "lantern"[::-1],
    "eval-v2-020": lambda: only(3 * s for s in range(1, 50) if 3 * s + 6 == 2 * (s + 6)),
    "eval-v2-021": lambda: plain((3 * Fraction(20) + 5 * Fraction(60)) / (3 + 5)),
    "eval-v2-022": lambda: plain(250 * Fraction(12, 10) * Fraction(8, 10) - 15),
    "eval-v2-023": lambda: plain(Fraction("0.045") * 1_000_000 / 60),
    "eval-v2-024": lambda: f"{datetime(2024, 1, 1, 9, 40, tzinfo=UTC) + timedelta(hours=210 / 84):%H:%M}",
    "eval-v2-025": lambda: f"{Decimal(22) / Decimal(7):.4f}",
    "eval-v2-026": lambda: only(hens * 5 * 2 for hens in range(51) if 2 * hens + 4 * (50 - hens) == 136),
    "eval-v2-027": lambda: rounded("7.8462", "0.01"),
    "eval-v2-028": lambda: str(monthrange(1900, 2)[1]),
    "eval-v2-029": lambda: date(2024, 3, 3).isoformat(),
    "eval-v2-030": lambda: str("refrigerator".count("r")),
    "eval-v2-031": lambda: roman(2749),
    "eval-v2-032": lambda: plain((32 - 32 * Fraction(3, 8)) / 2),
    "eval-v2-033": lambda: str(sum(n for n in range(1, 201) if n % 3 == 0 and n % 5)),
    "eval-v2-034": lambda: str(round(((5 + 21**0.5) / 2) ** 3 + ((5 + 21**0.5) / 2) ** -3)),
    "eval-v2-035": lambda: plain(Fraction("3.2") * 1000),
    "eval-v2-036": lambda: only(a * (a - 4) for a in range(-100, 100) if 2 * a + (a - 4) == 17),
    "eval-v2-037": lambda: f"{math.sqrt(6.5**2 - 2.5**2) - math.sqrt(6.5**2 - 3.9**2):.1f}",
    "eval-v2-038": lambda: plain(Fraction(18, 2) ** 2),
    "eval-v2-039": lambda: re.sub(r"(?<=.)([A-Z][a-z])", r"_\1", "HTTPServerError").lower(),
    "eval-v2-040": lambda: str(sum(Fraction(12 * k, 11) < 24 for k in range(100))),
    "eval-v2-041": lambda: plain(through([(0, 4), (1, 9), (2, 18)], 5)),
    "eval-v2-042": lambda: only(n for n in range(100) if Fraction(2 * n + 9, 5) == 7),
    "eval-v2-043": lambda: only(x for x in range(-200, 200) if 5 * (x - 2) == 2 * x + 20),
    "eval-v2-044": lambda: str(-4 - 9),
    "eval-v2-046": lambda: str(sum(monthrange(2023, month)[1] >= 28 for month in range(1, 13))),
    "eval-v2-047": lambda: str(13 + 7 + 13 + 7),
    "eval-v2-048": lambda: str(next(n for n in range(2, 100) if all(n % d for d in range(2, n)))),
    "eval-v2-049": lambda: str(math.prod([])),
    "eval-v2-050": lambda: look_and_say("111221"),
    "eval-v2-051": lambda: str(2**64 - 1),
    "eval-v2-052": lambda: str(48 + 76),
    "eval-v2-053": lambda: str(6 + 5 - 2),
    "eval-v2-055": lambda: rounded("0.0050836", "0.00001"),
    "eval-v2-056": lambda: plain((24 + 2 * Fraction(3, 2)) * (18 + 2 * Fraction(3, 2)) - 24 * 18),
    "eval-v2-057": lambda: str(next(term for term in additive(1, 3) if term > 100)),
    "eval-v2-058": lambda: str(Decimal("6.5").quantize(Decimal(1), ROUND_HALF_EVEN)),
    "eval-v2-060": lambda: e_notation("0.000372"),
    "eval-v2-061": lambda: plain(Fraction("1.75") * 1000),
    "eval-v2-062": lambda: str(2025 % 47),
    "eval-v2-064": lambda: only(a * a + (20 - a) ** 2 for a in range(1, 10) if a * (20 - a) == 91),
    "eval-v2-065": lambda: str(3**3 - 2 * 3 + 5),
    "eval-v2-066": lambda: f"{20 - 3 * Decimal('2.75') - 2 * Decimal('1.40'):.2f}",
    "eval-v2-067": lambda: plain(Fraction((9 - 2) * 180, 9)),
    "eval-v2-068": lambda: str(3 * 2**4),
    "eval-v2-069": lambda: plain(Fraction(87, 16 + 13) * 30),
    "eval-v2-070": lambda: str(9 * 14),
    "eval-v2-071": lambda: str(37 * 43),
    "eval-v2-072": lambda: plain(Fraction(90 * 1000, 60 * 60)),
    "eval-v2-073": lambda: plain(Fraction("0.36") * 100**2),
    "eval-v2-074": lambda: str(Fraction(3, 8) + Fraction(5, 12)),
    "eval-v2-076": lambda: str(0 * 98765),
    "eval-v2-077": lambda: str(collatz_steps(19)),
    "eval-v2-078": lambda: only(n + 4 for n in range(1, 141, 2) if n + (n + 2) + (n + 4) == 141),
    "eval-v2-079": lambda: str(144 // 16) if 144 % 16 == 0 else "",
    "eval-v2-080": lambda: str(22 + (22 - 17)),
    "eval-v2-081": lambda: plain((600 - 600 * Fraction(35, 100)) / 26),
    "eval-v2-082": lambda: str(10000000000000001 - 9999999999999998),
    "eval-v2-083": lambda: plain(Fraction("4.75") * 60),
    "eval-v2-084": lambda: str(math.isqrt(20**2 + 21**2)) if math.isqrt(20**2 + 21**2) ** 2 == 20**2 + 21**2 else "",
    "eval-v2-085": lambda: ";".join(sorted(["plum", "fig", "cherry", "apricot"])),
    "eval-v2-086": lambda: str(180 - 47 - 68),
    "eval-v2-087": lambda: plain(6 + Fraction(4 * (17 - 9), 2)),
    "eval-v2-089": lambda: plain(Fraction("0.45") * 1000),
    "eval-v2-090": lambda: str((18 * 24 - 392) // 8),
    "eval-v2-091": lambda: str(max(x for x in range(-200, 200) if x * x - 9 * x - 36 == 0)),
    "eval-v2-092": lambda: f"{4518902:,}",
    "eval-v2-093": lambda: only(side for side in range(170) if side * side == 169),
    "eval-v2-095": lambda: f"{Decimal(7).sqrt():.6f}",
    "eval-v2-098": lambda: plain(Fraction(15, 100) * 80),
    "eval-v2-099": lambda: str(6 * 7),
    "golden-v1-001": lambda: str(13 * 12),
    "golden-v1-002": lambda: str(1001 - 456),
    "golden-v1-005": lambda: str((3 - 2) * 180),
    "golden-v1-006": lambda: str(7 * 10 + 3),
    "golden-v1-007": lambda: str(19 + 23),
    "golden-v1-008": lambda: str(timedelta(weeks=2).days),
    "golden-v1-009": lambda: "".join(reversed("parallel")),
    "golden-v1-011": lambda: str(2**10),
    "golden-v1-012": lambda: str(len(list(product((0, 1), repeat=3)))),
    "golden-v1-013": lambda: string.ascii_uppercase[::2][4],
    "golden-v1-014": lambda: plain(Fraction(7, 20)),
    "golden-v1-015": lambda: str(3 * 4 + 2 * 7),
    "golden-v1-017": lambda: plain(Fraction(54, 6)),
    "golden-v1-018": lambda: plain(Fraction("5.5") / 2),
    "golden-v1-020": lambda: str(3 * 15 - 18),
    "golden-v1-021": lambda: plain(4 * Fraction("8.5")),
    "golden-v1-022": lambda: plain(Fraction(3, 3)),
    "golden-v1-025": lambda: f"{255:x}",
    "golden-v1-026": lambda: date(2023, 12, 25).isoformat(),
    "golden-v1-027": lambda: str(3 * 12),
    "golden-v1-028": lambda: str(min(range(0, 300, 10), key=lambda ten: abs(ten - 149.5))),
    "golden-v1-029": lambda: str(5 * 1000),
    "golden-v1-030": lambda: plain(Fraction("0.8") * 100) + "%",
}
"""Every answer that can be computed, from the quantities in its prompt."""

LOOKED_UP: dict[str, str] = {
    "eval-v1-001": "si-brochure",
    "eval-v1-002": "periodic-table",
    "eval-v1-007": "dictionary",
    "eval-v1-012": "history-of-science",
    "eval-v1-020": "calendar",
    "eval-v1-027": "atlas",
    "eval-v1-034": "music-history",
    "eval-v1-035": "atlas",
    "eval-v2-002": "atlas",
    "eval-v2-015": "history-of-mathematics",
    "eval-v2-045": "astronomy",
    "eval-v2-054": "biology",
    "eval-v2-059": "literature",
    "eval-v2-063": "laws-of-the-game",
    "eval-v2-075": "periodic-table",
    "eval-v2-088": "constitution",
    "eval-v2-094": "anatomy",
    "eval-v2-096": "atlas",
    "eval-v2-097": "history",
    "eval-v2-100": "periodic-table",
    "golden-v1-003": "atlas",
    "golden-v1-004": "atlas",
    "golden-v1-010": "dictionary",
    "golden-v1-016": "periodic-table",
    "golden-v1-019": "dictionary",
    "golden-v1-023": "astronomy",
    "golden-v1-024": "dictionary",
}
"""General knowledge: not computable; where each answer can be looked up."""


@pytest.mark.parametrize("item_id", COMPUTED)
def test_the_expected_answer_is_what_the_prompt_computes_to(item_id: str):
    assert ROWS[item_id]["expected_answer"] == COMPUTED[item_id]()


def test_every_item_is_either_computed_or_looked_up():
    assert sorted([*COMPUTED, *LOOKED_UP]) == sorted(ROWS)


def test_only_general_knowledge_is_looked_up():
    assert {ROWS[item_id]["category"] for item_id in LOOKED_UP} == {"general_knowledge"}
