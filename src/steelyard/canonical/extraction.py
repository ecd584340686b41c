r"""Getting an answer out of raw text: seven ways, each versioned, none of which falls back to another.

`none` takes the whole text. `answer_line` and `choice_letter` are described in their own files. `last_number` takes the
last number, or fails where the last thing that looks like a number is none (`1,2,3`). `json_field` takes a field (`a.b`
is b inside a) of the first JSON object in the text, fenced or not. `boxed` takes the last `\boxed{…}`, which must be
closed. `regex` takes group 1 of the last match, or the whole match without a group, and stops after a second.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias, get_args

from steelyard.canonical.answer_line import answer_line, ends_with_marker
from steelyard.canonical.choice_letter import choice_letter
from steelyard.canonical.json_text import RefusedJson, first_object
from steelyard.canonical.outcome import NOT_A_NUMBER, REGEX_TIMEOUT, Found, NotFound, Outcome, nothing
from steelyard.errors import ConfigurationError, Problem, excerpt, quoted
from steelyard.text.patterns import PatternError, compile_pattern

__all__ = [
    "EXTRACTION_KINDS",
    "Extraction",
    "Found",
    "NotFound",
    "Outcome",
    "after_prompt",
    "extract",
    "parse_extraction",
]

ExtractionKind: TypeAlias = Literal[
    "none", "answer_line", "last_number", "choice_letter", "json_field", "boxed", "regex"
]
EXTRACTION_KINDS: tuple[ExtractionKind, ...] = get_args(ExtractionKind)

PATTERN_SECONDS = 1.0
"""How long a pattern may run on one output."""

_BOX = re.compile(r"\\boxed[ \t]*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_TEXT_COMMAND = re.compile(r"\\(?:text|textbf|textrm|mathrm|mathbf)\{([^{}]*)\}")
_SPACING_COMMAND = re.compile(r"\\[,;!:]")


@dataclass(frozen=True, slots=True)
class Extraction:
    """How an answer is taken out of a text, with its parameters."""

    kind: ExtractionKind = "none"
    field: str | None = None
    pattern: str | None = None
    version: int = 1
    marker_in_prompt: bool = False
    """For `answer_line`: the prompt leaves off at a marker (`ends_with_marker`), so an output without one of its own
    begins with the answer."""

    @property
    def signature(self) -> str:
        """Everything that can change what is extracted: `extract=json_field@v1|field=answer`."""
        name = f"extract={self.kind}@v{self.version}"
        if self.kind == "json_field":
            return f"{name}|field={self.field}"
        if self.kind == "regex":
            return f"{name}|pattern={self.pattern}"
        return f"{name}|marker_in_prompt=true" if self.marker_in_prompt else name


def parse_extraction(value: object) -> Extraction:
    """Return the extraction that a task file's `extract` names (a string, a mapping or null), or raise.

    >>> parse_extraction("answer_line").signature, parse_extraction({"json_field": "answer"}).signature
    ('extract=answer_line@v1', 'extract=json_field@v1|field=answer')
    """
    name, argument = _name_and_argument(value)
    if name == "json_field":
        return Extraction("json_field", field=_field(argument))
    if name == "regex":
        return Extraction("regex", pattern=_pattern(argument))
    kind = next((kind for kind in EXTRACTION_KINDS if kind == name), None)
    if kind is None:
        raise _unknown(name)
    if argument is not None:
        raise _refused("bad-configuration", f"extract: {name} takes no parameter, found {excerpt(repr(argument))}")
    return Extraction(kind)


def after_prompt(extraction: Extraction, prompt: str | None) -> Extraction:
    r"""Return the extraction for outputs to a prompt: after one that ends with a marker, they begin with the answer.

    >>> after_prompt(Extraction("answer_line"), "{question}\nAnswer:").signature
    'extract=answer_line@v1|marker_in_prompt=true'
    """
    marked = extraction.kind == "answer_line" and prompt is not None and ends_with_marker(prompt)
    return replace(extraction, marker_in_prompt=True) if marked else extraction


def extract(text: str, extraction: Extraction, *, choices: Sequence[str] = ()) -> Outcome:
    """Return the answer in a text, or why there is none.

    >>> extract("So x = 4, y = 5.", Extraction("last_number")).value
    '5'
    """
    match extraction.kind:
        case "none":
            return Found(text, 0)
        case "answer_line":
            return answer_line(text, marker_in_prompt=extraction.marker_in_prompt)
        case "last_number":
            return _last_number(text)
        case "choice_letter":
            return choice_letter(text, choices)
        case "json_field":
            return _json_field(text, extraction.field or "")
        case "boxed":
            return _boxed(text)
        case "regex":
            return _last_match(text, extraction.pattern or "")


def _name_and_argument(value: object) -> tuple[str, Any]:
    if value is None:
        return "none", None
    if isinstance(value, str):
        name, colon, argument = value.partition(":")
        return name.strip(), argument if colon else None
    if isinstance(value, Mapping) and len(value) == 1:
        ((name, argument),) = value.items()
        return str(name), argument
    found = excerpt(repr(value))
    raise _refused("bad-configuration", f"extract is {found}, expected a name or one name with its parameter")


def _field(argument: Any) -> str:
    if isinstance(argument, str) and all(part.strip() for part in argument.split(".")):
        return argument.strip()
    raise _refused(
        "bad-configuration",
        f"extract: json_field needs the name of a field, found {excerpt(repr(argument))}",
        hint="write `extract: {json_field: answer}`; `a.b` is field b inside a",
    )


def _pattern(argument: Any) -> str:
    if not isinstance(argument, str) or not argument:
        raise _refused("bad-pattern", "extract: regex needs a pattern", hint='write `extract: {regex: "Result: (.+)"}`')
    try:
        compile_pattern(argument)
    except PatternError as error:
        raise _refused("bad-pattern", f"extract: {error}", hint="write it as Python's `re` reads it") from None
    return argument


def _unknown(name: str) -> ConfigurationError:
    close = get_close_matches(name, EXTRACTION_KINDS, n=1)
    return _refused(
        "unknown-name",
        f"there is no extraction {quoted(name)}; there are {', '.join(EXTRACTION_KINDS)}",
        hint=f"did you mean {close[0]!r}?" if close else "",
    )


def _refused(code: str, message: str, hint: str = "") -> ConfigurationError:
    return ConfigurationError(Problem(code=code, message=message, hint=hint))


def _last_number(text: str) -> Outcome:
    from steelyard.numbers.grammar import NotANumber, scan_numbers  # noqa: PLC0415 - for numbers alone

    spans = scan_numbers(text)
    if not spans:
        return nothing("there is no number in the output")
    start, end, found = spans[-1]
    if isinstance(found, NotANumber):
        return NotFound((NOT_A_NUMBER,), f"{quoted(text[start:end])}, the last of its kind, is not a number")
    return Found(text[start:end], start, found)


def _json_field(text: str, field: str) -> Outcome:
    try:
        found = first_object(text)
    except RefusedJson as refusal:
        return nothing(f"the JSON object is refused: {refusal}")
    if found is None:
        return nothing("there is no JSON object in the output")
    value: Any = found.value
    for key in field.split("."):
        if not isinstance(value, dict) or key not in value:
            return nothing(f"the JSON object has no field {quoted(field)}")
        value = value[key]
    return Found(value, found.start)


def _boxed(text: str) -> Outcome:
    last = None
    for box in _BOX.finditer(text):
        last = box
    if last is None:
        return nothing("there is no \\boxed{} in the output")
    depth = 1
    for brace in _BRACE.finditer(text, last.end()):
        depth += {"{": 1, "}": -1}.get(brace.group(), 0)
        if depth == 0:
            content = plain_latex(text[last.end() : brace.start()])
            return Found(content, last.start()) if content else nothing("the last \\boxed{} is empty")
    return nothing("the last \\boxed{ is not closed")


def plain_latex(text: str) -> str:
    r"""Return a box's content without what only sets type: `\text{}`, thin spaces, escaped signs, `$` around it.

    >>> plain_latex(r"\text{B}"), plain_latex(r"12.5\%"), plain_latex(r"1{,}234")
    ('B', '12.5%', '1,234')
    """
    unwrapped = _SPACING_COMMAND.sub("", _TEXT_COMMAND.sub(r"\1", text)).replace("{,}", ",")
    plain = unwrapped.replace("\\%", "%").replace("\\$", "$").replace("\\#", "#").replace("\\&", "&").strip()
    wrapped = len(plain) > 2 and plain[0] == plain[-1] == "$" and "$" not in plain[1:-1]
    return plain[1:-1].strip() if wrapped else plain


def _last_match(text: str, pattern: str) -> Outcome:
    last = None
    try:
        for match in compile_pattern(pattern).matches(text, seconds=PATTERN_SECONDS):
            last = match
    except TimeoutError:
        return NotFound((REGEX_TIMEOUT,), "the pattern ran for longer than a second")
    if last is None:
        return nothing("the pattern does not match the output")
    group = 1 if last.re.groups else 0
    start, end = last.span(group)
    value = text[start:end] if start >= 0 else None
    return nothing("the pattern's group took no part in the match") if value is None else Found(value, last.start())
