"""`hf:PATH_OR_ID` and `hf:…+adapter=DIR`: transformers models, with a LoRA adapter merged into its base.

Safetensors only, no remote code. An adapter that changes nothing is an error, because a run of it would be a run of the
base under another name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypeAlias

from steelyard.errors import ConfigurationError, InputError, Problem, excerpt, quoted
from steelyard.extras import between_libraries, needed
from steelyard.models.chat_templates import ChatTemplate, Messages
from steelyard.models.opening import ModelOptions
from steelyard.models.parts import Place, adapter_hash, base_hash, hash_text, tokenizer_hash
from steelyard.models.protocol import Model
from steelyard.models.transformer_answers import ANSWERING, Loaded
from steelyard.models.weights import (
    PICKLE_HINT,
    adapter_labels,
    adapter_task,
    check_adapter,
    check_logits,
    check_weights,
    probe,
    refuse_missing,
)
from steelyard.records.models import ModelIdentity
from steelyard.records.training import LABELS_FILE

Task: TypeAlias = Literal["causal", "seq2seq", "classification"]

_AUTO_CLASSES: dict[Task, str] = {
    "causal": "AutoModelForCausalLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "classification": "AutoModelForSequenceClassification",
}
_TASK_TYPES: dict[str | None, Task] = {
    "CAUSAL_LM": "causal",
    "SEQ_2_SEQ_LM": "seq2seq",
    "SEQ_CLS": "classification",
}


def open_hugging_face(text: str, options: ModelOptions) -> Model:
    """Return a transformers model, ready to answer."""
    place = Place.of(text)
    loaded = load(place, options)
    return ANSWERING[loaded.kind](loaded, _identity(text, place, loaded), options)


def load(place: Place, options: ModelOptions) -> Loaded:
    """Return model and tokenizer, adapter merged and checked."""
    settings = AdapterSettings.of(place.adapter) if place.adapter else AdapterSettings(None, None)
    loaded = load_base(place, options, task=settings.task, labels=settings.labels)
    if place.adapter is None:
        check_logits(place.base, loaded.model, loaded.torch)
        return loaded
    merged = _merged(loaded.model, place.adapter, loaded.torch)
    return replace(loaded, model=merged.to(loaded.device).eval())


def load_base(
    place: Place, options: ModelOptions, *, task: Task | None = None, labels: Sequence[str] | None = None
) -> Loaded:
    """Return a base model with its tokenizer; `labels` give it the head of a classification with these."""
    torch = needed("torch", extra="local", what="hf: models")
    transformers = needed("transformers", extra="local", what="hf: models")
    _quiet(transformers)
    if options.threads is not None:
        torch.set_num_threads(options.threads)
    if place.is_local:
        check_weights(Path(place.base))
    config = _loaded(place, transformers.AutoConfig, options)
    kind: Task = "classification" if labels else task or task_of(config)
    tokenizer = _loaded(Place(place.tokenizer, None), transformers.AutoTokenizer, options)
    template = _template(tokenizer, place.tokenizer)
    more = {**_head(config, labels), "use_safetensors": True, "dtype": "auto", "output_loading_info": True}
    model, report = _loaded(place, getattr(transformers, _AUTO_CLASSES[kind]), options, **more)
    if labels is None and place.adapter is None:
        refuse_missing(place.base, report)
    if model.config.get_text_config().pad_token_id is None and tokenizer.pad_token_id is not None:
        model.config.get_text_config().pad_token_id = tokenizer.pad_token_id
    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    return Loaded(torch, transformers, model.to(device).eval(), tokenizer, device, kind, template)


def _template(tokenizer: Any, folder: str) -> ChatTemplate | None:
    """Return the chat template that a tokenizer has, once it kept to its limits."""
    if not getattr(tokenizer, "chat_template", None):
        return None

    def render(messages: Messages) -> str:
        return str(tokenizer.apply_chat_template(list(messages), add_generation_prompt=True, tokenize=False))

    template = ChatTemplate(render)
    template.check(folder)
    return template


def _head(config: Any, labels: Sequence[str] | None) -> dict[str, Any]:
    """Return what makes a head for labels; where the base has one for just these, it keeps it."""
    if not labels or (task_of(config) == "classification" and list(config.id2label.values()) == list(labels)):
        return {}
    return {
        "num_labels": len(labels),
        "id2label": dict(enumerate(labels)),
        "label2id": {label: number for number, label in enumerate(labels)},
        "ignore_mismatched_sizes": True,
    }


@dataclass(frozen=True, slots=True)
class AdapterSettings:
    """What an adapter's folder says of the model it belongs to."""

    task: Task | None
    labels: tuple[str, ...] | None

    @classmethod
    def of(cls, folder: Path) -> AdapterSettings:
        """Read peft's configuration, and the labels that a training of ours leaves beside it."""
        check_adapter(folder)
        named, labels = adapter_task(folder), folder / LABELS_FILE
        return cls(_TASK_TYPES.get(named), adapter_labels(labels) if labels.is_file() else None)


def task_of(config: Any) -> Task:
    """Return what a model does, by the architecture that its configuration names."""
    listed = getattr(config, "architectures", None) or [""]
    named = str(listed[0] if isinstance(listed, list) else listed)
    if named.endswith("ForSequenceClassification"):
        return "classification"
    if getattr(config, "is_encoder_decoder", False):
        return "seq2seq"
    if named.endswith(("ForCausalLM", "LMHeadModel")):
        return "causal"
    message = f"the architecture {quoted(named)} is neither causal, seq2seq nor sequence classification"
    raise ConfigurationError(Problem("bad-model", message, hint="other architectures cannot answer items"))


def _loaded(place: Place, automatic: Any, options: ModelOptions, **more: Any) -> Any:
    try:
        return automatic.from_pretrained(place.base, trust_remote_code=False, revision=options.revision, **more)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a damaged file makes the libraries raise whatever they come upon
        raise _refusal(place.base, error) from None


def _refusal(base: str, error: Exception) -> ConfigurationError:
    text = str(error)
    if "trust_remote_code" in text:
        message = f"{excerpt(base)} needs code of its own, and remote code is never run"
        hint = "use a model whose architecture is part of transformers"
        return ConfigurationError(Problem("unsafe-model", message, hint=hint))
    if "safetensors" in text:
        message = f"{excerpt(base)} has its weights as a pickle, which can run any code when it is loaded"
        return ConfigurationError(Problem("unsafe-model", message, hint=PICKLE_HINT))
    first = text.strip().split("\n", maxsplit=1)[0] or type(error).__name__
    hint = "check the path; for a model of the hub, check its name and the network"
    return ConfigurationError(Problem("bad-model", f"{excerpt(base)} cannot be loaded: {excerpt(first)}", hint=hint))


def _merged(base: Any, adapter: Path, torch: Any) -> Any:
    """Return the base with the adapter merged in; an adapter that changes nothing is refused."""
    peft = needed("peft", extra="local", what="adapters")
    before = probe(base, torch)
    try:
        with between_libraries():
            wrapped = peft.PeftModel.from_pretrained(base, str(adapter))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - as above
        message = f"the adapter does not fit its base: {excerpt(str(error))}"
        raise InputError(Problem("bad-model", message, file=str(adapter))) from None
    merged = wrapped.merge_and_unload()
    if torch.equal(before, check_logits(str(adapter), merged, torch)):
        message = "the adapter changes nothing: base and adapter give the same logits"
        hint = "was it trained, and saved after its training? evaluate the base as the base"
        raise ConfigurationError(Problem("adapter-without-effect", message, hint=hint, file=str(adapter)))
    return merged


def _identity(text: str, place: Place, loaded: Loaded) -> ModelIdentity:
    template = getattr(loaded.tokenizer, "chat_template", None)
    return ModelIdentity(
        spec=f"hf:{text}",
        kind="hf",
        name=Path(place.base).name if place.is_local else place.base,
        revision=_revision(place, loaded),
        adapter=adapter_hash(place.adapter) if place.adapter else None,
        tokenizer=tokenizer_hash(Path(place.tokenizer)) if place.tokenizer != place.base else None,
        template=hash_text(str(template)) if template else "none",
        runtime=f"transformers {version('transformers')}, torch {version('torch')}",
    )


def _revision(place: Place, loaded: Loaded) -> str | None:
    if not place.is_local:
        return getattr(loaded.model.config, "_commit_hash", None)
    return base_hash(Path(place.base))


def _quiet(transformers: Any) -> None:
    """Keep the library's own bars and notes out of our output."""
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
