"""What seed 004 writes beside the items of a run: four tables, the statistics and one trace a conversation."""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeVar

import msgspec
import numpy as np

from steelyard.conversations.tables import (
    ERRORS,
    SUMMARY,
    TURNS,
    VALIDATION,
    csv_lines,
    error_rows,
    summary_row,
    turn_row,
    validation_rows,
)
from steelyard.conversations.trace_files import trace_content, turn_content
from steelyard.conversations.traces import trace_name
from steelyard.records.conversations import Conversation, JudgedConversation, TurnTrace
from steelyard.records.runs import JOURNAL_FILE
from steelyard.show.conversation_plots import conversation_plots
from steelyard.store.files import json_bytes, json_line, machine_errors, replacing, write_bytes

# Names of files that a run has already, a few bytes each: there may be one for each of a million conversations.


_RECENT = 8192


class TakenNames:
    """Names whatever their case, since some file systems do not tell it apart.

    A name is known by a 64-bit hash, the same in every process. Two names of one hash would cost the second its plain
    name, never its file.

    >>> names = TakenNames()
    >>> names.take("One"), names.take("one"), names.take("two")
    (True, False, True)
    """

    def __init__(self) -> None:
        self._sorted = array("Q")
        self._recent: set[int] = set()

    def take(self, name: str) -> bool:
        """Return whether a name is free, and take it."""
        digest = hashlib.blake2b(name.lower().encode("utf-8", "surrogatepass"), digest_size=8).digest()
        key = int.from_bytes(digest, "big")
        if key in self._recent or self._is_settled(key):
            return False
        self._recent.add(key)
        if len(self._recent) >= _RECENT:
            self._settle()
        return True

    def _is_settled(self, key: int) -> bool:
        place = bisect_left(self._sorted, key)
        return place < len(self._sorted) and self._sorted[place] == key

    def _settle(self) -> None:
        recent = np.fromiter(self._recent, np.uint64, len(self._recent))
        united = np.sort(np.concatenate((np.asarray(self._sorted, np.uint64), recent)))
        self._sorted, self._recent = array("Q", united.tobytes()), set()


T = TypeVar("T", bound=Sequence[TurnTrace | None])

_HEADERS = {"summary.csv": SUMMARY, "turns.csv": TURNS, "validation.csv": VALIDATION, "errors.csv": ERRORS}
STATISTICS_FILE = "eval/statistics.json"
TRACES = "eval/traces"
PLOTS = "eval/plots"


class ConversationFiles:
    """Writes the tables and traces of a run as conversations are judged; memory holds one block."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._open = ExitStack()
        self._streams: dict[str, BinaryIO] = {}
        self._names = TakenNames()

    def __enter__(self) -> Self:
        with machine_errors(self._run):
            (self._run / TRACES).mkdir(exist_ok=True)
        for name, header in _HEADERS.items():
            self._streams[name] = self._open.enter_context(replacing(self._run / "eval" / name))
            self._streams[name].write(csv_lines([header]))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def write(self, judged: Sequence[JudgedConversation]) -> None:
        """Append a block of conversations."""
        tables = {
            "summary.csv": [summary_row(entry) for entry in judged],
            "turns.csv": [turn_row(entry, turn) for entry in judged for turn in entry.turns],
            "validation.csv": [row for entry in judged for row in validation_rows(entry)],
            "errors.csv": [row for entry in judged for row in error_rows(entry)],
        }
        for name, rows in tables.items():
            self._streams[name].write(csv_lines(rows))
        with machine_errors(self._run):
            for entry in judged:
                (self._run / TRACES / self._file_name(entry)).write_bytes(_trace_bytes(trace_content(entry)))

    def _file_name(self, judged: JudgedConversation) -> str:
        """Return a file of its own for each trace, also where two traces have one id."""
        name = trace_name(judged.trace_id)
        if not self._names.take(name):
            name = trace_name(f"{judged.trace_id}/{judged.conversation.id}")
            self._names.take(name)
        return f"{name}.json"


def _trace_bytes(content: Mapping[str, Any]) -> bytes:
    """Return a trace as JSON; msgspec indents ten times as fast, and refuses lone surrogates."""
    try:
        return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"
    except UnicodeEncodeError:
        return json_bytes(content)


def write_statistics(run: Path, statistics: Mapping[str, Any]) -> None:
    """Write `statistics.json`."""
    write_bytes(run / STATISTICS_FILE, json_bytes(statistics))


def write_plots(run: Path, statistics: Mapping[str, Any]) -> None:
    """Draw accuracy against turns and operations."""
    with machine_errors(run):
        (run / PLOTS).mkdir(exist_ok=True)
    for name, content in conversation_plots(statistics):
        write_bytes(run / PLOTS / name, content)


class ConversationJournal:
    """`predictions.jsonl`: one line a turn, itself a file of traces that can be evaluated again."""

    def __init__(self, run: Path) -> None:
        self._replacing = replacing(run / JOURNAL_FILE)

    def __enter__(self) -> Self:
        self._stream = self._replacing.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._replacing.__exit__(kind, error, trace)

    def kept(self, pairs: Iterable[tuple[Conversation, T]]) -> Iterator[tuple[Conversation, T]]:
        """Yield conversations with their turns, each after its turns are written."""
        for conversation, traces in pairs:
            lines = [json_line(journal_entry(conversation, trace)) for trace in traces if trace is not None]
            self._stream.write(b"".join(lines))
            yield conversation, traces


def journal_entry(conversation: Conversation, trace: TurnTrace) -> dict[str, Any]:
    """Return the journal's line of one turn."""
    return {
        "item_id": conversation.turn_id(trace.turn_idx),
        "conversation_id": conversation.id,
        "turn_idx": trace.turn_idx,
        **({"trace_id": trace.trace_id} if trace.trace_id is not None else {}),
        **({"state": "failed"} if trace.error is not None else {}),
        **turn_content(trace),
    }
