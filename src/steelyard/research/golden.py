"""Golden queries: which evidence each objective needs, or that there is none to be had (seed 002).

They decide every verdict, so they are refused as a whole when anything in them is malformed. Each fault names the
requirement that is not met.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from steelyard.errors import quoted
from steelyard.records.items import UNTAGGED
from steelyard.research.faults import kind
from steelyard.text.tokens import normalise

Requirement: TypeAlias = Literal[
    "golden_queries.present",
    "golden_queries.readable",
    "golden_queries.json",
    "golden_queries.types",
    "golden_queries.keys",
    "golden_queries.not_empty",
    "golden_queries.unique_objectives",
    "golden_queries.no_required_ids_when_insufficient",
    "outputs.present",
    "outputs.has_runs",
]

REQUIREMENTS: dict[Requirement, str] = {
    "golden_queries.present": "the golden queries file is there",
    "golden_queries.readable": "the golden queries file can be read as UTF-8 text",
    "golden_queries.json": "the golden queries are JSON, each key once",
    "golden_queries.types": "golden queries are a list of objects, or {queries: [...]}, with values of the right types",
    "golden_queries.keys": "each entry has objective, required_evidence_ids and evidence_sufficient",
    "golden_queries.not_empty": "there is at least one entry",
    "golden_queries.unique_objectives": "each objective stands once",
    "golden_queries.no_required_ids_when_insufficient": "an entry with insufficient evidence requires no evidence ids",
    "outputs.present": "the outputs folder is there and can be read",
    "outputs.has_runs": "the outputs folder has at least one run",
}
"""What an evaluation needs, by the name that a SYSTEM_ERROR reports."""

_NO_TAGS: Mapping[str, str] = {}
KEYS = ("objective", "required_evidence_ids", "evidence_sufficient")


@dataclass(frozen=True, slots=True)
class GoldenEntry:
    """One objective and what is expected of runs for it."""

    objective: str
    required_ids: tuple[str, ...]
    """Each id once, in the order of the file."""
    sufficient: bool
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What runs are joined by."""
        return objective_key(self.objective)


@dataclass(frozen=True, slots=True)
class GoldenFault:
    """One thing that makes golden queries malformed."""

    requirement: Requirement
    message: str


def objective_key(objective: str) -> str:
    r"""Return what two spellings of one objective share.

    >>> objective_key("  What IS\n RAG? ") == objective_key("what is rag?")
    True
    """
    return normalise(objective, "basic")


def parse_golden(value: Any) -> tuple[list[GoldenEntry], list[GoldenFault]]:
    """Return the entries of a golden file and everything that is wrong with it; with any fault, use no entry."""
    rows = value.get("queries") if isinstance(value, dict) else value
    if isinstance(value, dict) and "queries" not in value:
        return [], [GoldenFault("golden_queries.keys", "the object has no 'queries', expected a list under that key")]
    if not isinstance(rows, list):
        where = "'queries'" if isinstance(value, dict) else "the file"
        return [], [GoldenFault("golden_queries.types", f"{where} is {kind(rows)}, expected a list of entries")]
    if not rows:
        return [], [GoldenFault("golden_queries.not_empty", "the list has no entries, expected at least one")]
    faults = [fault for number, row in enumerate(rows, start=1) for fault in _row_faults(row, number)]
    if faults:
        return [], faults
    entries = [_entry(row) for row in rows]
    return entries, list(_duplicates(entries))


def _row_faults(row: Any, number: int) -> Iterator[GoldenFault]:
    what = f"entry {number}"
    if not isinstance(row, dict):
        yield GoldenFault("golden_queries.types", f"{what} is {kind(row)}, expected an object")
        return
    absent = [key for key in KEYS if key not in row]
    if absent:
        yield GoldenFault("golden_queries.keys", f"{what} has no {' and no '.join(map(repr, absent))}")
    yield from _type_faults(row, what)
    if row.get("evidence_sufficient") is False and row.get("required_evidence_ids"):
        message = f"{what} says evidence_sufficient: false and requires {_ids(row['required_evidence_ids'])}"
        yield GoldenFault("golden_queries.no_required_ids_when_insufficient", message)


def _ids(required: Any) -> str:
    count = len(required) if isinstance(required, list) else 1
    return f"{count} id" if count == 1 else f"{count} ids"


def _type_faults(row: Mapping[str, Any], what: str) -> Iterator[GoldenFault]:
    found = []
    if "objective" in row and not _is_text(row["objective"]):
        found.append(f"'objective' of {what} is {kind(row['objective'])}, expected a text")
    if "evidence_sufficient" in row and not isinstance(row["evidence_sufficient"], bool):
        found.append(f"'evidence_sufficient' of {what} is {kind(row['evidence_sufficient'])}, expected true or false")
    found += _id_faults(row, what)
    found += _tag_faults(row.get("tags"), what)
    for message in found:
        yield GoldenFault("golden_queries.types", message)


def _id_faults(row: Mapping[str, Any], what: str) -> list[str]:
    if "required_evidence_ids" not in row:
        return []
    ids = row["required_evidence_ids"]
    if not isinstance(ids, list):
        return [f"'required_evidence_ids' of {what} is {kind(ids)}, expected a list of texts"]
    wrong = [value for value in ids if not _is_text(value)]
    return [f"'required_evidence_ids' of {what} holds {kind(wrong[0])}, expected texts"] if wrong else []


def _tag_faults(tags: Any, what: str) -> list[str]:
    if tags is None:
        return []
    if not isinstance(tags, dict):
        return [f"'tags' of {what} is {kind(tags)}, expected an object of texts"]
    wrong = [key for key, value in tags.items() if not _is_text(value) or value == UNTAGGED]
    return [f"the tag {quoted(wrong[0])} of {what} is {kind(tags[wrong[0]])}, expected a text"] if wrong else []


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _entry(row: Mapping[str, Any]) -> GoldenEntry:
    return GoldenEntry(
        objective=row["objective"],
        required_ids=tuple(dict.fromkeys(row["required_evidence_ids"])),
        sufficient=row["evidence_sufficient"],
        tags=row.get("tags") or _NO_TAGS,
    )


def _duplicates(entries: Sequence[GoldenEntry]) -> Iterator[GoldenFault]:
    first: dict[str, int] = {}
    for number, entry in enumerate(entries, start=1):
        known = first.setdefault(entry.key, number)
        if known != number:
            message = f"entries {known} and {number} have the same objective {quoted(entry.objective)}"
            yield GoldenFault("golden_queries.unique_objectives", message)
