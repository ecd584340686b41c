"""What a folder of weights holds, looked at before any of it is loaded."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

from steelyard.errors import ConfigurationError, InputError, Problem, excerpt, quoted

# What a safetensors file says about itself: its header is held to the size of the file before it is loaded.
#
# The format is public: the header's length in eight bytes, the header as JSON, then the tensors. Each says its
# type, its shape and where it lies; together they cover the file.


LONGEST_HEADER = 100_000_000
"""The limit that the format's own library has."""
_METADATA = "__metadata__"


class _HeaderError(Exception):
    """The file is not what it claims to be."""


def tensor_names(path: Path) -> list[str]:
    """Return the names of the tensors in a file; one that is damaged is refused."""
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            start = stream.read(8)
            length = struct.unpack("<Q", start)[0] if len(start) == 8 else None
            if length is None or length > min(LONGEST_HEADER, size - 8):
                raise _HeaderError(f"the file has {size} bytes, and its header claims {length or 0}")
            return _names(_header(stream.read(length)), size - 8 - length)
    except (OSError, _HeaderError) as error:
        message = f"these weights are damaged: {error}"
        hint = "copy or download the file again; its size and hash are on its page"
        raise InputError(Problem("bad-model", message, hint=hint, file=str(path))) from None


def _header(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _HeaderError(f"its header is no JSON: {excerpt(str(error))}") from None
    if not isinstance(found, dict):
        raise _HeaderError("its header is no object")
    return {name: entry for name, entry in found.items() if name != _METADATA}


def _names(header: dict[str, Any], size: int) -> list[str]:
    """Return the names of the tensors, which lie one behind the other and fill the rest of the file."""
    end = 0
    for name, entry in sorted(header.items(), key=lambda pair: _place(*pair)):
        first, last = _place(name, entry)
        if first != end or last < first or last > size:
            raise _HeaderError(
                f"the tensor {excerpt(repr(name))} lies at {first} to {last}, expected {end} on, of {size}"
            )
        if (last > first) != (prod(_shape(name, entry)) > 0):
            raise _HeaderError(f"the tensor {excerpt(repr(name))} has a shape that is not its size")
        end = last
    if end != size:
        raise _HeaderError(f"its tensors have {end} bytes, and {size} are there")
    return list(header)


def _place(name: str, entry: Any) -> tuple[int, int]:
    return tuple(_counts(name, entry, "data_offsets", 2))  # type: ignore[return-value]


def _shape(name: str, entry: Any) -> list[int]:
    return _counts(name, entry, "shape", None)


def _counts(name: str, entry: Any, key: str, length: int | None) -> list[int]:
    found: Any = entry.get(key) if isinstance(entry, dict) else None
    fits = isinstance(found, list) and (length is None or len(found) == length)
    if fits and all(type(value) is int and 0 <= value < 1 << 48 for value in found):
        return list(found)
    raise _HeaderError(f"the tensor {excerpt(repr(name))} has no {key}")


_PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")
PICKLE_HINT = "convert it where you trust it: load it with transformers and save_pretrained(), which writes safetensors"


def check_weights(folder: Path) -> None:
    """Refuse a folder whose weights are a pickle or damaged, that needs code of its own, or is an adapter alone."""
    if (folder / "adapter_config.json").is_file() and not (folder / "config.json").is_file():
        hint = f"name its base: hf:BASE+adapter={folder}"
        raise ConfigurationError(Problem("bad-model", "this folder is an adapter, not a model", hint, str(folder)))
    config = _object(folder / "config.json", "name a folder that transformers saved")
    _refuse_remote_code(folder, config)
    _refuse_pickle(folder, "*.safetensors")
    _refuse_layers(folder, config, sum(len(tensor_names(file)) for file in folder.glob("*.safetensors")))


def check_adapter(folder: Path) -> None:
    """Refuse a folder that is no adapter, or whose weights are a pickle or damaged."""
    if not (folder / "adapter_config.json").is_file():
        message = "there is no adapter_config.json here, so this is no adapter"
        raise InputError(Problem("bad-model", message, hint="name the folder that peft saved", file=str(folder)))
    _refuse_pickle(folder, "adapter_model*.safetensors")
    for file in folder.glob("adapter_model*.safetensors"):
        tensor_names(file)


def adapter_task(folder: Path) -> str | None:
    """Return what task peft's configuration says that an adapter is for."""
    named = _object(folder / "adapter_config.json", "name the folder that peft saved").get("task_type")
    return named if isinstance(named, str) else None


def adapter_labels(file: Path) -> tuple[str, ...]:
    """Return the labels that a training of ours left beside its adapter."""
    found = _json(file, "train again: this file is the training's own")
    if isinstance(found, list) and found and all(isinstance(label, str) for label in found):
        return tuple(found)
    message = f"the labels are {excerpt(repr(found))}, expected a list of texts"
    raise InputError(Problem("bad-model", message, hint="train again: this file is the training's own", file=str(file)))


def _refuse_pickle(folder: Path, wanted: str) -> None:
    if any(folder.glob(wanted)):
        return
    pickles = sorted(path.name for pattern in _PICKLES for path in folder.glob(pattern))
    if pickles:
        message = f"the weights are a pickle ({excerpt(', '.join(pickles))}), which can run any code when it is loaded"
        raise ConfigurationError(Problem("unsafe-model", message, hint=PICKLE_HINT, file=str(folder)))
    message = f"there is no {wanted} here"
    raise InputError(Problem("bad-model", message, hint="is the folder whole?", file=str(folder)))


def _refuse_remote_code(folder: Path, config: dict[str, Any]) -> None:
    if not config.get("auto_map"):
        return
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING  # noqa: PLC0415 - an extra

    if config.get("model_type") not in CONFIG_MAPPING:
        message = f"the model type {quoted(str(config.get('model_type')))} needs code of its own"
        hint = "remote code is never run: use a model whose architecture is part of transformers"
        raise ConfigurationError(Problem("unsafe-model", message, hint=hint, file=str(folder)))


def _refuse_layers(folder: Path, config: dict[str, Any], tensors: int) -> None:
    """Refuse more layers than there are tensors: transformers would make them all before it looks for their weights."""
    for name, value in config.items():
        if "layer" in name and isinstance(value, int) and not isinstance(value, bool) and not -1 <= value <= tensors:
            message = f"config.json says that {quoted(name)} is {value}, and there are {tensors} tensors"
            hint = "does config.json belong to these weights?"
            raise InputError(Problem("bad-model", message, hint=hint, file=str(folder)))


def _object(file: Path, hint: str) -> dict[str, Any]:
    found = _json(file, hint)
    if isinstance(found, dict):
        return found
    message = f"{file.name} holds {excerpt(repr(found))}, expected an object"
    raise InputError(Problem("bad-model", message, hint=hint, file=str(file.parent)))


def _json(file: Path, hint: str) -> Any:
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        message = f"{file.name} cannot be read: {excerpt(str(error))}"
        raise InputError(Problem("bad-model", message, hint=hint, file=str(file.parent))) from None


# Whether a loaded model computes anything: weights that are all there, and logits that are numbers.


_PROBE_LENGTH = 8


def probe(model: Any, torch: Any) -> Any:
    """Return the logits on a fixed sequence of tokens."""
    vocabulary = model.config.get_text_config().vocab_size
    tokens = torch.arange(_PROBE_LENGTH).remainder(max(vocabulary, 1)).unsqueeze(0).to(model.device)
    inputs = {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}
    if getattr(model.config, "is_encoder_decoder", False):
        inputs["decoder_input_ids"] = tokens
    with torch.no_grad():
        return model.eval()(**inputs).logits


def check_logits(name: str, model: Any, torch: Any) -> Any:
    """Return the logits on a fixed sequence of tokens; weights that compute none, or no numbers, are refused."""
    try:
        logits = probe(model, torch)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a configuration that does not fit makes torch raise what it comes upon
        message = f"{excerpt(name)} cannot compute: {excerpt(f'{type(error).__name__}: {error}')}"
        hint = "does config.json belong to these weights?"
        raise ConfigurationError(Problem("bad-model", message, hint=hint)) from None
    if logits.isnan().any():
        message = f"{excerpt(name)} computes NaN where it should compute logits"
        raise ConfigurationError(Problem("bad-model", message, hint="are the weights whole, and of this architecture?"))
    return logits


def refuse_missing(base: str, report: Mapping[str, Any]) -> None:
    """Refuse weights that are not there: transformers would fill them with random numbers."""
    missing = sorted(map(str, report.get("missing_keys", ())))
    if missing:
        message = f"{excerpt(base)} lacks {len(missing)} of its weights, such as {quoted(missing[0])}"
        hint = "is the folder whole? does config.json belong to these weights?"
        raise ConfigurationError(Problem("bad-model", message, hint=hint))
