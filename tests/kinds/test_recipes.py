"""A recipe turns into `config.yaml` and back, whatever it holds."""

import pickle
from dataclasses import fields

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from steelyard.kinds.conversations.recipe import ConversationsRecipe
from steelyard.kinds.imported.recipe import ImportedRecipe
from steelyard.kinds.research.recipe import ResearchRecipe
from steelyard.kinds.table import KINDS, kind_of
from steelyard.kinds.task.recipe import TaskRecipe
from steelyard.kinds.training.recipe import TrainingRecipe
from steelyard.reading.yaml_words import literal
from steelyard.records.runs import RunRecord
from steelyard.research.gates import DEFAULT_THRESHOLDS

RECIPES = (TaskRecipe, TrainingRecipe, ImportedRecipe, ConversationsRecipe, ResearchRecipe)
NAMES = st.text("abcxyz", min_size=1, max_size=5)
SCALARS = st.text("aZ9.:#- é", max_size=8) | st.integers() | st.booleans() | st.floats(0, 1)
MAPPINGS = st.dictionaries(NAMES, SCALARS, min_size=1, max_size=3)
COUNTS = st.dictionaries(NAMES, st.integers(1, 9), min_size=1, max_size=3)
TEXTS = st.text("aZ9/._ é", min_size=1, max_size=12)
SLICES = st.lists(st.lists(NAMES, min_size=1, max_size=2).map(tuple), max_size=2).map(tuple)
VALUES = {
    "task": st.dictionaries(NAMES, SCALARS | MAPPINGS, max_size=4),
    "selection": COUNTS,
    "limits": COUNTS,
    "training": MAPPINGS,
    "imported": MAPPINGS,
    "generation": MAPPINGS,
    "plots": st.booleans(),
    "validation": st.booleans(),
    "strict_ids": st.just(True),
    "error_budget": st.floats(0.01, 1),
    "max_retries": st.integers(0, 9),
    "thresholds": st.dictionaries(st.sampled_from(sorted(DEFAULT_THRESHOLDS)), st.floats(0, 1)),
    "gates": st.lists(st.sampled_from(sorted(DEFAULT_THRESHOLDS)), unique=True).map(tuple),
    "slice_by": SLICES,
}
REQUIRED = {"task", "thresholds", "gates", "slice_by", "plots", "golden", "outputs"}


def made(recipe):
    """Return a strategy of recipes: every field may be there or not."""
    needed = REQUIRED | ({"dataset"} if recipe is ConversationsRecipe else set())
    entries = {entry.name: VALUES.get(entry.name, TEXTS) for entry in fields(recipe)}
    here = {name: values for name, values in entries.items() if name in needed}
    maybe = {name: values for name, values in entries.items() if name not in needed}
    return st.fixed_dictionaries(here, optional=maybe).map(lambda found: recipe(**found))


@pytest.mark.parametrize("recipe", RECIPES)
@given(data=st.data())
def test_a_recipe_is_what_its_configuration_says(recipe, data):
    one = data.draw(made(recipe))
    written = yaml.safe_dump(literal(one.config()), sort_keys=False, allow_unicode=True)
    assert recipe.of(yaml.safe_load(written)) == one
    assert pickle.loads(pickle.dumps(one)) == one


def test_every_kind_has_its_recipe():
    records = [RunRecord("i", "n", "completed", "now", "t", "v", kind=kind) for kind in KINDS]
    assert {kind_of(record).recipe for record in records} == {*RECIPES}
    assert [kind_of(record).recipe.kind for record in records] == [*KINDS]
