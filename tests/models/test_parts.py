"""The files of models, hashed without loading a model: worked by hand."""

import hashlib
from pathlib import Path

import pytest

from steelyard.models.parts import Part, Place, adapter_hash, parts_here, tokenizer_hash


def sha(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def test_one_file_is_known_by_its_bytes(tmp_path: Path):
    file = tmp_path / "weights"
    file.write_bytes(b"abc")
    assert list(parts_here(f"gguf:{file}")) == [Part("model file", "revision", sha(b"abc"), file)]


@pytest.mark.parametrize("spec", ["openai:x", "python:a:b", "mock", "gguf:nowhere", "hf:nowhere+adapter=nowhere"])
def test_of_a_model_that_is_elsewhere_nothing_is_known(spec: str):
    assert not list(parts_here(spec))


def test_the_hash_of_a_folder_is_that_of_its_names_and_bytes(tmp_path: Path):
    (tmp_path / "adapter_config.json").write_bytes(b"{}")
    (tmp_path / "adapter_model.safetensors").write_bytes(b"w")
    (tmp_path / "README.md").write_bytes(b"anything")
    listing = f"adapter_config.json {sha(b'{}')}\nadapter_model.safetensors {sha(b'w')}\n"
    assert adapter_hash(tmp_path) == sha(listing.encode())


def test_a_tokenizer_is_with_the_adapter_else_beside_it_else_with_the_base(tmp_path: Path):
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    place = Place.of(f"base+adapter={adapter}")
    assert place.tokenizer == "base"
    for folder in (tmp_path / "tokenizer", adapter):
        folder.mkdir(exist_ok=True)
        (folder / "tokenizer_config.json").write_bytes(b"{}")
        assert place.tokenizer == str(folder)
    assert tokenizer_hash(adapter) == sha(f"tokenizer_config.json {sha(b'{}')}\n".encode())
