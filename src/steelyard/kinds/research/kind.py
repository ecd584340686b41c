"""Runs over research artifacts for the verbs: the artifacts are their answers, and must be what they were."""

from __future__ import annotations

from pathlib import Path

from steelyard.errors import InputError, Problem
from steelyard.kinds.research.evaluation import ArtifactsEvaluation, open_artifacts
from steelyard.kinds.research.recipe import ResearchRecipe
from steelyard.records.runs import MANIFEST_FILE, RunRecord
from steelyard.runs.making import make_stored
from steelyard.runs.places import Place, Watching
from steelyard.runs.recipes import AS_IT_WAS, OtherJudges, not_for_this_kind
from steelyard.store.checking import read_object


class ResearchKind:
    """Runs of `steelyard research`."""

    recipe: type[ResearchRecipe] = ResearchRecipe

    def again(
        self,
        recipe: ResearchRecipe,
        run: Path,
        record: RunRecord,
        judges: OtherJudges = AS_IT_WAS,
        *,
        aside: bool = False,
    ) -> ArtifactsEvaluation:
        """Return the golden queries and artifacts that the run was made from, which must be the same."""
        del record, aside
        if judges.are_others:
            hint = "leave out --scorer, --task and --metrics: research runs are judged by their evidence"
            raise not_for_this_kind("another scorer, task or metric", "a run over research artifacts", hint)
        return open_artifacts(recipe, expected=_outputs_hash(run))

    def anew(self, recipe: ResearchRecipe, run: Path, record: RunRecord, place: Place, watching: Watching) -> Path:
        """Judge the artifacts in a run of their own."""
        del record
        return make_stored(open_artifacts(recipe, expected=_outputs_hash(run)), place, watching).path

    def spec(self, recipe: ResearchRecipe, run: Path) -> None:
        """Return nothing: an agent is known by its artifacts alone."""
        del recipe, run


def _outputs_hash(path: Path) -> str:
    """Return the hash of the artifacts that a run was made from, as it keeps it."""
    outputs = read_object(path / MANIFEST_FILE).get("outputs")
    found = outputs.get("sha256") if isinstance(outputs, dict) else None
    if isinstance(found, str):
        return found
    hint = "bring the file back as it was, or judge the artifacts again under another name"
    raise InputError(
        Problem("run-damaged", f"{MANIFEST_FILE} has no hash of the outputs", hint=hint, file=str(path / MANIFEST_FILE))
    )
