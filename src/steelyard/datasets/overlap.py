"""Rows of a dataset that a model would be tested on after it was trained on them."""

from __future__ import annotations

import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from steelyard.datasets.survey import rows_of
from steelyard.reading.references import input_text, item_id, reference_field, value_of
from steelyard.reading.rows import Row
from steelyard.records.datasets import DatasetFile, Manifest, OverlapCounts
from steelyard.records.items import FieldNames
from steelyard.text.tokens import normalise

# Texts of one set that stand, exactly or nearly, in another: 3-gram Jaccard with prefix filtering.
#
# Two sets of 3-grams that overlap by a share t have a member in common among the rarest (1 - t) of each (Bayardo,
# Ma and Srikant 2007), so a text is compared only with those that share such a rare 3-gram with it.


THRESHOLD = 0.8
_MOST_PAIRS = 500_000
"""More pairs than these are looked through for near ones only when that is asked for: it may take minutes."""
_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Overlap:
    """A text of the second set and the one of the first set that it is most like."""

    test: str
    train: str
    similarity: float

    def as_dict(self) -> dict[str, Any]:
        """Return the pair as JSON."""
        return asdict(self)


def overlaps(train: Sequence[tuple[str, str]], test: Sequence[tuple[str, str]], threshold: float) -> Iterator[Overlap]:
    """Yield, for each named text of `test`, the likest of `train` where that is at least as like as `threshold`.

    >>> list(overlaps([("a", "Name the capital of Peru.")], [("b", "name  the capital of peru.")], 0.8))
    [Overlap(test='b', train='a', similarity=1.0)]
    """
    known = [_grams(text) for _, text in train]
    frequency = Counter(gram for grams in known for gram in grams)
    index: dict[str, list[int]] = defaultdict(list)
    for number, grams in enumerate(known):
        for gram in _rarest(grams, frequency, threshold):
            index[gram].append(number)
    for name, text in test:
        grams = _grams(text)
        found = {number for gram in _rarest(grams, frequency, threshold) for number in index.get(gram, ())}
        best = max(((_jaccard(grams, known[number]), -number) for number in found), default=(0.0, 0))
        if found and best[0] >= threshold:
            yield Overlap(name, train[-best[1]][0], best[0])


def count_overlap(train: Sequence[tuple[str, str]], test: Sequence[tuple[str, str]]) -> OverlapCounts | None:
    """Return how far two sets overlap, in the time of one look at each row where they are large; None without both.

    >>> count_overlap([("a", "Name it."), ("b", "Go!")], [("c", "name  it")]).exact
    1
    """
    if not train or not test:
        return None
    if len(train) * len(test) <= _MOST_PAIRS:
        found = list(overlaps(train, test, THRESHOLD))
        near = sum(pair.similarity < 1 for pair in found)
    else:
        known = {normalise(text, "basic"): name for name, text in reversed(train)}
        same = [(name, known.get(normalise(text, "basic"))) for name, text in test]
        found, near = [Overlap(name, other, 1.0) for name, other in same if other is not None], None
    exact = sum(pair.similarity == 1 for pair in found)
    pairs = tuple((pair.test, pair.train) for pair in found[:_EXAMPLES])
    return OverlapCounts(len(train), len(test), exact, near, pairs)


def _rarest(grams: frozenset[str], frequency: Mapping[str, int], threshold: float) -> list[str]:
    ordered = sorted(grams, key=lambda gram: (frequency.get(gram, 0), gram))
    return ordered[: len(grams) - math.ceil(threshold * len(grams)) + 1]


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def _grams(text: str) -> frozenset[str]:
    folded = normalise(text, "basic")
    return frozenset(folded[start : start + 3] for start in range(max(1, len(folded) - 2)))


TEST_SPLITS = ("test", "val", "gold")
"""Which split an evaluation takes, in this order."""


@dataclass(frozen=True, slots=True)
class OverlapReport:
    """Rows that a model would be tested on after it was trained on them."""

    reference: str
    train_rows: int
    test_rows: int
    overlaps: list[Overlap]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        exact = sum(entry.similarity == 1 for entry in self.overlaps)
        return {
            "dataset": self.reference,
            "train_rows": self.train_rows,
            "test_rows": self.test_rows,
            "exact": exact,
            "near": len(self.overlaps) - exact,
            "overlaps": [entry.as_dict() for entry in self.overlaps],
        }


def with_overlap(folder: Path, manifest: Manifest) -> Manifest:
    """Return a manifest that says how far what is tested on overlaps with what is trained on."""
    if manifest.overlap is not None:
        return manifest
    found = count_overlap(texts_of(folder, manifest, ("train",)), texts_of(folder, manifest, TEST_SPLITS))
    return msgspec.structs.replace(manifest, overlap=found)


def tell_overlap(manifest: Manifest) -> None:
    """Warn of rows to test on that are trained on, or of near ones that were not looked for."""
    if manifest.overlap is not None and (manifest.overlap or manifest.overlap.near is None):
        is_kept = manifest.version.startswith("v")
        name = manifest.reference if is_kept else manifest.dataset_id
        listed = f"steelyard dataset check {name}" if is_kept else "steelyard dataset add` and `steelyard dataset check"
        warnings.warn(f"{name}: {manifest.overlap.told}; `{listed}` lists them", stacklevel=2)


def texts_of(folder: Path, manifest: Manifest, splits: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return what the rows of some splits ask, each with its place."""
    files = [entry for entry in manifest.files if entry.split in splits]
    return [(_place(entry, row), _text(row)) for entry, row in rows_of(folder, files)]


def _place(entry: DatasetFile, row: Row) -> str:
    return f"{entry.path}:{item_id(row.fields, FieldNames()) or row.line}"


def _text(row: Row) -> str:
    """Return what a row asks; rows that ask the same and expect something else are the same question."""
    found = input_text(row.fields, FieldNames())
    if found:
        return found
    named = reference_field(row.fields, FieldNames())
    return str(value_of(row.fields, named)) if named else ""
