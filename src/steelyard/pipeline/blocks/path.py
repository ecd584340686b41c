"""Which evaluations go by columns, and their way through: read blocks, judge them, notice ids that stand twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from steelyard.pipeline.blocks.judging import BlockJudge, Content
from steelyard.pipeline.blocks.pairing import are_in_step, contents_of
from steelyard.pipeline.blocks.workers import judged_by_threads
from steelyard.pipeline.items.reading import Source
from steelyard.pipeline.judging.items import Judge
from steelyard.pipeline.recording.journal import StoredJournal
from steelyard.reading.columns.scan import scan_loop
from steelyard.reading.rows import format_of
from steelyard.records.blocks import ScoredBlock
from steelyard.text.kernels.labels import text_hashes
from steelyard.text.kernels.writing import gathered

SMALLEST_FILE = 1 << 20
"""Below this many bytes the item form is done before the loops are loaded."""
SMALLEST_COLD_FILE = 64 << 20
"""The same where this machine has not compiled the loops yet, which takes about as long as the item form takes here."""
PLAIN_SHARE = 0.5
"""Where fewer rows than this are plain, reading them twice costs more than it saves."""


def block_path(
    judge: Judge, source: Source, journal: StoredJournal | None, *, smallest: int = SMALLEST_FILE
) -> Iterator[ScoredBlock] | None:
    """Return the judged blocks of a dataset, or None where its rows take the item form."""
    size = source.dataset.stat().st_size if _is_eligible(judge, source) else -1
    if size < smallest or (smallest > 0 and size < SMALLEST_COLD_FILE and not scan_loop.is_kept()):
        return None
    if source.predictions is not None and not are_in_step(source):
        return None
    contents = contents_of(source)
    first = next(contents, None)
    if first is None or BlockJudge(judge, source, journal).plain_share(first) < PLAIN_SHARE:
        return None
    return _judged(judge, source, journal, chain([first], contents))


def _is_eligible(judge: Judge, source: Source) -> bool:
    if source.quarantine is not None or not source.selection.is_whole or source.limits.max_depth < 3:
        return False
    files = [source.dataset, *([source.predictions] if source.predictions else [])]
    if any(format_of(path) not in (".jsonl", ".ndjson") for path in files):
        return False
    if source.elsewhere:
        return False
    return all(
        judgement.answer_type is not None and judgement.choices_of is None and not judgement.extracts_reference
        for judgement in judge.judgements
    )


def _judged(
    judge: Judge, source: Source, journal: StoredJournal | None, contents: Iterator[Content]
) -> Iterator[ScoredBlock]:
    hashes = []
    for content in judged_by_threads(lambda: BlockJudge(judge, source, journal), contents, source.workers):
        source.problems.merge(content.reading)
        judge.problems.merge(content.judging)
        hashes.append(text_hashes(content.block.ids))
        if journal is not None:
            journal.append(gathered(content.block.journal).data.tobytes())
        yield replace(content.block.scored, start=source.n_items)
        source.n_items += len(content.block)
    ordered = np.sort(np.concatenate(hashes)) if hashes else np.empty(0, np.int64)
    if (ordered[1:] == ordered[:-1]).any():
        source.report_duplicates()
