"""Operations of an infix calculation as models write it: `(8181 - 20454) / 20454`.

The text is never evaluated. Operators and operands are put in order by precedence with a stack of our own, so depth
costs memory and no recursion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from steelyard.errors import excerpt
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
_SIGN = "sign"
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
    return _Reader(text).operations()


@dataclass(slots=True)
class _Reader:
    """Shunting yard: what waits on the stack is computed when something weaker follows."""

    source: str
    computed: list[str] = field(default_factory=list)
    stack: list[tuple[str, int]] = field(default_factory=list)
    """Operators and open parentheses that wait, each with its place."""
    wants_operand: bool = True

    def operations(self) -> tuple[str, ...]:
        if len(self.source) > LONGEST_PROGRAM:
            raise self.mistake(
                "too-long", f"the calculation is longer than {LONGEST_PROGRAM} characters", LONGEST_PROGRAM
            )
        position = 0
        while (start := self.after_space(position)) < len(self.source):
            match = _TOKEN.match(self.source, position)
            if match is None:
                found = excerpt(self.source[start : start + 20])
                raise self.mistake("bad-argument", f"expected a number or an operator, found {found!r}", start)
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
            self.wants_operand = False
        else:
            self.stack.append(("(", start))

    def operator(self, symbol: str, start: int) -> None:
        if not self.wants_operand:
            self.wait(_NAMES[symbol], start)
        elif symbol in _SIGNS:
            self.stack.append((_SIGN, start))
        else:
            raise self.mistake("separator", f"expected a value before {symbol}", start)

    def wait(self, name: str, start: int) -> None:
        strength = _STRENGTH[name]
        while self.stack and self.stack[-1][0] != "(":
            waiting = self.stack[-1][0]
            stronger = _SIGN_STRENGTH if waiting == _SIGN else _STRENGTH[waiting]
            # Powers bind to the right: 2 ** 3 ** 2 computes 3 ** 2 first.
            if stronger < strength or (stronger == strength and name == "exp"):
                break
            self.compute()
        self.stack.append((name, start))
        self.wants_operand = True

    def compute(self) -> None:
        name, _ = self.stack.pop()
        if name != _SIGN:
            self.computed.append(name)

    def close(self, start: int) -> None:
        if self.wants_operand:
            raise self.mistake("separator", "expected a value before )", start)
        while self.stack and self.stack[-1][0] != "(":
            self.compute()
        if not self.stack:
            raise self.mistake("parenthesis", "this parenthesis was not opened", start)
        self.stack.pop()

    def finish(self, end: int) -> tuple[str, ...]:
        if self.wants_operand:
            kind: Kind = "separator" if end else "empty"
            raise self.mistake(kind, "expected a value" if end else "the calculation is empty", end)
        while self.stack:
            name, start = self.stack[-1]
            if name == "(":
                raise self.mistake("parenthesis", "this parenthesis is not closed", start)
            self.compute()
        return tuple(self.computed)

    def after_space(self, position: int) -> int:
        match = _SPACE.match(self.source, position)
        assert match is not None, "the pattern matches the empty string"
        return match.end()

    def mistake(self, kind: Kind, message: str, start: int) -> ProgramError:
        return ProgramError(kind, message, source=self.source, start=start)
