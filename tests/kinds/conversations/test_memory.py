"""What a run of conversations keeps in memory for each turn: some bytes, not its answer, its trace or its scores."""

import gc
import sys
import tracemalloc
from pathlib import Path

import pytest

from steelyard.kinds.conversations import deriving
from steelyard.kinds.conversations import files as names
from steelyard.kinds.conversations.options import ConversationOptions
from steelyard.kinds.conversations.order import evaluate_conversations
from steelyard.runs.places import Watching
from steelyard.stats import binning, cluster_counts
from steelyard.store import items

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench"))

from rows.conversation_runs import write_conversations

MOST_BYTES = 80
"""Keeping columns of a turn's scores takes some 200 bytes, its trace some thousands; an index on disk takes 21."""


def kept(folder, turns, **options):
    """Return how many bytes are held towards the end, when buffers are as full as they get, and the number of turns."""
    folder.mkdir()
    write_conversations(folder, turns)
    held = []

    def progress(done):
        gc.collect()
        held.append((tracemalloc.get_traced_memory()[0], done))

    given = ConversationOptions(
        dataset=folder / "dataset.jsonl", traces=folder / "traces.jsonl", runs_dir=folder, plots=False, **options
    )
    evaluate_conversations(given, Watching(judged=progress))
    return max(held[-12:])[0], held[-1][1]


@pytest.fixture
def small_blocks(monkeypatch):
    """Let a few thousand turns be many blocks, of which a run may hold one, and fill every buffer."""
    monkeypatch.setattr(deriving, "BLOCK_CONVERSATIONS", 64)
    monkeypatch.setattr(items, "_ROWS_IN_GROUP", 256)
    monkeypatch.setattr(binning, "_PENDING", 256)
    monkeypatch.setattr(cluster_counts, "_PENDING", 2)
    monkeypatch.setattr(names, "_RECENT", 64)


@pytest.mark.usefixtures("small_blocks")
def test_memory_hardly_grows_with_the_turns_of_a_run(tmp_path):
    tracemalloc.start()
    try:
        kept(tmp_path / "warm", 500)
        (few, fewer), (many, more) = kept(tmp_path / "few", 1_200), kept(tmp_path / "many", 6_000)
    finally:
        tracemalloc.stop()
    assert (many - few) / (more - fewer) < MOST_BYTES


@pytest.mark.usefixtures("small_blocks")
def test_memory_hardly_grows_with_the_turns_a_sample_is_drawn_from(tmp_path):
    tracemalloc.start()
    try:
        kept(tmp_path / "warm", 500, sample_size=50)
        few, many = (kept(tmp_path / str(turns), turns, sample_size=50)[0] for turns in (1_000, 5_000))
    finally:
        tracemalloc.stop()
    assert (many - few) / 4_000 < MOST_BYTES
