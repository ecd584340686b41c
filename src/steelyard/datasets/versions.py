"""Datasets with versions: add, list, show, diff, check, and `name@v2` wherever a data path is asked for."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.datasets.overlap import TEST_SPLITS, OverlapReport, overlaps, tell_overlap, texts_of, with_overlap
from steelyard.datasets.paths import REFERENCE
from steelyard.datasets.shipped import PREFIX, is_shipped, shipped_file
from steelyard.datasets.storage import (
    check_dataset_name,
    dataset_names,
    dataset_roots,
    not_found,
    now_text,
    version_folders,
    write_version,
)
from steelyard.datasets.survey import Survey, data_files, read_manifest, rows_of, survey, verify
from steelyard.errors import InputError, Problem
from steelyard.reading.ids import item_hash
from steelyard.reading.references import item_id
from steelyard.records.datasets import Manifest
from steelyard.records.items import FieldNames


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a dataset whose bytes were checked."""

    folder: Path
    manifest: Manifest

    def file(self, split: str | None = None) -> Path:
        """Return the one file of a split; without a split, of the first one that can be tested on."""
        wanted = (split,) if split else TEST_SPLITS
        for name in wanted:
            found = [entry for entry in self.manifest.files if entry.split == name]
            if len(found) == 1:
                return self.folder / found[0].path
        if split is None and len(self.manifest.files) == 1:
            return self.folder / self.manifest.files[0].path
        splits = ", ".join(f"{entry.path} ({entry.split})" for entry in self.manifest.files)
        message = f"{self.manifest.reference} has not one file of split {' or '.join(wanted)}; it has {splits}"
        hint = f"name the split: {self.manifest.reference}#{self.manifest.files[0].split}"
        raise InputError(Problem("dataset-not-found", message, hint=hint))


def add_dataset(place: Path, name: str) -> tuple[Manifest, bool]:
    """Make a version of a file or folder; return its manifest and whether it is a new one."""
    check_dataset_name(name)
    found = survey(place)
    folders = version_folders(name)
    for folder in folders:
        manifest = read_manifest(folder)
        if manifest.content_hash == found.content_hash:
            return manifest, False
    latest = int(folders[-1].name[1:]) if folders else 0
    base = place if place.is_dir() else place.parent
    manifest = with_overlap(base, _manifest(name, f"v{latest + 1}", found))
    write_version(dataset_roots()[0], base, data_files(place), manifest)
    tell_overlap(manifest)
    return manifest, True


def _manifest(name: str, version: str, found: Survey) -> Manifest:
    tags = {key: dict(sorted(found.tags[key].items())) for key in sorted(found.tags)}
    return Manifest(
        dataset_id=name,
        version=version,
        format=found.format,
        task=found.task,
        num_rows=found.num_rows,
        content_hash=found.content_hash,
        created_at=now_text(),
        files=found.files,
        tag_keys=tuple(tags),
        tag_schema={key: list(values) for key, values in tags.items()},
        tag_distribution=tags,
    )


def manifest_from_survey(name: str, found: Survey) -> Manifest:
    """Return the manifest of plain files, whose version is their content."""
    return _manifest(name, found.content_hash, found)


def list_datasets() -> list[Manifest]:
    """Return the manifest of every version of every dataset."""
    return [manifest for name in dataset_names() for folder in version_folders(name) for manifest in _whole(folder)]


def _whole(folder: Path) -> Iterator[Manifest]:
    """Yield a version's manifest; one that is damaged is told and passed over."""
    try:
        yield read_manifest(folder)
    except InputError as error:
        warnings.warn(f"{folder} is passed over: {error.problems[0].in_one_line}", stacklevel=2)


def find_version(reference: str) -> Version:
    """Return a version by `name@v2` or `name@sha256:…`, its bytes held to its manifest, or a set that ships."""
    if is_shipped(reference):
        file = shipped_file(reference)
        return Version(file.parent, manifest_from_survey(reference.removeprefix(PREFIX), survey(file)))
    named = REFERENCE.fullmatch(reference)
    if named is None:
        raise not_found(reference)
    for folder in version_folders(named["name"]):
        manifest = read_manifest(folder)
        if named["version"] == manifest.version or manifest.content_hash.startswith(named["version"]):
            verify(folder, manifest)
            return Version(folder, manifest)
    raise not_found(reference)


@dataclass(frozen=True, slots=True)
class DatasetDiff:
    """What changed from one version to another."""

    before: Manifest
    after: Manifest
    added: list[str]
    removed: list[str]
    changed: list[str]
    tag_shift: Mapping[str, Mapping[str, tuple[int, int]]]
    """By tag and value: how many rows before and after, where these differ."""

    def as_dict(self) -> dict[str, Any]:
        """Return the difference as JSON."""
        return {
            "before": self.before.reference,
            "after": self.after.reference,
            "added": self.added,
            "removed": self.removed,
            "changed": self.changed,
            "tag_shift": {
                key: {value: list(pair) for value, pair in found.items()} for key, found in self.tag_shift.items()
            },
        }


def diff_datasets(before: str, after: str) -> DatasetDiff:
    """Compare two versions row by row; rows are known by their id, or by their content where they have none."""
    first, second = find_version(before), find_version(after)
    one, other = _rows(first), _rows(second)
    changed = sorted(key for key in one.keys() & other.keys() if one[key] != other[key])
    return DatasetDiff(
        before=first.manifest,
        after=second.manifest,
        added=sorted(other.keys() - one.keys()),
        removed=sorted(one.keys() - other.keys()),
        changed=changed,
        tag_shift=_shift(first.manifest.tag_distribution, second.manifest.tag_distribution),
    )


def _rows(version: Version) -> dict[str, str]:
    found: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for entry, row in rows_of(version.folder, version.manifest.files):
        content = item_hash("", row.fields)
        key = f"{entry.split}:{item_id(row.fields, FieldNames()) or content}"
        seen[key] += 1
        found[key if seen[key] == 1 else f"{key} ({seen[key]})"] = content
    return found


def _shift(
    before: Mapping[str, Mapping[str, int]], after: Mapping[str, Mapping[str, int]]
) -> dict[str, dict[str, tuple[int, int]]]:
    shift: dict[str, dict[str, tuple[int, int]]] = {}
    for key in sorted({*before, *after}):
        one, other = before.get(key, {}), after.get(key, {})
        pairs = {value: (one.get(value, 0), other.get(value, 0)) for value in sorted({*one, *other})}
        differing = {value: pair for value, pair in pairs.items() if pair[0] != pair[1]}
        if differing:
            shift[key] = differing
    return shift


def check_dataset(reference: str, *, threshold: float) -> OverlapReport:
    """Find rows of the training split that stand, exactly or nearly, in what is tested on."""
    version = find_version(reference)
    train, test = (texts_of(version.folder, version.manifest, splits) for splits in (("train",), TEST_SPLITS))
    if not train or not test:
        message = f"{reference} has {len(train)} rows to train and {len(test)} to test on; overlap needs both"
        hint = "name the files train.jsonl and test.jsonl (or val, gold)"
        raise InputError(Problem("no-items", message, hint=hint))
    return OverlapReport(version.manifest.reference, len(train), len(test), list(overlaps(train, test, threshold)))
