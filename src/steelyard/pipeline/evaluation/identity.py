"""What a run says about itself: its task, its data, and the configuration it can be made again from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from steelyard.pipeline.datasets import plain_manifest, stored_manifest
from steelyard.pipeline.generation.requests import prompt_template, task_generation
from steelyard.pipeline.items.reading import Source
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation.task import Prepared
from steelyard.pipeline.recording.run import (
    RunIdentity,
)
from steelyard.reading.hashing import sha256_file
from steelyard.reading.shipped import lasting_path, named_path


def identify(prepared: Prepared, source: Source, options: EvaluateOptions) -> RunIdentity:
    """Return what the run says about itself."""
    task = prepared.task
    scorer = next(iter(prepared.judgements[0].scorers.values()))
    return RunIdentity(
        task=task.task,
        task_version=None if task.version is None else str(task.version),
        answer_type=task.answer_type,
        scorer_version=scorer.definition.key,
        signatures=prepared.signatures,
        model={"name": options.model_name or task.model, "kind": "stored predictions"},
        dataset={"path": named_path(source.dataset), "sha256": sha256_file(source.dataset)},
        prompt_version=task.prompt_version,
    )


def effective_configuration(prepared: Prepared, source: Source, options: EvaluateOptions) -> dict[str, Any]:
    """Return the task as it was evaluated, after the command line's overrides, with paths that can be opened again."""
    config = judging_configuration(prepared)
    config["dataset"] = lasting_path(source.dataset)
    if source.predictions is not None:
        config["predictions"] = str(source.predictions.resolve())
    selection = {"limit": options.limit, "sample_size": options.sample_size}
    chosen: Mapping[str, Any] = {name: value for name, value in selection.items() if value is not None}
    return config | ({"selection": {**chosen, "seed": options.seed}} if chosen else {})


def judging_configuration(prepared: Prepared) -> dict[str, Any]:
    """Return by what items are judged, whatever their data, with paths that can be opened again."""
    config: dict[str, Any] = prepared.task.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    config["task"] = prepared.task.task
    config["answer_type"] = prepared.task.answer_type
    if prepared.gold is not None:
        config["eval"] |= {"gold_set": lasting_path(prepared.gold.path)}
    if prepared.profile_file is not None:
        config["scoring_profile"] = str(prepared.profile_file.resolve())
    return config


def generated_configuration(spec: str, prepared: Prepared, source: Source, options: EvaluateOptions) -> dict[str, Any]:
    """Return the configuration of a model's run, from which the same questions can be asked again."""
    config = effective_configuration(prepared, source, options) | {"model": spec}
    config.pop("prompt_file", None)
    generation = msgspec.to_builtins(task_generation(prepared.task))
    return config | {"prompt": prompt_template(prepared).text, "generation": generation}


def manifest_of(source: Source, n_items: int, content: str | None = None) -> dict[str, Any]:
    """Return the manifest of a dataset: its version's own, or one made of a plain file, whose hash may be known."""
    stored = stored_manifest(source.dataset)
    return stored.as_dict() if stored is not None else plain_manifest(source.dataset, n_items, content)


def run_flags(source: Source) -> list[str]:
    """Return what a reader must know before trusting a run over this source."""
    flags = [] if source.selection.is_whole else ["limited"]
    flags += ["quarantined_rows"] if source.unaccounted else []
    return flags + (["unknown_ids"] if source.unknown_total else [])
