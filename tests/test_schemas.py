"""Every published schema is a schema, is found by its name, and agrees with what the readers accept."""

import pytest
from jsonschema import Draft202012Validator, ValidationError

from steelyard.configuration.training import parse_training
from steelyard.errors import ConfigurationError, UsageError
from steelyard.reading.yaml_file import read_yaml
from steelyard.schemas import schema_builders, schema_of

NAMES = list(schema_builders())


@pytest.mark.parametrize("name", NAMES)
def test_every_schema_is_valid_in_its_own_dialect(name):
    schema = schema_of(name)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(schema)


def test_seed_003s_objects_and_the_configuration_files_have_schemas():
    answers = {f"{kind}-answer" for kind in ("choice", "number", "list", "text", "reasoning")}
    assert {
        *answers,
        "canonical-answer",
        "scorecard",
        "task",
        "scoring-profile",
        "run",
        "training",
        "eval-results",
    } <= set(NAMES)


def test_an_unknown_schema_is_refused_with_the_nearest_name():
    with pytest.raises(UsageError, match="did you mean 'canonical-answer'"):
        schema_of("canonical_answer")


@pytest.mark.parametrize(
    "task",
    [
        {"task": "unit-conversion", "answer_type": "text", "extract": "answer_line", "metrics": ["f1"]},
        {"name": "event_eval", "prompt_template": "{text}", "answer_type": "choice", "metrics": [
            {"type": "exact_match", "pred_field": "sentiment", "label_field": "gt_sentiment"}]},
    ],
)  # fmt: skip
def test_the_task_schema_accepts_both_spellings_of_a_task(task):
    Draft202012Validator(schema_of("task")).validate(task)


@pytest.mark.parametrize("task", [{}, {"task": "a", "name": "b"}, {"task": "a", "answer_typ": "text"}])
def test_the_task_schema_refuses_no_name_two_names_and_unknown_keys(task):
    with pytest.raises(ValidationError):
        Draft202012Validator(schema_of("task")).validate(task)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "gate-policy",
            {"gates": [{"metric": "f1", "max_drop": 0.02}, {"skipped": {"max_new": 0}}, {"allow": ["mock"]}]},
        ),
        ("suite", {"suite": "release", "tasks": ["qa.yaml"], "required": ["qa"]}),
        ("scoring-profile", {"version": "v1", "scorers": {"number": {"primary_metric": "within_tol"}}}),
    ],
)
def test_configuration_files_are_of_their_schemas(name, content):
    validator = Draft202012Validator(schema_of(name))
    validator.validate(content)
    assert not validator.is_valid(content | {"unknown": 1})


def test_the_example_of_a_training_is_of_its_schema(root):
    validator = Draft202012Validator(schema_of("training"))
    values = dict(read_yaml(root / "examples" / "training" / "train.yaml"))
    parse_training(values)
    validator.validate(values)


@pytest.mark.parametrize(
    "values",
    [
        {"base_model": "tiny"},
        {"base_model": "tiny", "lr": "1e-4"},
        {"base_model": "tiny", "lr": 0.001},
        {"base_model": "tiny", "lr": "fast"},
        {"base_model": "tiny", "lr": 0},
        {"base_model": "tiny", "task": "rlhf"},
        {"base_model": "tiny", "epochs": 0},
        {"base_model": "tiny", "epoch": 3},
        {"base_model": "tiny", "eval": {"hard_examples": 5, "gold_set": "gold.jsonl", "slice_by_tags": ["source"]}},
        {"base_model": "tiny", "eval": {"hard": 5}},
        {"base_model": "tiny", "metrics": ["f1", {"name": "rouge1", "stemmer": True}]},
        {"task": "sft"},
    ],
)
def test_the_training_schema_accepts_what_the_reader_accepts(values):
    try:
        parse_training(values)
        accepted = True
    except ConfigurationError:
        accepted = False
    assert Draft202012Validator(schema_of("training")).is_valid(values) is accepted
