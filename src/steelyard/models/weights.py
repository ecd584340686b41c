"""What a folder of weights holds, looked at before any of it is loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from steelyard.errors import ConfigurationError, InputError, Problem, excerpt, quoted
from steelyard.models.safetensors_file import tensor_names

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
