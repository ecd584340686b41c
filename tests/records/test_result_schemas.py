"""The schema of `eval_results.json` against files that real evaluations of every kind have written."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from steelyard.cli.main import cli
from steelyard.schemas import schema_of

ROOT = Path(__file__).resolve().parents[2]
PAIRS = ["aa", "ab", "bb", "bc", "cc", "ca", "aa", "bb"]
LABELS = [
    {"id": number, "text": "t", "label": label, "prediction": guess, "tags": {"source": f"s{number % 2}"}}
    for number, (label, guess) in enumerate(PAIRS)
]
COMMANDS = {
    "text, rules, gold set, losses": ["eval", "examples/sft_replies/task.yaml"],
    "fields": ["eval", "examples/events/task.yaml"],
    "no answers": ["eval", "examples/demo/plain.yaml", "--model", "mock"],
    "labels, slices": [
        *("eval", "--dataset", "labels.jsonl", "--answer-type", "label", "--slice-by", "source"),
        *("--metrics", "accuracy,macro_f1,f1_per_class,support,confusion_matrix"),
    ],
    "clusters": ["eval", "--dataset", "labels.jsonl", "--answer-type", "text", "--cluster-by", "source"],
    "conversations": [
        *("evaluate", "--dataset", "examples/convfinqa/conversations.json", "--traces", "traces.json"),
    ],
    "research": [
        *("research", "--golden", "examples/research/golden_queries.json"),
        *("--outputs", "examples/research/outputs", "--slice-by", "field"),
    ],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, dict]:
    """What each command has written, by what it is about."""
    folder = tmp_path_factory.mktemp("results")
    for name in ("examples", "evalsets"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in LABELS))
    traces = [{"conversation_id": "Single_aldermoor_2008", "turns": [{"turn_idx": 0, "actual_answer": "826.3"}]}]
    (folder / "traces.json").write_text(json.dumps(traces))
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for number, (about, command) in enumerate(COMMANDS.items()):
            done = CliRunner().invoke(cli, [*command, "--name", f"run-{number}"])
            assert done.exit_code in (0, 1), done.output
            found[about] = json.loads(Path("runs", f"run-{number}", "eval", "eval_results.json").read_bytes())
    return found


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    return Draft202012Validator(schema_of("eval-results"))


@pytest.mark.parametrize("about", COMMANDS)
def test_what_an_evaluation_writes_is_of_the_schema(results, validator, about):
    validator.validate(results[about])


def test_the_files_have_every_key_that_the_schema_names(results, validator):
    named = validator.schema["$defs"]["RunResults"]["properties"]
    assert {key for content in results.values() for key in content} == set(named)


def broken(content, path, value):
    copy = json.loads(json.dumps(content))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return copy


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("unknown",), 1),
        (("format_version",), 2),
        (("primary_metric",), None),
        (("scorecard", "n_items"), -1),
        (("scorecard", "primary_score"), 1.5),
        (("scorecard", "source_counts"), {"s0": 0.5}),
        (("scorecard", "states", "lost"), 1),
        (("metrics", "accuracy"), "0.5"),
        (("metric_details", "accuracy", "direction"), "up"),
        (("metric_details", "accuracy", "extra"), 0),
        (("slices", "source", "s0", "accuracy"), "high"),
        (("slices", "source", "s0", "intervals", "accuracy"), {}),
    ],
)
def test_the_schema_refuses_what_no_evaluation_writes(results, validator, path, value):
    content = results["labels, slices"]
    validator.validate(broken(content, ("scorecard", "primary_score"), None))
    assert not validator.is_valid(broken(content, path, value))


def test_results_without_a_part_are_refused(results, validator):
    content = results["labels, slices"]
    for name in validator.schema["$defs"]["RunResults"]["required"]:
        assert not validator.is_valid({key: value for key, value in content.items() if key != name}), name
