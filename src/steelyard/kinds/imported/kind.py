"""Imported runs for the verbs: taken up again from their journals; the tool that made them makes them anew."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from steelyard.kinds.imported.evaluation import ImportedEvaluation, imported_evaluation
from steelyard.kinds.imported.recipe import ImportedRecipe
from steelyard.records.runs import JOURNAL_FILE, Reading, RunRecord
from steelyard.runs.places import Place, Watching
from steelyard.runs.recipes import AS_IT_WAS, OtherJudges, not_for_this_kind
from steelyard.tasks.preparation import prepare


class ImportedKind:
    """Runs that another tool made."""

    recipe: type[ImportedRecipe] = ImportedRecipe

    def again(
        self,
        recipe: ImportedRecipe,
        run: Path,
        record: RunRecord,
        judges: OtherJudges = AS_IT_WAS,
        *,
        aside: bool = False,
    ) -> ImportedEvaluation:
        """Return the outputs and recorded scores of the run's journal."""
        del aside
        if judges.are_others:
            hint = "its outputs are predictions: `steelyard eval --dataset FILE --predictions RUN/predictions.jsonl`"
            raise not_for_this_kind("another scorer, task or metric", "scores that another tool recorded", hint)
        options = recipe.options(predictions=str(run / JOURNAL_FILE))
        return imported_evaluation(prepare(options), options, recipe, record.model, record.reading or Reading())

    def anew(self, recipe: ImportedRecipe, run: Path, record: RunRecord, place: Place, watching: Watching) -> NoReturn:
        """Refuse: only the tool that made the run makes it anew."""
        del run, record, place, watching
        hint = "`steelyard rescore RUN` takes up its recorded scores again; --verify-only compares its files"
        raise not_for_this_kind("making a run again", f"a run that {recipe.imported.get('from')} made", hint)

    def spec(self, recipe: ImportedRecipe, run: Path) -> None:
        """Return nothing: what model the tool asked is not known as one of ours."""
        del recipe, run
