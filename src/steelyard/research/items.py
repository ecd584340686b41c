"""Objectives as items of an ordinary run: one item for each golden query, and for whatever else runs were for.

The item's input is the objective, its reference the evidence that is required, its output what its runs claim. Each
metric of page 50 stands there as the objective's own ratio, beside its weight: the count it is a ratio of.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from steelyard.reading.ids import item_hash
from steelyard.records.blocks import ErrorTags, Floats, Labels, ScoredBlock
from steelyard.records.columns import WEIGHT
from steelyard.records.items import State
from steelyard.research.measures import RATIOS
from steelyard.research.objectives import Objective
from steelyard.research.report import objective_facts
from steelyard.research.wording import expected_text, explain, output_text, predicted_text

BLOCK_OBJECTIVES = 512
SHOWN_OBJECTIVES = 50
SHOWN_RUNS = 5
"""How many objectives, and runs of each, a report shows with claims and evidence; items and details have all."""
PRIMARY = "research_evidence"
DECISION = "evidence_decision"
SUFFICIENCY_TAG = "evidence"


def objective_blocks(objectives: Sequence[Objective], details: Path) -> Iterator[ScoredBlock]:
    """Yield the objectives as judged items, a few hundred at a time, with their runs' facts from the details file."""
    tagged = {key for found in objectives if found.entry is not None for key in found.entry.tags}
    tag_keys = sorted(tagged | {SUFFICIENCY_TAG})
    with details.open("rb") as stream:
        for start in range(0, len(objectives), BLOCK_OBJECTIVES):
            yield _block(start, objectives[start : start + BLOCK_OBJECTIVES], stream, tag_keys)


def _block(start: int, objectives: Sequence[Objective], stream: BinaryIO, tag_keys: Sequence[str]) -> ScoredBlock:
    return ScoredBlock(
        start=start,
        ids=[objective.identity for objective in objectives],
        lines=[start + place + 1 for place in range(len(objectives))],
        inputs=[objective.text for objective in objectives],
        item_hashes=[_hash(objective) for objective in objectives],
        states=Labels.of([_state(objective) for objective in objectives]),
        expected=[expected_text(objective) for objective in objectives],
        predicted=[predicted_text(objective) for objective in objectives],
        outputs=[_output(objective, stream) for objective in objectives],
        primary=np.array([objective.score for objective in objectives]),
        passed=np.array([objective.passed for objective in objectives]),
        scores=_scores(objectives),
        error_tags=ErrorTags.of([objective.error_tags for objective in objectives]),
        explain=[explain(objective) for objective in objectives],
        tags={key: Labels.of([objective_tag(objective, key) for objective in objectives]) for key in tag_keys},
    )


def _state(objective: Objective) -> State:
    if not objective.runs:
        return "missing"
    return "failed" if objective.unreadable else "scored"


def _hash(objective: Objective) -> str:
    entry = objective.entry
    if entry is None:
        return item_hash(objective.text, None)
    return item_hash(objective.text, [sorted(entry.required_ids), entry.sufficient])


def objective_tag(objective: Objective, key: str) -> str | None:
    """Return a tag of the golden query, or whether its evidence is sufficient; None outside the golden queries."""
    entry = objective.entry
    if entry is None:
        return None
    if key == SUFFICIENCY_TAG and key not in entry.tags:
        return "sufficient" if entry.sufficient else "insufficient"
    return entry.tags.get(key)


def _output(objective: Objective, stream: BinaryIO) -> str | None:
    """Return what the objective's runs found, as people read it."""
    found = [output_text(_facts(place, stream)) for place in objective.places]
    return "\n\n".join(found) if found else None


def _facts(place: int, stream: BinaryIO) -> dict[str, Any]:
    stream.seek(place)
    found: dict[str, Any] = json.loads(stream.readline())
    return found


def shown_objectives(objectives: Sequence[Objective], details: Path) -> dict[str, Any]:
    """Return the objectives with the lowest scores, with claims and evidence, for reports that cannot hold all."""
    lowest = sorted(objectives, key=lambda objective: objective.score)[:SHOWN_OBJECTIVES]
    listed = []
    with details.open("rb") as stream:
        for objective in lowest:
            runs = [_facts(place, stream) for place in objective.places[:SHOWN_RUNS]]
            listed.append({**objective_facts(objective), "run_facts": runs})
    return {"total": len(objectives), "listed": listed}


def _scores(objectives: Sequence[Objective]) -> dict[str, Floats]:
    decisions = [objective.decision for objective in objectives]
    found = {DECISION: np.array([np.nan if value is None else value for value in decisions])}
    for ratio in RATIOS:
        good = np.array([objective.counts[ratio.numerator] for objective in objectives], np.float64)
        total = np.array([objective.counts[ratio.denominator] for objective in objectives], np.float64)
        # A part of a whole that is zero is undefined, and NaN stands for that.
        found[ratio.name] = np.divide(good, total, out=np.full(len(total), np.nan), where=total > 0)
        found[ratio.name + WEIGHT] = total
    return found


def facts_line(facts: dict[str, object]) -> bytes:
    """Return the facts of one run as the line of the details file; lone surrogates stay escaped."""
    try:
        return json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(facts, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode() + b"\n"
