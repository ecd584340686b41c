"""`SteelyardCallback`: the evaluation of a model inside anyone's own `transformers.Trainer`.

    trainer.add_callback(SteelyardCallback(tokenizer, {"task": "qa", "dataset": "test.jsonl"}, name="my-training"))

When the training ends, the model as it then is answers the task's items, and a complete run is left behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
import transformers

from steelyard.kinds.task.asking import ask_and_judge, plan_asking, rehearse
from steelyard.kinds.task.streaming import make_source as _source
from steelyard.models.hugging_face import task_of
from steelyard.models.opening import ModelOptions
from steelyard.models.transformer_answers import ANSWERING, Loaded
from steelyard.records.models import ModelIdentity
from steelyard.runs.places import UNWATCHED
from steelyard.runs.recording import FinishedRun
from steelyard.runs.resuming import generating
from steelyard.tasks.loading import EvaluateOptions
from steelyard.tasks.preparation import prepare


class SteelyardCallback(transformers.TrainerCallback):  # type: ignore[misc]  # transformers is not read by mypy
    """Evaluates the model at the end of a training; `evaluation` then holds the run and its results."""

    def __init__(
        self,
        tokenizer: Any,
        task: Mapping[str, Any] | str | Path,
        *,
        name: str | None = None,
        runs_dir: str | Path = "runs",
        batch_size: int = 8,
    ) -> None:
        given: dict[str, Any] = {"task": task} if isinstance(task, Mapping) else {"task_file": Path(task)}
        self.options = EvaluateOptions(name=name, runs_dir=Path(runs_dir), cache=False, batch_size=batch_size, **given)
        self.prepared = prepare(self.options)
        rehearse(self.prepared, _source(self.prepared, self.options))
        self.tokenizer = tokenizer
        self.evaluation: FinishedRun | None = None

    def on_train_end(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        """Evaluate the trained model."""
        del args, control
        was_training = model.training
        model.eval()
        try:
            self.evaluation = self._evaluate(model, state)
        finally:
            model.train(was_training)

    def _evaluate(self, model: Any, state: Any) -> FinishedRun:
        kind = task_of(model.config)
        loaded = Loaded(torch, transformers, model, self.tokenizer, str(model.device), kind)
        losses = self.prepared.report.losses
        name = self.options.name or Path(str(model.config.name_or_path or "model")).name
        identity = ModelIdentity(
            spec="trainer",
            kind="hf",
            name=name,
            revision=f"step {state.global_step}",
            runtime=f"transformers {version('transformers')}",
        )
        options = ModelOptions(batch_size=self.options.batch_size or 8, losses=losses)
        with closing(ANSWERING[kind](loaded, identity, options)) as asked:
            plan = plan_asking("trainer", self.prepared, self.options, asked)
            config = plan.evaluation.config()
            with generating(self.options.place, plan.identity, config, plan.manifest) as directory:
                return ask_and_judge(directory, plan, asked, UNWATCHED)
