"""Conversations and their stored traces from files: strict, with line numbers, in memory that does not grow."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from steelyard.conversations.dataset import ConversationError, Sample, draw, read_conversation
from steelyard.conversations.traces import TraceError, read_turn, turn_rows
from steelyard.errors import InputError, Problem, Problems
from steelyard.items.joined import join_predictions
from steelyard.reading.ids import IdLedger
from steelyard.reading.json_files import read_document
from steelyard.reading.lines import BOM, open_plain
from steelyard.reading.rows import FORMATS, Row, read_rows
from steelyard.records.conversations import Conversation, TurnTrace
from steelyard.secrets import hidden, warn_of_plain_secrets

Pair: TypeAlias = tuple[Conversation, list[TurnTrace | None]]

_HINT = "expected ConvFinQA's shape: id, doc, dialogue{conv_questions, conv_answers, …}, features"
_EVAL = "rows that are no conversations are judged by `steelyard eval`"


@dataclass(slots=True)
class ConversationSource:
    """Where conversations come from, which of them are wanted, and what was noticed while reading."""

    dataset: Path
    sample: Sample | None = None
    problems: Problems = field(default_factory=Problems)
    unknown_ids: list[tuple[str, int]] = field(default_factory=list)
    unknown_total: int = 0

    @classmethod
    def open(cls, dataset: Path, sample_size: int | None, seed: int) -> ConversationSource:
        """Return a source; a sample needs to see all conversations before it keeps one."""
        warn_of_plain_secrets()
        source = cls(dataset)
        if sample_size is None:
            return source
        every = ((one.id, (len(one.turns), one.has_type2_question)) for one in source.conversations())
        sample = draw(every, sample_size, seed)
        source.problems.raise_if_any()
        return cls(dataset, sample)

    def conversations(self) -> Iterator[Conversation]:
        """Yield the wanted conversations in the order of the dataset."""
        ledger = IdLedger()
        for row in read_rows(self.dataset, self.problems, mapping_field=None):
            conversation = self._conversation(row)
            if conversation is None:
                continue
            ledger.add(conversation.id)
            if self.sample is None or conversation.id in self.sample.chosen:
                yield conversation
        ledger.report(self.problems, str(self.dataset), self._ids_again)

    def count(self) -> tuple[int, int]:
        """Return how many conversations and turns are wanted, every row checked."""
        sizes = Counter(len(one.turns) for one in self.conversations())
        self.problems.raise_if_any()
        return sizes.total(), sum(size * times for size, times in sizes.items())

    def _conversation(self, row: Row) -> Conversation | None:
        try:
            return read_conversation(hidden(row.fields), row.line)
        except ConversationError as error:
            hint = _HINT if "dialogue" in row.fields else f"{_HINT}; {_EVAL}"
            problem = Problem("bad-conversation", str(error), hint=hint, file=str(self.dataset), line=row.line)
            self.problems.add(problem)
            return None

    def _ids_again(self) -> Iterator[tuple[str, int]]:
        for row in read_rows(self.dataset, Problems(), mapping_field=None):
            yield str(row.fields.get("id")), row.line

    def with_traces(self, traces: Path) -> Iterator[Pair]:
        """Yield each conversation with the turns that the traces have of it."""
        turns = ((one.turn_id(turn.index), one) for one in self.conversations() for turn in one.turns)
        joined = join_predictions(turns, self._rows(traces), problems=self.problems, file=str(traces))
        for conversation, pairs in groupby(joined, key=lambda pair: pair[0]):
            rows = [row for _, row in pairs]
            yield conversation, [None if row is None else self._turn(row, traces) for row in rows]
        self.unknown_ids, self.unknown_total = joined.unknown, joined.unknown_total

    def _rows(self, traces: Path) -> Iterator[tuple[str, Row]]:
        passed_over: Container[str] = self.sample.passed_over if self.sample else ()
        for file in trace_files(traces):
            for row in _file_rows(file, self.problems):
                yield from self._turn_rows(row, file, passed_over)

    def _turn_rows(self, row: Row, file: Path, passed_over: Container[str]) -> Iterator[tuple[str, Row]]:
        flat = row.fields.get("turns") is None
        try:
            for conversation, index, fields in turn_rows(row.fields):
                if conversation not in passed_over:
                    yield f"{conversation}#{index}", Row(row.line, fields, row.raw if flat else None)
        except TraceError as error:
            self._bad_trace(error, row, file)

    def _turn(self, row: Row, traces: Path) -> TurnTrace | None:
        try:
            found = hidden(row.fields)
            trace = read_turn(found)
            return trace if found is row.fields else replace(trace, held_key=True)
        except TraceError as error:
            self._bad_trace(error, row, traces)
            return None

    def _bad_trace(self, error: TraceError, row: Row, file: Path) -> None:
        hint = "page `reference/conversations` shows the shape of a trace"
        self.problems.add(Problem("bad-trace", str(error), hint=hint, file=str(file), line=row.line))


def trace_files(traces: Path) -> Iterator[Path]:
    """Yield the files of traces: one file, or all of a folder in the order of their names."""
    if not traces.is_dir():
        yield traces
        return
    endings = tuple(f"{kind}{packed}" for kind in FORMATS[:3] for packed in ("", ".gz", ".zst"))
    # One text, since a folder may have a file for each of a million conversations.
    names = "/".join(sorted(file.name for file in traces.iterdir() if file.name.lower().endswith(endings)))
    if not names:
        hint = "give a folder of trace files, or one JSONL file"
        raise InputError(
            Problem("missing-file", "there are no .json or .jsonl files here", hint=hint, file=str(traces))
        )
    for found in re.finditer("[^/]+", names):
        yield traces / found[0]


def _file_rows(file: Path, problems: Problems) -> Iterable[Row]:
    """Yield the rows of a file of traces; a JSON file may hold one trace, which is no list of rows."""
    if file.suffix.lower() == ".json" and not _is_list(file):
        whole = read_document(file)
        if isinstance(whole, dict) and ("turns" in whole or "turn_idx" in whole):
            return [Row(1, whole, None)]
    return read_rows(file, problems, mapping_field=None)


def _is_list(file: Path) -> bool:
    """Return whether a JSON file holds a list, whose rows can be read one by one."""
    with open_plain(file) as stream:
        return stream.read(64).removeprefix(BOM).lstrip().startswith(b"[")
