"""LoRA fine-tuning of a base model on rows, logged step by step, ending in an adapter on disk."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from steelyard.errors import IncompleteError, InputError, MachineError, Problem, excerpt
from steelyard.extras import between_libraries, needed
from steelyard.models.hugging_face import Task, load_base
from steelyard.models.opening import ModelOptions
from steelyard.models.parts import Place
from steelyard.records.training import LABELS_FILE, TrainingOutcome, TrainingPaths, TrainingRow, TrainingSettings
from steelyard.training.examples import Collator, Examples, causal_examples, label_examples, seq2seq_examples
from steelyard.training.logs import LossLog

Step: TypeAlias = Callable[[int, int], None]
"""Called with the step that is done and how many there are."""

_TASK_TYPES = {"causal": "CAUSAL_LM", "seq2seq": "SEQ_2_SEQ_LM", "classification": "SEQ_CLS"}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A base with its adapter attached, and the examples it will be shown."""

    torch: Any
    transformers: Any
    model: Any
    tokenizer: Any
    kind: Task
    examples: Examples
    labels: tuple[str, ...]


def fine_tune(
    settings: TrainingSettings,
    rows: Sequence[TrainingRow],
    paths: TrainingPaths,
    *,
    resume: bool = False,
    step: Step | None = None,
) -> TrainingOutcome:
    """Train, leaving `adapter/`, `tokenizer/` and the log behind; a training that cannot go on keeps its log."""
    prepared = prepare(settings, rows)
    checkpoint = last_checkpoint(paths.checkpoints) if resume else None
    log = LossLog(paths.log, from_step=_step_of(checkpoint) or 0)
    trainer = _trainer(settings, prepared, paths, log, step)
    torch = prepared.torch
    try:
        with between_libraries():
            trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    except torch.OutOfMemoryError as error:
        hint = "a smaller --batch-size or a shorter max_length needs less"
        raise MachineError(Problem("training-failed", f"out of memory: {excerpt(str(error))}", hint=hint)) from error
    finally:
        log.close()
    _save(prepared, paths)
    return _outcome(prepared, trainer, log, _step_of(checkpoint))


def prepare(settings: TrainingSettings, rows: Sequence[TrainingRow]) -> Prepared:
    """Load the base, attach an adapter and tokenise the rows: everything that can fail before the first step."""
    torch = needed("torch", extra="local", what="trainings")
    transformers = needed("transformers", extra="local", what="trainings")
    needed("accelerate", extra="local", what="trainings")
    transformers.set_seed(settings.seed)
    labels = tuple(sorted({row.target for row in rows})) if settings.task == "classification" else ()
    if settings.task == "classification" and len(labels) < 2:
        message = f"the training rows have {len(labels)} label, expected at least two"
        raise InputError(Problem("bad-reference", message, hint="is this a classification?"))
    options = ModelOptions(device=settings.device, threads=settings.threads)
    loaded = load_base(Place(settings.base_model, None), options, labels=labels or None)
    kind = loaded.kind
    if (kind == "classification") != (settings.task == "classification"):
        message = f"the base is a {kind} model, and the task is {settings.task}"
        raise InputError(Problem("bad-model", message, hint="choose a base of that kind, or the other --task"))
    examples = _examples(rows, loaded.tokenizer, kind, settings, labels)
    return Prepared(
        torch, transformers, _with_adapter(loaded.model, kind, settings), loaded.tokenizer, kind, examples, labels
    )


def _examples(
    rows: Sequence[TrainingRow], tokenizer: Any, kind: Task, settings: TrainingSettings, labels: Sequence[str]
) -> Examples:
    if kind == "classification":
        return label_examples(rows, tokenizer, settings.max_length, labels)
    make = causal_examples if kind == "causal" else seq2seq_examples
    return make(rows, tokenizer, settings.max_length)


def _with_adapter(model: Any, kind: Task, settings: TrainingSettings) -> Any:
    peft = needed("peft", extra="local", what="trainings")
    given: dict[str, Any] = {
        "r": settings.lora_r,
        "lora_alpha": settings.lora_alpha,
        "lora_dropout": settings.lora_dropout,
        "task_type": _TASK_TYPES[kind],
    }
    wanted: Any = list(settings.target_modules) or None
    with between_libraries():
        try:
            return peft.get_peft_model(model, peft.LoraConfig(**given, target_modules=wanted))
        except ValueError as error:
            if wanted is not None:
                raise InputError(Problem("bad-model", f"target_modules: {excerpt(str(error))}")) from None
            # peft has no list for this architecture; every linear layer is what it recommends then.
            return peft.get_peft_model(model, peft.LoraConfig(**given, target_modules="all-linear"))


def _trainer(
    settings: TrainingSettings, prepared: Prepared, paths: TrainingPaths, log: LossLog, step: Step | None
) -> Any:
    transformers = prepared.transformers
    arguments = transformers.TrainingArguments(
        output_dir=str(paths.checkpoints),
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=settings.batch_size,
        learning_rate=settings.lr,
        max_grad_norm=settings.max_grad_norm,
        seed=settings.seed,
        data_seed=settings.seed,
        logging_steps=1,
        logging_nan_inf_filter=False,
        save_steps=settings.save_steps,
        save_total_limit=1,
        report_to=[],
        disable_tqdm=True,
        use_cpu=settings.device == "cpu" or not prepared.torch.cuda.is_available(),
        remove_unused_columns=False,
        dataloader_pin_memory=False,
    )
    pad = prepared.tokenizer.pad_token_id
    pad = pad if pad is not None else prepared.tokenizer.eos_token_id or 0
    trainer = transformers.Trainer(
        model=prepared.model,
        args=arguments,
        train_dataset=prepared.examples,
        data_collator=Collator(prepared.torch, pad),
        callbacks=[_watcher(transformers, log, step)],
    )
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer


def _watcher(transformers: Any, log: LossLog, step: Step | None) -> Any:
    """Return a callback that logs every step, stops at a loss that is no number, and tells how far the training is."""

    class Watcher(transformers.TrainerCallback):  # type: ignore[misc]  # the base is imported at run time
        """Sees every step of the Trainer."""

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            """Write a line per step."""
            del args, control
            if logs and "loss" in logs:
                log.write(state.global_step, state.epoch, logs)
                if step is not None:
                    step(state.global_step, state.max_steps)
                if log.is_broken:
                    message = f"the loss is {logs['loss']} at step {state.global_step}"
                    hint = "a lower --lr, or a look at the rows of that step, is where people start"
                    raise IncompleteError(Problem("training-failed", message, hint=hint))

    return Watcher()


def last_checkpoint(folder: Path) -> Path | None:
    """Return the newest whole checkpoint; the Trainer writes `trainer_state.json` last."""
    found = [path for path in folder.glob("checkpoint-*") if (path / "trainer_state.json").is_file()]
    return max(found, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def _step_of(checkpoint: Path | None) -> int | None:
    return int(checkpoint.name.rpartition("-")[2]) if checkpoint else None


def _save(prepared: Prepared, paths: TrainingPaths) -> None:
    """Write adapter and tokenizer aside, then in one step to their places."""
    aside = paths.run / ".adapter-aside"
    shutil.rmtree(aside, ignore_errors=True)
    with between_libraries():
        prepared.model.save_pretrained(str(aside))
    (aside / "README.md").unlink(missing_ok=True)
    if prepared.labels:
        (aside / LABELS_FILE).write_text(json.dumps(list(prepared.labels)), encoding="utf-8")
    prepared.tokenizer.save_pretrained(str(paths.tokenizer))
    shutil.rmtree(paths.adapter, ignore_errors=True)
    aside.rename(paths.adapter)


def _outcome(prepared: Prepared, trainer: Any, log: LossLog, resumed_from: int | None) -> TrainingOutcome:
    trainable, total = prepared.model.get_nb_trainable_parameters()
    losses = log.losses
    return TrainingOutcome(
        status="completed",
        steps=trainer.state.global_step,
        epochs=float(trainer.state.epoch or 0),
        train_rows=len(prepared.examples),
        first_loss=losses[0] if losses else None,
        final_loss=losses[-1] if losses else None,
        mean_loss=sum(losses) / len(losses) if losses else None,
        parameters=total,
        trainable_parameters=trainable,
        cut_rows=prepared.examples.cut,
        labels=list(prepared.labels),
        resumed_from_step=resumed_from,
    )
