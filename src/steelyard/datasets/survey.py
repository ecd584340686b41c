"""Files that are to become a version of a dataset, and versions whose bytes are held to their manifest."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from steelyard.errors import InputError, Problem, Problems, excerpt
from steelyard.reading.ids import PREFIX, sha256_file
from steelyard.reading.packed import SUFFIXES
from steelyard.reading.references import TRAINING_FIELDS, tags_of
from steelyard.reading.rows import FORMATS, Row, format_of, read_rows
from steelyard.records.datasets import DATASET_FORMAT, DatasetFile, Manifest
from steelyard.records.encoded import UNREADABLE, refuse_not_utf8
from steelyard.records.runs import MANIFEST_FILE

_SPLIT = re.compile(r"(?:^|[._-])(train|training|test|val|valid|validation|dev|gold)(?:[._-]|$)", re.IGNORECASE)
_SPLIT_NAMES = {"training": "train", "valid": "val", "validation": "val", "dev": "val"}


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found in the files of a dataset-to-be."""

    files: tuple[DatasetFile, ...]
    format: str
    task: str
    tags: dict[str, Counter[str]]

    @property
    def num_rows(self) -> int:
        """How many rows all files have."""
        return sum(file.num_rows for file in self.files)

    @property
    def content_hash(self) -> str:
        """One hash of all files by name and bytes."""
        listing = "".join(f"{file.path}\0{file.sha256}\n" for file in self.files)
        return PREFIX + hashlib.sha256(listing.encode()).hexdigest()


def data_files(place: Path) -> list[Path]:
    """Return the data files of a folder, or the one file that was named, in order of their names."""
    if place.is_file():
        return [place]
    if not place.is_dir():
        raise InputError(Problem("missing-file", "there is no such file or folder", file=str(place)))
    found = [path for path in sorted(place.rglob("*")) if path.is_file() and _is_data(path, place)]
    for path in found:
        refuse_not_utf8(path, "the path")
    if not found:
        hint = f"formats are {', '.join(FORMATS)}, plain or compressed"
        raise InputError(Problem("no-items", "the folder has no data files", hint=hint, file=str(place)))
    return found


def _is_data(path: Path, place: Path) -> bool:
    inner = path.relative_to(place)
    if any(part.startswith(".") for part in inner.parts) or path.name == MANIFEST_FILE:
        return False
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in SUFFIXES]
    return bool(suffixes) and suffixes[-1] in FORMATS


def survey(place: Path) -> Survey:
    """Read every row of a dataset-to-be; bad rows are refused, all listed."""
    problems = Problems()
    files, tasks, tags = [], Counter[str](), dict[str, Counter[str]]()
    paths = data_files(place)
    base = place if place.is_dir() else place.parent
    for path in paths:
        rows = 0
        for row in read_rows(path, problems):
            rows += 1
            tasks[task_of(row)] += 1
            _count(tags, row, path, problems)
        files.append(
            DatasetFile(str(path.relative_to(base)), split_of(path, alone=len(paths) == 1), rows, sha256_file(path))
        )
    problems.raise_if_any()
    formats = {format_of(path).lstrip(".") for path in paths}
    task = next(iter(tasks)) if len(tasks) == 1 else "evaluation"
    return Survey(tuple(files), formats.pop() if len(formats) == 1 else "mixed", task, tags)


def _count(tags: dict[str, Counter[str]], row: Row, path: Path, problems: Problems) -> None:
    found = tags_of(row.fields)
    if isinstance(found, Problem):
        problems.add(Problem(found.code, found.message, found.hint, str(path), row.line))
        return
    for key, value in found.items():
        tags.setdefault(key, Counter())[value] += 1


def split_of(path: Path, *, alone: bool) -> str:
    """Return the split that a file's name tells; a file that is alone and tells none is what is tested on.

    >>> split_of(Path("data/train.jsonl"), alone=False), split_of(Path("eval_v2.jsonl"), alone=True)
    ('train', 'test')
    """
    named = _SPLIT.search(path.name.split(".jsonl", maxsplit=1)[0])
    if named is None:
        return "test" if alone else path.name.split(".", maxsplit=1)[0]
    word = named[1].lower()
    return _SPLIT_NAMES.get(word, word)


def task_of(row: Row) -> str:
    """Return what a row is for: seed 001's two training formats, else evaluation."""
    for task, names in zip(("sft", "classification"), TRAINING_FIELDS, strict=True):
        if all(name in row.fields for name in names):
            return task
    return "evaluation"


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a version."""
    file = folder / MANIFEST_FILE
    try:
        found = msgspec.json.decode(file.read_bytes(), type=Manifest)
    except (OSError, *UNREADABLE) as error:
        message = f"the manifest cannot be read: {excerpt(str(error))}"
        hint = "add the data again; a version is never changed by hand"
        raise InputError(Problem("hash-mismatch", message, hint=hint, file=str(file))) from None
    if found.format_version > DATASET_FORMAT:
        message = f"the dataset has format {found.format_version}, and this version reads up to {DATASET_FORMAT}"
        hint = "a newer Steelyard added it: use that version, or a newer one"
        raise InputError(Problem("newer-format", message, hint=hint, file=str(file)))
    return found


def verify(folder: Path, manifest: Manifest) -> None:
    """Refuse a version of which a byte has changed since it was added."""
    problems = Problems()
    for entry in manifest.files:
        path = folder / entry.path
        found = sha256_file(path) if path.is_file() else "nothing"
        if found != entry.sha256:
            message = f"the file's hash is {found}, the manifest of {manifest.reference} says {entry.sha256}"
            hint = "bring the file back as it was, or add the data as a version of its own"
            problems.add(Problem("hash-mismatch", message, hint=hint, file=str(path)))
    problems.raise_if_any()


def rows_of(folder: Path, files: Iterable[DatasetFile]) -> Iterator[tuple[DatasetFile, Row]]:
    """Yield the rows of some files of a version."""
    problems = Problems()
    for entry in files:
        for row in read_rows(folder / entry.path, problems):
            yield entry, row
    problems.raise_if_any()
