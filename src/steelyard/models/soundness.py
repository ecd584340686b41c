"""Whether a loaded model computes anything: weights that are all there, and logits that are numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.errors import ConfigurationError, Problem, excerpt, quoted

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
