"""An infix calculation as models write it, `(8181 - 20454) / 20454`, as the operations and steps it stands for.

The text is never evaluated. Operators and operands are put in order by precedence with a stack of our own, so depth
costs memory and no recursion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TypeAlias

from steelyard.errors import quoted
from steelyard.programs.problems import Kind, ProgramError
from steelyard.programs.syntax import LONGEST_PROGRAM

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[$€£]?\s*(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\s*%?)"
    r"|(?P<operator>\*\*|>=|<=|[-+*/^<>×÷·−–])|(?P<parenthesis>[()])|(?P<equals>=))",
    re.ASCII,
)
_SPACE = re.compile(r"\s*", re.ASCII)

_NAMES = {
    **dict.fromkeys((">", "<", ">=", "<="), "greater"),
    "+": "add",
    **dict.fromkeys(("-", "−", "–"), "subtract"),
    **dict.fromkeys(("*", "×", "·"), "multiply"),
    **dict.fromkeys(("/", "÷"), "divide"),
    **dict.fromkeys(("**", "^"), "exp"),
}
_STRENGTH = {"greater": 0, "add": 1, "subtract": 1, "multiply": 2, "divide": 2, "exp": 4}
CalculationStep: TypeAlias = tuple[str, tuple[str, str]]
"""An operation and its two operands: numbers as written, or `#n`."""

_SWAPPED = frozenset("<")
_CURRENCIES = "$€£ "
_SIGN = "sign"
_NEGATIVE = "negative"
_SIGN_STRENGTH = 3
_SIGNS = frozenset("+-−–")


def expression_operations(text: str) -> tuple[str, ...]:
    """Return the operations of an infix calculation in the order in which they are computed.

    Of a chain `36197 / 1553 = 23.3` the part before the first `=` counts; what follows repeats its result.

    >>> expression_operations("(8181 - 20454) / 20454")
    ('subtract', 'divide')
    >>> expression_operations("-6826.0")
    ()
    """
    return tuple(operation for operation, _ in _Reader(text).steps())


def expression_steps(text: str) -> tuple[CalculationStep, ...]:
    """Return each operation with its operands as written; `#n` is the result of step n.

    >>> expression_steps("(8181 - 20454) / 20454")
    (('subtract', ('8181', '20454')), ('divide', ('#0', '20454')))
    >>> expression_steps("-5 < $1,200")
    (('greater', ('1,200', '-5')),)
    """
    return tuple(_Reader(text).steps())


@dataclass(slots=True)
class _Reader:
    """Shunting yard: what waits on the stack is computed when something weaker follows."""

    source: str
    computed: list[CalculationStep] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    stack: list[tuple[str, int]] = field(default_factory=list)
    """Operators and open parentheses that wait, each with its place."""
    wants_operand: bool = True

    def steps(self) -> list[CalculationStep]:
        if len(self.source) > LONGEST_PROGRAM:
            raise self.mistake(
                "too-long", f"the calculation is longer than {LONGEST_PROGRAM} characters", LONGEST_PROGRAM
            )
        position = 0
        while (start := self.after_space(position)) < len(self.source):
            match = _TOKEN.match(self.source, position)
            if match is None:
                found = quoted(self.source[start : start + 20])
                raise self.mistake("bad-argument", f"expected a number or an operator, found {found}", start)
            if match["equals"]:
                break
            self.take(match, start)
            position = match.end()
        return self.finish(start)

    def take(self, match: re.Match[str], start: int) -> None:
        if match["operator"]:
            self.operator(match["operator"], start)
        elif match["parenthesis"] == ")":
            self.close(start)
        elif not self.wants_operand:
            raise self.mistake("separator", "expected an operator between two values", start)
        elif match["number"]:
            self.operands.append(match["number"].strip(_CURRENCIES))
            self.wants_operand = False
        else:
            self.stack.append(("(", start))

    def operator(self, symbol: str, start: int) -> None:
        if not self.wants_operand:
            self.wait(symbol, start)
        elif symbol in _SIGNS:
            self.stack.append((_SIGN if symbol == "+" else _NEGATIVE, start))
        else:
            raise self.mistake("separator", f"expected a value before {symbol}", start)

    def wait(self, symbol: str, start: int) -> None:
        name = _NAMES[symbol]
        while self.stack and self.stack[-1][0] != "(":
            stronger = _strength(self.stack[-1][0])
            # Powers bind to the right: 2 ** 3 ** 2 computes 3 ** 2 first.
            if stronger < _STRENGTH[name] or (stronger == _STRENGTH[name] and name == "exp"):
                break
            self.compute()
        self.stack.append((symbol, start))
        self.wants_operand = True

    def compute(self) -> None:
        symbol, _ = self.stack.pop()
        right = self.operands.pop()
        if symbol in (_SIGN, _NEGATIVE):
            self.operands.append(right if symbol == _SIGN else _negated(right))
            return
        left = self.operands.pop()
        pair = (right, left) if symbol[0] in _SWAPPED else (left, right)
        self.operands.append(f"#{len(self.computed)}")
        self.computed.append((_NAMES[symbol], pair))

    def close(self, start: int) -> None:
        if self.wants_operand:
            raise self.mistake("separator", "expected a value before )", start)
        while self.stack and self.stack[-1][0] != "(":
            self.compute()
        if not self.stack:
            raise self.mistake("parenthesis", "this parenthesis was not opened", start)
        self.stack.pop()

    def finish(self, end: int) -> list[CalculationStep]:
        if self.wants_operand:
            kind: Kind = "separator" if end else "empty"
            raise self.mistake(kind, "expected a value" if end else "the calculation is empty", end)
        while self.stack:
            name, start = self.stack[-1]
            if name == "(":
                raise self.mistake("parenthesis", "this parenthesis is not closed", start)
            self.compute()
        return self.computed

    def after_space(self, position: int) -> int:
        match = _SPACE.match(self.source, position)
        assert match is not None, "the pattern matches the empty string"
        return match.end()

    def mistake(self, kind: Kind, message: str, start: int) -> ProgramError:
        return ProgramError(kind, message, source=self.source, start=start)


def _strength(symbol: str) -> int:
    return _SIGN_STRENGTH if symbol in (_SIGN, _NEGATIVE) else _STRENGTH[_NAMES[symbol]]


def _negated(operand: str) -> str:
    return operand[1:] if operand.startswith("-") else f"-{operand}"
