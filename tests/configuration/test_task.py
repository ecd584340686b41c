"""Task files: page 05's, seed 001's `eval:` block, seed 003's task YAML, and what is refused."""

import pytest

from steelyard.configuration.task import FieldMetric, MetricEntry, ScorerEntry, parse_task
from steelyard.errors import ConfigurationError
from steelyard.reading.yaml_file import parse_yaml

PAGE_05 = r"""
task: unit-conversion
dataset: evalsets/eval_v2.jsonl
answer_type: text
fields: {id: id, input: prompt, reference: expected_answer}
model: embedded
prompt: "{prompt}\nAnswer:"
prompt_version: qa.v1
generation: {max_new_tokens: 64, stop: ["\n"], temperature: 0, seed: 0}
extract: answer_line
scorers: [answer_correctness@v1, {name: number@v1, tolerance_rel: 0.02}]
metrics: [f1, exact_match, {name: f1, normalize: squad}, {name: rouge1, stemmer: true}]
eval:
  format_rules:
    - {name: ends_with_period, pattern: "\\.$"}
    - {name: max_length, max_tokens: 500}
  gold_set: data/gold_eval.jsonl
  slice_by_tags: [section, category, [section, difficulty]]
  hard_examples: 50
cluster_by: conversation_id
gates: [{metric: f1, min: 0.5}]
"""

SEED_003 = """
name: sentiment
version: v1
prompt_template: "Sentiment of {text}?"
answer_type: choice
parse_schema: {type: object}
metrics:
  - {type: exact_match, pred_field: sentiment, label_field: gt_sentiment}
  - {type: numeric_error, pred_field: score, label_field: gt_score, tolerance_abs: 0.5}
"""


def parsed(text: str):
    return parse_task(parse_yaml(text, file="task.yaml"), file="task.yaml")


def refused(text: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        parsed(text)
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_page_05s_task_file_loads():
    task = parsed(PAGE_05)
    assert task.fields.reference == "expected_answer"
    assert task.scorers == ("answer_correctness@v1", ScorerEntry(name="number@v1", tolerance_rel=0.02))
    assert [entry.parameters for entry in task.metrics if isinstance(entry, MetricEntry)] == [
        {"normalize": "squad"},
        {"stemmer": True},
    ]
    assert task.eval.slice_by_tags == ("section", "category", ("section", "difficulty"))
    assert [rule.name for rule in task.eval.format_rules] == ["ends_with_period", "max_length"]


def test_seed_003s_task_yaml_loads_and_means_the_same():
    task = parsed(SEED_003)
    assert (task.task, task.prompt, task.version) == ("sentiment", "Sentiment of {text}?", "v1")
    first, second = task.metrics
    assert first == FieldMetric(type="exact_match", pred_field="sentiment", label_field="gt_sentiment")
    assert second.parameters == {"tolerance_abs": 0.5}


def test_a_name_is_all_that_a_task_needs():
    task = parsed("task: a")
    assert (task.answer_type, task.metrics, task.tag_fields) == ("text", None, ("section", "category", "difficulty"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("answer_type: text", "task.yaml: [bad-configuration] task: Field required"),
        ("task: a\nanswer_typ: text", "task.yaml:2:1: [unknown-key] there is no key 'answer_typ'"),
        ("task: a\nanswer_type: txt", "task.yaml:2:1: [bad-configuration] answer_type: Input should be 'choice'"),
        ("task: a\neval: {hard_example: 5}", "task.yaml:2:8: [unknown-key] there is no key 'eval.hard_example'"),
        ("task: a\neval: [1]", "task.yaml:2:1: [bad-configuration] eval: "),
        ("task: a\neval: {hard_examples: -1}", "task.yaml:2:8: [bad-configuration] eval.hard_examples"),
        ("task: a/b", "task.yaml:1:1: [bad-configuration] task: a task's name has letters"),
        ("task: ..", "a task's name has letters"),
        ("task: a\nname: b", "name and task mean the same"),
        ("task: a\nprompt: x\nprompt_file: y", "prompt and prompt_file are both given"),
        ("task: a\nscorers: [{name: choice@v1, pass_threshold: 1.5}]", "task.yaml:2:29: [bad-configuration] scorers"),
        ("task: a\nscorers: [{name: choice@v1, pass_threshold: .nan}]", "[not-finite]"),
        ("task: a\nmetrics: [{nam: f1}]", "task.yaml:2:11: [bad-configuration] metrics.0.name: Field required"),
        ("task: a\nmetrics: [{type: exact_match, pred_field: x}]", "metrics.0.label_field: Field required"),
        ("task: a\nmetrics: f1", "task.yaml:2:1: [bad-configuration] metrics: Input should be a list; found 'f1'"),
        ("task: a\nfields: {gold: x}", "task.yaml:2:10: [unknown-key] there is no key 'fields.gold'"),
        ("task: a\naliases: {yes: [1]}", "aliases.yes.0: Input should be text; found 1"),
        ("task: 5", "task: Input should be text; found 5"),
    ],
)  # fmt: skip
def test_a_mistake_is_refused_at_its_place(text, found):
    assert found in refused(text)


def test_lists_may_be_tuples_where_a_task_is_given_from_python():
    assert parse_task({"task": "a", "metrics": ("f1",), "choices": ("x", "y")}).choices == ("x", "y")
