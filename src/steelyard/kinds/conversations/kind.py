"""Runs of conversations for the verbs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from steelyard.kinds.conversations.evaluation import ConversationsEvaluation, open_source
from steelyard.kinds.conversations.options import ConversationOptions
from steelyard.kinds.conversations.order import evaluate_conversations
from steelyard.kinds.conversations.recipe import ConversationsRecipe
from steelyard.records.runs import JOURNAL_FILE, Reading, RunRecord
from steelyard.runs.making import make_stored
from steelyard.runs.places import Place, Watching
from steelyard.runs.recipes import AS_IT_WAS, OtherJudges, not_for_this_kind


class ConversationsKind:
    """Runs of `steelyard evaluate`."""

    recipe: type[ConversationsRecipe] = ConversationsRecipe

    def again(
        self,
        recipe: ConversationsRecipe,
        run: Path,
        record: RunRecord,
        judges: OtherJudges = AS_IT_WAS,
        *,
        aside: bool = False,
    ) -> ConversationsEvaluation:
        """Return the run's journal ready to be judged again."""
        if judges.are_others:
            hint = "leave out --scorer, --task and --metrics: turns are judged by the numeric ladder and their programs"
            raise not_for_this_kind("another scorer, task or metric", "a run of conversations", hint)
        source, journal = open_source(recipe), run / JOURNAL_FILE
        reading = record.reading or Reading()
        return ConversationsEvaluation(recipe, source, journal, record.model, reading=reading, aside=aside)

    def anew(self, recipe: ConversationsRecipe, run: Path, record: RunRecord, place: Place, watching: Watching) -> Path:
        """Ask the model again, or judge the stored turns in a run of their own."""
        if recipe.model is not None:
            return evaluate_conversations(_options(recipe, place), watching).path
        source, journal = open_source(recipe), run / JOURNAL_FILE
        evaluation = ConversationsEvaluation(
            recipe, source, journal, record.model, keeps_journal=True, reading=record.reading
        )
        return make_stored(evaluation, place, watching).path

    def spec(self, recipe: ConversationsRecipe, run: Path) -> str | None:
        """Return the model that solved the turns."""
        del run
        return recipe.model


def _options(recipe: ConversationsRecipe, place: Place) -> ConversationOptions:
    given: dict[str, Any] = {"max_retries": recipe.max_retries, "validation": recipe.validation}
    given |= {"history": recipe.history, "sample_size": recipe.selection.get("sample_size")}
    given |= {"seed": recipe.selection.get("seed")}
    return ConversationOptions(
        dataset=recipe.data(),
        model=recipe.model,
        plots=recipe.plots,
        name=place.name,
        runs_dir=place.runs_dir,
        **{name: value for name, value in given.items() if value is not None},
    )
