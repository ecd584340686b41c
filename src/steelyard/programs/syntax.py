"""The turn-program language of ConvFinQA: text to steps, in one pass.

    program   = step {"," step} | value
    step      = operation "(" argument "," argument ")" | table operation "(" row name ["," "none"] ")"
    argument  = value | "#" digits
    value     = number ["%"] | "const_" ["m"] digits

`read` takes the text as it stands; `parse` also holds every `#n` to a step that comes before it. Both are linear.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache

from steelyard.errors import excerpt, quoted
from steelyard.programs.nodes import (
    BINARY_OPERATIONS,
    OPERATIONS,
    TABLE_OPERATIONS,
    Argument,
    Constant,
    Literal,
    Program,
    Reference,
    RowName,
    Step,
    Value,
)
from steelyard.programs.problems import Kind, ProgramError, suggestion

LONGEST_PROGRAM = 100_000
"""How many characters a program may have."""

_SPACE = " \t\n\r\f\v"
_NAME = re.compile(r"\s*([A-Za-z_]\w*)?\s*", re.ASCII)
_PARENTHESES = re.compile(r"[()]")
_COMMA = re.compile(r",")
_SPACED_COMMA = re.compile(r",\s", re.ASCII)
_NUMBER = re.compile(
    r"([-+]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*(%)?",
    re.ASCII,
)
_GROUPED = re.compile(r"\d,\d", re.ASCII)
_CONSTANT = re.compile(r"const_(m)?(\d+(?:\.\d+)?)", re.ASCII)
_REFERENCE = re.compile(r"#(\d+)", re.ASCII)
_LAST_NONE = re.compile(r"(?<=,)\s*none\s*\Z", re.ASCII)
_KEPT = 512
"""Programs kept after they are read: each turn's is asked for again by every score, and by the turns after it."""


@lru_cache(maxsize=_KEPT)
def parse(text: str) -> Program:
    """Return the program that `text` spells, or raise a ProgramError that points at the mistake.

    >>> program = parse("subtract(8181, 20454), divide(#0, 20454)")
    >>> program.steps[1].arguments
    (Reference(index=0), Literal(text='20454', value=20454.0, percent=False))
    >>> parse("14.1%").value
    Literal(text='14.1%', value=0.141, percent=True)
    """
    program = read(text)
    for index, step in enumerate(program.steps):
        for argument in step.arguments:
            if isinstance(argument, Reference) and argument.index >= index:
                raise _later_step(program, index, argument)
    return program


@lru_cache(maxsize=_KEPT)
def read(text: str) -> Program:
    """Return the program that `text` spells without a look at where its references lead."""
    if len(text) > LONGEST_PROGRAM:
        message = f"the program has {len(text)} characters, and {LONGEST_PROGRAM} are the limit"
        raise ProgramError("too-long", message, source=text[:LONGEST_PROGRAM], start=LONGEST_PROGRAM - 1)
    if not text.strip(_SPACE):
        hint = "write steps such as add(1, 2), or the number that is extracted"
        raise ProgramError("empty", "the program is empty", source=text, start=0, hint=hint)
    scanner = _Scanner(text)
    if "(" in text or ")" in text:
        return Program(tuple(scanner.steps()), source=text)
    return Program((), scanner.value(0, len(text), "a step such as add(1, 2) or a number"), source=text)


class _Scanner:
    """Reads one source from left to right; every place it hands out is an index into the source."""

    def __init__(self, source: str) -> None:
        self.source = source

    def steps(self) -> Iterator[Step]:
        position = 0
        while True:
            step, position = self.step(position)
            yield step
            position = self.after_space(position)
            if position == len(self.source):
                return
            if self.source[position] != ",":
                raise self.mistake("separator", "expected a comma between steps", position)
            position += 1

    def step(self, position: int) -> tuple[Step, int]:
        match = _NAME.match(self.source, position)
        assert match is not None, "the pattern matches the empty string"
        opening, name = match.end(), match[1]
        if name is None:
            expected = "expected an operation" if opening < len(self.source) else "the program ends after a comma"
            raise self.mistake("separator", expected, opening, hint=f"operations are {', '.join(OPERATIONS)}")
        if name not in OPERATIONS:
            raise self.unknown(name, match.start(1))
        if self.source[opening : opening + 1] != "(":
            raise self.mistake("parenthesis", f"expected ( after {name}", opening)
        closing = self.closing(name, opening)
        found = self.row_name if name in TABLE_OPERATIONS else self.operands
        return Step(name, found(name, opening + 1, closing), (match.start(1), closing + 1)), closing + 1

    def closing(self, name: str, opening: int) -> int:
        depth = 0
        for match in _PARENTHESES.finditer(self.source, opening):
            depth += 1 if match[0] == "(" else -1
            if depth == 0:
                return match.start()
            if depth > 1 and name in BINARY_OPERATIONS:
                hint = "write the inner operation as a step of its own and name its result with #n"
                raise self.mistake("parenthesis", f"an operation inside {name}", match.start(), hint=hint)
        raise self.mistake("parenthesis", f"this parenthesis of {name} is not closed", opening)

    def operands(self, name: str, start: int, end: int) -> tuple[Argument, ...]:
        pieces = list(self.pieces(start, end))
        if len(pieces) != 2:
            count = 0 if len(pieces) == 1 and not self.source[start:end].strip(_SPACE) else len(pieces)
            grouped = _GROUPED.search(self.source, start, end)
            hint = "put a space after the comma that separates the arguments" if grouped else ""
            raise self.mistake(
                "argument-count", f"{name} takes 2 arguments, not {count}", start, max(end, start + 1), hint
            )
        return tuple(self.argument(*piece) for piece in pieces)

    def pieces(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        # ConvFinQA's own tokeniser splits at comma and space only, so that `1,234` may be a number;
        # where no comma has a space after it, `add(1,2)` can only mean two arguments.
        comma = _SPACED_COMMA if _SPACED_COMMA.search(self.source, start, end) else _COMMA
        for match in comma.finditer(self.source, start, end):
            yield start, match.start()
            start = match.end()
        yield start, end

    def argument(self, start: int, end: int) -> Argument:
        match = _REFERENCE.fullmatch(self.source[start:end].strip(_SPACE))
        if match is None:
            return self.value(start, end, "a number, a percentage, const_n or #n")
        # An index of more digits than any program has steps; int() refuses very long ones.
        return Reference(int(match[1]) if len(match[1]) <= 9 else LONGEST_PROGRAM)

    def value(self, start: int, end: int, expected: str) -> Value:
        text = self.source[start:end].strip(_SPACE)
        if match := _CONSTANT.fullmatch(text):
            value = self.finite(float(match[2]), start, end)
            return Constant(text, -value if match[1] else value)
        if match := _NUMBER.fullmatch(text):
            value = self.finite(float(match[1].replace(",", "")), start, end)
            return Literal(text, value / 100.0 if match[2] else value, percent=match[2] is not None)
        found = repr(excerpt(text)) if text else "nothing"
        raise self.mistake("bad-argument", f"expected {expected}, found {found}", *self.trimmed(start, end))

    def finite(self, value: float, start: int, end: int) -> float:
        if not math.isfinite(value):
            raise self.mistake("overflow", "this number is too large", *self.trimmed(start, end))
        return value

    def row_name(self, name: str, start: int, end: int) -> tuple[Argument, ...]:
        none = _LAST_NONE.search(self.source, start, end)
        end = end if none is None else none.start() - 1
        text = self.source[start:end].strip(_SPACE)
        if not text:
            raise self.mistake("argument-count", f"{name} takes the name of a row", start)
        if _REFERENCE.fullmatch(text):
            message = f"{name} takes the name of a row, not the result of a step"
            raise self.mistake("bad-argument", message, *self.trimmed(start, end))
        return (RowName(text),)

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        text = self.source[start:end]
        stripped = text.strip(_SPACE)
        start += len(text) - len(text.lstrip(_SPACE)) if stripped else 0
        return start, start + max(1, len(stripped))

    def after_space(self, position: int) -> int:
        while position < len(self.source) and self.source[position] in _SPACE:
            position += 1
        return position

    def unknown(self, name: str, start: int) -> ProgramError:
        hint = suggestion(name.lower(), OPERATIONS) or f"operations are {', '.join(OPERATIONS)}"
        message = f"there is no operation {quoted(name)}"
        return self.mistake("unknown-operation", message, start, start + len(name), hint)

    def mistake(self, kind: Kind, message: str, start: int, end: int | None = None, hint: str = "") -> ProgramError:
        return ProgramError(kind, message, source=self.source, start=start, end=end, hint=hint)


def _later_step(program: Program, index: int, reference: Reference) -> ProgramError:
    start, end = program.steps[index].span
    match = re.compile(rf"#0*{reference.index}(?!\d)", re.ASCII).search(program.source, start, end)
    place = match.span() if match else (start, end)
    known = f"only #0 to #{index - 1} come before it" if index else "no step comes before it"
    message = f"step #{index} refers to {reference}, and {known}"
    return ProgramError("later-step", message, source=program.source, start=place[0], end=place[1])
