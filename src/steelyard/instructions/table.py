"""The table of instructions: `@instruction` enters a check under its id, with the arguments that its signature has."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Ordinal: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
Relation: TypeAlias = Literal["less than", "at least"]
Words: TypeAlias = Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
Letter: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[A-Za-z]$")]
Phrase: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]


class Finding(NamedTuple):
    """What a check says of one text."""

    followed: bool
    found: str
    """What was found, in a few words that stand behind the instruction's name."""


Check: TypeAlias = Callable[..., Finding]
Checked = TypeVar("Checked", bound=Check)


@dataclass(frozen=True, slots=True)
class Definition:
    """One instruction: its id, its check, and the type of its arguments."""

    id: str
    check: Check
    arguments: type[msgspec.Struct]
    summary: str


DEFINITIONS: dict[str, Definition] = {}
"""Every instruction by its id."""


def instruction(identity: str) -> Callable[[Checked], Checked]:
    """Enter a check; every keyword of its signature is an argument that the instruction needs."""

    def enter(check: Checked) -> Checked:
        hints = typing.get_type_hints(check, include_extras=True)
        names = [name for name, parameter in inspect.signature(check).parameters.items() if _is_keyword(parameter)]
        fields: list[tuple[str, Any]] = [(name, hints[name]) for name in names]
        arguments = msgspec.defstruct(check.__name__, fields, frozen=True, forbid_unknown_fields=True)
        summary = (inspect.getdoc(check) or "").splitlines()[0]
        DEFINITIONS[identity] = Definition(identity, check, arguments, summary)
        return check

    return enter


def _is_keyword(parameter: inspect.Parameter) -> bool:
    return parameter.kind is inspect.Parameter.KEYWORD_ONLY


def counted(count: int, what: str, relation: Relation, limit: int) -> Finding:
    """Return the finding about a number of things.

    >>> counted(250, "words", "at least", 300)
    Finding(followed=False, found='words: 250, at least 300 asked')
    """
    followed = count < limit if relation == "less than" else count >= limit
    return Finding(followed, f"{what}: {count}, {relation} {limit} asked")
