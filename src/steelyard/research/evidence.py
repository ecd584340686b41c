"""When evidence counts: a quote, a locator, provenance, and the quote in the chunk where chunks are stored.

Whatever is missing or wrong is named, so that a person can mend it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from steelyard.research.faults import ArtifactError, expect_identifier, expect_object, identifier, kind
from steelyard.research.outputs import Citation, Evidence
from steelyard.text.tokens import collapse

ChunkKey: TypeAlias = tuple[str, str]
"""Source and chunk: chunk ids need be unique within their source only."""

RECORD = "record"
QUOTE = "quote"
LOCATOR = "locator"
CHUNK = "chunk_id"
SOURCE = "source_id"
MISSING = (RECORD, QUOTE, LOCATOR, CHUNK, SOURCE)
"""What evidence can lack; `record` is an id that the ledger does not have."""

QUOTE_MISMATCH = "quote_mismatch"
BAD_SPAN = "bad_span"
TYPE_MISMATCH = "type_mismatch"
FAULTS = (QUOTE_MISMATCH, BAD_SPAN, TYPE_MISMATCH)


@dataclass(frozen=True, slots=True)
class EvidenceJudgement:
    """One piece of evidence as a claim cites it."""

    evidence_id: str | None
    missing: tuple[str, ...]
    faults: tuple[str, ...]
    detail: str
    """What is wrong in one sentence; empty where the evidence counts."""
    shown: Mapping[str, Any]
    """Quote, locator and provenance for readers, as far as there are any."""

    @property
    def counts(self) -> bool:
        """Whether a claim is covered by it."""
        return not self.missing and not self.faults


class Chunks:
    """The texts that evidence quotes from; only those that are cited are kept."""

    def __init__(self, wanted: Iterable[Evidence]) -> None:
        self._wanted = {key for record in wanted if (key := chunk_key(record)) is not None}
        self._texts: dict[ChunkKey, str] = {}

    def add(self, value: Any) -> None:
        """Take up one line of `chunks.jsonl`."""
        values = expect_object(value, "the chunk")
        key = (
            expect_identifier(values, "source_id", "the chunk"),
            expect_identifier(values, "chunk_id", "the chunk"),
        )
        text = values.get("text")
        if not isinstance(text, str):
            raise ArtifactError(f"'text' of the chunk is {kind(text)}, expected a text")
        if key in self._wanted and self._texts.setdefault(key, text) != text:
            raise ArtifactError(f"chunk {key[1]!r} of source {key[0]!r} stands twice with different texts")

    def text(self, key: ChunkKey) -> str | None:
        """Return the text of a chunk that was wanted, or None where there is none."""
        return self._texts.get(key)


def chunk_key(record: Evidence) -> ChunkKey | None:
    """Return where a record says its quote comes from, or None where it does not say."""
    source, chunk = identifier(record.fields.get(SOURCE)), identifier(record.fields.get(CHUNK))
    return None if source is None or chunk is None else (source, chunk)


def judge_citation(citation: Citation, chunks: Chunks | None) -> EvidenceJudgement:
    """Return whether what a claim cites counts, and what is missing or wrong where it does not."""
    if citation.record is None:
        detail = "the ledger has no evidence of this id"
        return EvidenceJudgement(citation.evidence_id, (RECORD,), (), detail, {})
    return judge_evidence(citation.record, chunks)


def judge_evidence(record: Evidence, chunks: Chunks | None) -> EvidenceJudgement:
    """Return whether a record counts; `chunks` is None where a run stores none."""
    fields = record.fields
    missing = _missing(fields)
    faults = _faults(fields)
    sentences = [f"no {', no '.join(missing)}"] if missing else []
    sentences += [sentence for _, sentence in faults]
    if chunks is not None and not missing and not faults:
        mismatch = quote_mismatch(record, chunks)
        faults += [(QUOTE_MISMATCH, mismatch)] if mismatch else []
        sentences += [mismatch] if mismatch else []
    names = tuple(dict.fromkeys(name for name, _ in faults))
    return EvidenceJudgement(record.evidence_id, missing, names, "; ".join(sentences), _shown(fields))


def _missing(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what is not there at all; a value of the wrong type is there, and is named as that instead."""
    found = [QUOTE] if _is_blank(fields.get(QUOTE)) else []
    found += [LOCATOR] if _is_blank(fields.get("span")) and _is_blank(fields.get("page")) else []
    return tuple(found + [key for key in (CHUNK, SOURCE) if _is_blank(fields.get(key))])


def _faults(fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = []
    if not isinstance(fields.get(QUOTE), str | None):
        found.append((TYPE_MISMATCH, f"the quote is {kind(fields[QUOTE])}, expected a text"))
    found += [
        (TYPE_MISMATCH, f"{key} is {kind(fields[key])}, expected an id")
        for key in (CHUNK, SOURCE)
        if not _is_blank(fields.get(key)) and identifier(fields[key]) is None
    ]
    if not _is_blank(fields.get("span")):
        found += [] if span_of(fields) else [(BAD_SPAN, _span_fault(fields["span"]))]
    elif not _is_blank(fields.get("page")) and identifier(fields["page"]) is None:
        found.append((TYPE_MISMATCH, f"the page is {kind(fields['page'])}, expected a number or a text"))
    return found


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def span_of(fields: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the span of a record, or None where it has none that can be used.

    >>> span_of({"span": {"start": 0, "end": 5}}), span_of({"span": {"start": 5, "end": 5}}), span_of({})
    ((0, 5), None, None)
    """
    span = fields.get("span")
    if not isinstance(span, dict):
        return None
    start, end = span.get("start"), span.get("end")
    if type(start) is not int or type(end) is not int:
        return None
    return (start, end) if 0 <= start < end else None


def _span_fault(span: Any) -> str:
    found = f"{{start: {kind(span.get('start'))}, end: {kind(span.get('end'))}}}" if isinstance(span, dict) else None
    return f"the span is {found or kind(span)}, expected whole numbers with 0 <= start < end"


def quote_mismatch(record: Evidence, chunks: Chunks) -> str:
    """Return why the quote does not stand in its chunk, or an empty text where it does; white space is folded."""
    key = chunk_key(record)
    assert key is not None, "provenance is checked before the quote"
    text = chunks.text(key)
    if text is None:
        return f"chunk {key[1]!r} of source {key[0]!r} is not among the run's chunks"
    quote, span = collapse(record.fields[QUOTE]), span_of(record.fields)
    if span is None:
        return "" if quote in collapse(text) else "the quote does not stand in the chunk"
    if span[1] > len(text):
        return f"the span ends at {span[1]}, but the chunk has {len(text)} characters"
    if collapse(text[span[0] : span[1]]) == quote:
        return ""
    elsewhere = "; it stands elsewhere in the chunk" if quote in collapse(text) else " nor anywhere in the chunk"
    return f"the quote does not stand at span {span[0]} to {span[1]}{elsewhere}"


def _shown(fields: Mapping[str, Any]) -> dict[str, Any]:
    keys = (QUOTE, "span", "page", CHUNK, SOURCE)
    return {key: fields[key] for key in keys if fields.get(key) is not None}
