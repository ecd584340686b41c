"""The order of an evaluation: read, canonicalise, score, aggregate, store."""

from __future__ import annotations

from dataclasses import replace

from steelyard.errors import Problem, UsageError
from steelyard.kinds.task.evaluation import first_evaluation
from steelyard.kinds.task.stating import stored_recipe
from steelyard.runs.making import make_stored
from steelyard.runs.places import UNWATCHED, Watching
from steelyard.runs.recording import FinishedRun
from steelyard.tasks.loading import EvaluateOptions
from steelyard.tasks.preparation import Prepared, prepare

REPLAY = "replay:"


def evaluate(options: EvaluateOptions, watching: Watching = UNWATCHED) -> FinishedRun:
    """Evaluate stored predictions, or a model's, and leave a complete run behind; bad input leaves nothing behind."""
    prepared = prepare(options)
    if prepared.task.gates:
        from steelyard.tasks.gates import check_gates  # noqa: PLC0415 - most tasks have none

        check_gates(prepared, options)
    spec = _model_spec(prepared, options)
    if spec is not None and not spec.startswith(REPLAY):
        from steelyard.kinds.task.asking import evaluate_model  # noqa: PLC0415 - stored predictions ask no model

        return evaluate_model(spec, prepared, options, watching)
    if spec is not None:
        options = replace(options, predictions=spec.removeprefix(REPLAY), model_name=options.model_name or spec)
    evaluation = first_evaluation(prepared, options, stored_recipe(prepared, options))
    return make_stored(evaluation, options.place, watching)


def _model_spec(prepared: Prepared, options: EvaluateOptions) -> str | None:
    """Return the model to ask, or None for stored predictions: the command line decides before the task does."""
    if options.model is not None and options.predictions is not None:
        hint = "give one: a model is asked, predictions are read"
        raise UsageError(Problem("usage", "--model and --predictions are both given", hint=hint))
    if options.model is not None:
        return options.model
    stored = options.predictions is not None or prepared.task.predictions is not None
    return None if stored else prepared.task.model
