"""The libraries and the data that some checks need: where they are, which versions, and what to do without them."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from steelyard.errors import ConfigurationError, Problem
from steelyard.extras import needed

LIBRARIES = ("langdetect", "nltk")
PUNKT = "tokenizers/punkt_tab/english"
_PUNKT_FILES = ("abbrev_types.txt", "collocations.tab", "ortho_context.tab", "sent_starters.txt")
_CARRIER = "llama_index.core"
"""A package whose wheel carries NLTK's data, for machines that reach a package index and not NLTK's server."""


def library(module: str) -> Any:
    """Return a module of a library, or say how to get it."""
    return needed(module, extra="instructions", what="instructions about sentences and languages")


@cache
def punkt_folder() -> Path:
    """Return the folder with the English parameters of NLTK's sentence tokenizer."""
    places = [Path(place) for place in library("nltk.data").path]
    found = next((place / PUNKT for place in (*places, *_carried()) if (place / PUNKT).is_dir()), None)
    if found is None:
        message = "instructions about sentences need NLTK's punkt_tab, which is not there"
        hint = "python -m nltk.downloader punkt_tab, or pip install --no-deps llama-index-core, whose wheel carries it"
        raise ConfigurationError(Problem("missing-extra", message, hint=hint))
    return found


def _carried() -> list[Path]:
    try:
        spec = find_spec(_CARRIER)
    except ModuleNotFoundError:
        return []
    return [Path(spec.origin).parent / "_static" / "nltk_cache"] if spec is not None and spec.origin else []


@cache
def library_versions() -> dict[str, str]:
    """Return what can change a verdict besides our own code: versions of libraries, and a digest of their data."""
    digest = hashlib.sha256()
    for name in _PUNKT_FILES:
        digest.update((punkt_folder() / name).read_bytes())
    return {name: _version(name) for name in LIBRARIES} | {"punkt": digest.hexdigest()[:12]}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        library(name)
        raise
