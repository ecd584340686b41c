"""Everything that a block needs to be judged pickles: judged in another process, it would be judged the same."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from steelyard.items.pieces import LineFile
from steelyard.judging import path
from steelyard.judging.path import block_path
from steelyard.judging.workers import judged_in_order
from steelyard.kinds.table import KINDS, kind_of, read_recipe
from steelyard.kinds.task import streaming
from steelyard.kinds.task.order import evaluate
from steelyard.records.runs import ITEMS_FILE, JOURNAL_FILE, RESULTS_FILE
from steelyard.registry import Metric, Scorer, bind_metric, bind_scorer, metrics, scorers
from steelyard.registry.parameters import SCORERS
from steelyard.runs.making import derive
from steelyard.runs.stored import open_run
from steelyard.tasks.loading import EvaluateOptions
from tests.ways.kinds import WAYS
from tests.ways.places import contents, inside, make_place, write_rows


def again(value):
    """Return a value as another process would get it."""
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("key", [definition.key for definition in scorers()])
def test_every_scorer_pickles_with_its_parameters(key):
    bound = Scorer(bind_scorer(key).definition, {"normalize": "squad", "unit_aliases": ("a=b",)}, 0.75)
    assert again(bound) == bound
    assert again(bound).definition is bound.definition


@pytest.mark.parametrize("key", [definition.key for definition in metrics()])
def test_every_metric_pickles_with_its_parameters(key):
    bound = Metric(bind_metric(key).definition, {"normalize": "squad"})
    assert again(bound) == bound


def test_a_scorer_that_is_a_closure_pickles_by_the_name_it_is_registered_by(monkeypatch):
    definition = replace(bind_scorer("number@v1").definition, name="closure", function=lambda *_: None)
    monkeypatch.setitem(SCORERS, ("closure", 1), definition)
    assert again(Scorer(definition)).definition is definition
    with pytest.raises(AttributeError, match="lambda"):
        pickle.dumps(Scorer(replace(definition, name="nobody's")))


TEXT = {"answer_type": "text", "metrics": ["f1", "bleu"], "eval": {"slice_by_tags": ["source"]}}
RULES = [
    {"name": "short", "max_tokens": 3},
    {"name": "words", "pattern": r"\w+ \w+"},
    {"name": "no_stop", "pattern": r"\.$", "invert": True},
    {"name": "json", "json_schema": {"type": "object", "properties": {"a": {"pattern": "^a+$"}}}},
    {"name": "one", "one_of": ["the cat", "7"]},
]
FIELDS = [
    {"type": "numeric_error", "pred_field": "pred_value", "label_field": "gt_value"},
    {"type": "reasoning_consistency", "pred_field": "pred_reasoning", "label_field": "gt_reasoning"},
]
TASKS = {
    "text": TEXT | {"eval": {**TEXT["eval"], "format_rules": RULES}},
    "clusters": TEXT | {"cluster_by": "source", "fields": {"prediction": "prediction", "reference": "reference"}},
    "labels": {"answer_type": "label", "aliases": {"the cat": ["cat"]}, "metrics": ["accuracy", "macro_f1"]},
    "choices": {"answer_type": "choice", "choices": ["7", "8"], "fields": {"choices": "options"}},
    "numbers": {"answer_type": "number", "extract": "answer_line"},
    "patterns": TEXT | {"extract": {"regex": r"(\w+)$"}},
    "solutions": {"answer_type": "text", "extract_reference": "answer_line"},
    "lists": {"answer_type": "list"},
    "mixed": {"answer_type": "mixed", "choices": ["7", "8"]},
    "fields": {"answer_type": "text", "metrics": FIELDS},
    "gold": TEXT | {"eval": {"gold_set": "gold.jsonl"}},
}


def made(kind):
    """Return items and their predictions, which a task of a kind can judge."""
    references = {"text": "the cat", "number": "7", "solutions": "so. Answer: 7"}
    reference = references.get(kind, "the cat" if kind in ("labels", "clusters", "patterns", "gold") else "7")
    items, answers = [], []
    for number in range(60):
        item = {"id": f"i{number}", "input": "q", "reference": reference, "tags": {"source": "ab"[number % 2]}}
        answer = {"id": f"i{number}", "prediction": ["Answer: 7", "the cat", "7", "<think>no</think> cat."][number % 4]}
        if kind == "mixed":
            item["answer_type"] = ["text", "choice", "list", "number"][number % 4]
        if kind == "choices" and number % 3 == 0:
            item["options"] = ["7", "cat"]
        if kind == "fields":
            item |= {"gt_value": 7, "gt_reasoning": {"final_answer": "7", "steps": ["a"]}}
            answer |= {"pred_value": number % 9, "pred_reasoning": {"final_answer": "7", "steps": ["a", "b"]}}
        items.append(item)
        answers.append(answer)
    return items, answers


def in_pickles(make, contents, workers, *, by_threads):
    """Judge every block by a judge of its own, both out of pickles, and give what was judged out of one."""
    del workers, by_threads
    for content in contents:
        judged = judged_in_order(lambda: again(make()), [again(content)], 1, by_threads=True)
        yield from map(again, judged)


def items_in_pickles(judge, blocks, workers):
    del workers
    for block in blocks:
        alone = again(judge)
        yield again(alone.judge(again(block)))
        judge.problems.merge(alone.problems)


@pytest.fixture
def evaluated(tmp_path, monkeypatch):
    """Returns what an evaluation leaves, with everything that is judged going through pickles or not."""
    monkeypatch.chdir(tmp_path)
    write_rows("gold.jsonl", [{"id": f"g{number}", "reference": "the cat"} for number in range(9)])

    def files(kind, name, smallest, options):
        items, answers = made(kind)
        answers += [{"id": f"g{number}", "prediction": "the cat"} for number in range(8)] if kind == "gold" else []
        write_rows("items.jsonl", items)
        write_rows("answers.jsonl", answers)
        if options:
            Path("answers.jsonl").write_bytes(b'{"id": "i7", \n' + Path("answers.jsonl").read_bytes())
        monkeypatch.setattr(streaming, "block_path", lambda *given: block_path(*given, smallest=smallest))
        task = {"task": kind, **TASKS[kind]}
        given = {"dataset": "items.jsonl", "predictions": "answers.jsonl", "runs_dir": tmp_path / "runs"}
        found = evaluate(EvaluateOptions(task=task, name=name, **given, **options))
        return {file: (found.path / file).read_bytes() for file in (ITEMS_FILE, RESULTS_FILE, JOURNAL_FILE)}

    return files


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("options", [{}, {"bad_rows": "quarantine", "sample_size": 40}])
@pytest.mark.parametrize("smallest", [0, 1 << 40])
@pytest.mark.parametrize("kind", TASKS)
def test_blocks_and_their_judges_that_went_through_pickles_are_judged_the_same(
    evaluated, kind, smallest, options, monkeypatch
):
    plain = evaluated(kind, "plain", smallest, options)
    monkeypatch.setattr(path, "judged_in_order", in_pickles)
    monkeypatch.setattr(streaming, "judged_by_processes", items_in_pickles)
    assert evaluated(kind, "pickled", smallest, options) == plain


EACH = {"task": "stored", "conversations": "conversations by traces"} | {
    kind: kind for kind in ("research", "training", "imported")
}
"""A way to make a run of each kind."""


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_a_recipe_made_ready_gives_the_same_out_of_a_pickle(kind, tmp_path):
    place = make_place(WAYS[EACH[kind]], tmp_path / "place")
    with inside(place.folder):
        run = open_run(place.folder / place.runs_dir, place.named("good"))
        recipe = again(read_recipe(run.record, run.config, run.path))
        ready = kind_of(run.record).again(recipe, run.path, run.record, aside=True)
        found = [derived(one, tmp_path / name) for one, name in ((again(ready), "pickled"), (ready, "plain"))]
    assert found[0] == found[1]


def derived(evaluation, folder):
    (folder / "eval").mkdir(parents=True)
    derive(evaluation, folder)
    return contents(folder)


def test_lines_of_a_file_are_read_in_another_process_and_those_of_a_copy_are_refused(tmp_path):
    file = tmp_path / "lines.jsonl"
    file.write_bytes(b"one\ntwo\n")
    assert again(LineFile(file, is_copied=False)).line(4, 3) == b"two"
    with pytest.raises(TypeError, match="a copy that only this process can read"):
        pickle.dumps(LineFile(file, is_copied=True))
