"""What a folder of weights holds, looked at before any of it is loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from steelyard.errors import ConfigurationError, InputError, Problem, excerpt, quoted

_PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")
PICKLE_HINT = "convert it where you trust it: load it with transformers and save_pretrained(), which writes safetensors"


def check_weights(folder: Path) -> None:
    """Refuse a folder whose weights are a pickle, that needs code of its own, or that is an adapter without a base."""
    if (folder / "adapter_config.json").is_file() and not (folder / "config.json").is_file():
        hint = f"name its base: hf:BASE+adapter={folder}"
        raise ConfigurationError(Problem("bad-model", "this folder is an adapter, not a model", hint, str(folder)))
    _refuse_remote_code(folder)
    _refuse_pickle(folder, "*.safetensors")


def check_adapter(folder: Path) -> None:
    """Refuse a folder that is no adapter, or whose weights are a pickle."""
    if not (folder / "adapter_config.json").is_file():
        message = "there is no adapter_config.json here, so this is no adapter"
        raise InputError(Problem("bad-model", message, hint="name the folder that peft saved", file=str(folder)))
    _refuse_pickle(folder, "adapter_model*.safetensors")


def _refuse_pickle(folder: Path, wanted: str) -> None:
    if any(folder.glob(wanted)):
        return
    pickles = sorted(path.name for pattern in _PICKLES for path in folder.glob(pattern))
    if pickles:
        message = f"the weights are a pickle ({excerpt(', '.join(pickles))}), which can run any code when it is loaded"
        raise ConfigurationError(Problem("unsafe-model", message, hint=PICKLE_HINT, file=str(folder)))
    message = f"there is no {wanted} here"
    raise InputError(Problem("bad-model", message, hint="is the folder whole?", file=str(folder)))


def _refuse_remote_code(folder: Path) -> None:
    config = _config(folder)
    if not config.get("auto_map"):
        return
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING  # noqa: PLC0415 - an extra

    if config.get("model_type") not in CONFIG_MAPPING:
        message = f"the model type {quoted(str(config.get('model_type')))} needs code of its own"
        hint = "remote code is never run: use a model whose architecture is part of transformers"
        raise ConfigurationError(Problem("unsafe-model", message, hint=hint, file=str(folder)))


def _config(folder: Path) -> dict[str, Any]:
    file = folder / "config.json"
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        message = f"config.json cannot be read: {excerpt(str(error))}"
        raise InputError(
            Problem("bad-model", message, hint="name a folder that transformers saved", file=str(folder))
        ) from None
    return found if isinstance(found, dict) else {}
