"""What a run says about itself: its task, its data, and by what its items are judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.datasets.paths import plain_manifest, stored_manifest
from steelyard.datasets.shipped import lasting_path, named_path
from steelyard.items.source import Source
from steelyard.reading.ids import sha256_file
from steelyard.runs.recording import RunIdentity
from steelyard.tasks.loading import prompt_text
from steelyard.tasks.preparation import Prepared


def identify(prepared: Prepared, source: Source, model: Mapping[str, Any]) -> RunIdentity:
    """Return what the run says about itself."""
    task = prepared.task
    scorer = next(iter(prepared.judgements[0].scorers.values()))
    return RunIdentity(
        task=task.task,
        task_version=None if task.version is None else str(task.version),
        answer_type=task.answer_type,
        scorer_version=scorer.definition.key,
        signatures=prepared.signatures,
        model=model,
        dataset={"path": named_path(source.dataset), "sha256": sha256_file(source.dataset)},
        prompt_version=task.prompt_version,
    )


def judging_configuration(prepared: Prepared) -> dict[str, Any]:
    """Return by what items are judged, whatever their data, with paths that can be opened again."""
    config: dict[str, Any] = prepared.task.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    for name in ("dataset", "predictions", "model"):
        config.pop(name, None)
    config["task"] = prepared.task.task
    config["answer_type"] = prepared.task.answer_type
    if prepared.task.prompt_file is not None:
        config.pop("prompt_file")
        config["prompt"] = prompt_text(prepared.task, prepared.folder)
    if prepared.gold is not None:
        config["eval"] |= {"gold_set": lasting_path(prepared.gold.path)}
    if prepared.profile_file is not None:
        config["scoring_profile"] = str(prepared.profile_file.resolve())
    return config


def manifest_of(source: Source, n_items: int, content: str | None = None) -> dict[str, Any]:
    """Return the manifest of a dataset: its version's own, or one made of a plain file, whose hash may be known."""
    stored = stored_manifest(source.dataset)
    return stored.as_dict() if stored is not None else plain_manifest(source.dataset, n_items, content)
