"""`steelyard.yaml`: options by name, under the command line, the environment and a task file."""

import json
from importlib import import_module

import click
import pytest
from click.testing import CliRunner

from steelyard.cli.main import COMMANDS, cli
from steelyard.cli.project import TASK_KEYS
from steelyard.configuration.project import COMMANDS as WITH_TOP
from steelyard.configuration.project import OPTIONS, SECTIONS
from steelyard.errors import ConfigurationError

OF_ONE_RUN = {
    "name", "run", "resume", "retry_failed", "json", "format", "output", "config", "task", "runs", "compare", "report",
    "verify_only", "dry_run", "no_store", "gates", "baseline", "agent", "prediction_field", "top_k",
}  # fmt: skip


def words(command):
    if isinstance(command, click.Group):
        return set().union(*map(words, command.commands.values()))
    options = [one for one in command.params if isinstance(one, click.Option)]
    return {max(one.opts, key=len).lstrip("-").replace("-", "_") for one in options}


def command_of(name):
    return getattr(import_module(COMMANDS[name][0]), f"{name}_command")


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command line in an empty folder; a row has the answer that is wanted."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.jsonl").write_text('{"id": "a", "reference": "x", "prediction": "x", "lang": "de"}\n')
    runner = CliRunner()

    def ran(line, project, **variables):
        (tmp_path / "steelyard.yaml").write_text(project)
        done = runner.invoke(cli, line.split(), env=variables, catch_exceptions=True)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.output

    return ran


def test_every_option_at_the_top_is_one_of_a_command_that_it_holds_for():
    known = set().union(*(words(command_of(name)) for name in WITH_TOP))
    assert set(OPTIONS) <= known
    assert set(WITH_TOP) <= set(SECTIONS) <= set(COMMANDS)
    assert not set(SECTIONS) & set(OPTIONS)


def test_every_option_of_eval_and_evaluate_is_there_or_a_matter_of_one_run():
    missing = (words(command_of("eval")) | words(command_of("evaluate"))) - set(OPTIONS)
    assert missing <= OF_ONE_RUN


def test_an_option_at_the_top_is_a_default_that_the_command_line_and_the_environment_stand_over(run, tmp_path):
    project = "dataset: items.jsonl\nanswer_type: text\nruns_dir: kept\nslice_by: [lang]\n"
    assert json.loads(run("eval --name one --json", project))["slices"].keys() == {"lang"}
    run("eval --name two --runs-dir here", project)
    run("eval --name three", project, STEELYARD_RUNS_DIR="there")
    assert [(tmp_path / one).is_dir() for one in ("kept/one", "here/two", "there/three")] == [True] * 3
    assert "one" in run("runs list", project)


def test_a_section_holds_for_its_command_alone_and_stands_over_the_top(run, tmp_path):
    project = "dataset: nowhere.jsonl\nanswer_type: text\neval: {dataset: items.jsonl}\nruns: {list: {limit: 1}}\n"
    for name in ("one", "two"):
        run(f"eval --name {name}", project)
    assert len(json.loads(run("runs list --json", project))["runs"]) == 1


def test_paths_are_relative_to_the_file_and_found_from_below(run, tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    run("eval --name one", "dataset: items.jsonl\nanswer_type: text\nruns_dir: runs\n")
    assert (tmp_path / "runs/one").is_dir()


def test_a_task_file_stands_over_the_project_where_it_says_the_same(run, tmp_path):
    (tmp_path / "task.yaml").write_text("task: t\ndataset: items.jsonl\nanswer_type: text\nmetrics: [exact_match]\n")
    project = "dataset: nowhere.jsonl\nmetrics: [rouge2]\nslice_by: lang\n"
    found = json.loads(run("eval task.yaml --json", project))
    assert "rouge2" not in found["metrics"]
    assert found["slices"].keys() == {"lang"}


def test_task_keys_are_keys_of_a_task_file():
    from steelyard.configuration.task import EvalBlock, Task

    assert set(TASK_KEYS.values()) <= set(Task.model_fields) | set(EvalBlock.model_fields)
    assert set(TASK_KEYS) <= set(OPTIONS)


def test_predictions_on_the_command_line_take_the_place_of_the_projects_model(run, tmp_path):
    (tmp_path / "said.jsonl").write_text('{"id": "a", "prediction": "y"}\n')
    project = "dataset: items.jsonl\nanswer_type: text\nmodel: mock\n"
    found = json.loads(run("eval --predictions said.jsonl --json", project))
    assert found["scorecard"]["primary_score"] == 0


@pytest.mark.parametrize(
    ("project", "told"),
    [
        ("modle: x\n", "there is no key 'modle'"),
        ("eval: {modle: x}\n", "`steelyard eval` has no option 'modle'"),
        ("seed: many\n", "seed: Input should be a valid integer"),
        ("name: x\n", "there is no key 'name'"),
        ("[]\n", "expected"),
    ],
)
def test_what_no_option_is_is_refused(run, project, told):
    with pytest.raises(ConfigurationError, match="(?s)" + told.replace("(", r"\(")) as caught:
        run("eval", project)
    assert caught.value.problems[0].file.endswith("steelyard.yaml")


def test_a_broken_project_does_not_hinder_the_schema_of_one(run):
    assert '"runs_dir"' in run("schema project", "modle: x\n")
