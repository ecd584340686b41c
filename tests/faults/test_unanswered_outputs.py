"""Half unanswered and more is a line of its own in every output; who is what stands in every verdict."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ITEMS = [{"id": f"q{row}", "prompt": f"What {row}?", "expected_answer": f"a{row}"} for row in range(10)]
LINE = "few has no answer to 6 of its 10 items: more than half is unanswered"
MODEL = """
import os
import signal

def dies(item):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def _outputs(name, rows):
    Path(f"{name}.jsonl").write_text("".join(json.dumps({"id": f"q{row}", "output": f"a{row}"}) + "\n" for row in rows))


@pytest.fixture
def folder(steelyard):
    """Two runs of the same task: one that answered four of ten items, and one that answered all."""
    Path("items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    for name, rows in {"whole": range(10), "few": range(6, 10)}.items():
        _outputs(name, rows)
        _evaluated(steelyard, name)
    return steelyard


def _evaluated(steelyard, name, *arguments):
    given = ("--dataset", "items.jsonl", "--predictions", f"{name}.jsonl", "--answer-type", "text", "--name", name)
    return steelyard("eval", *given, *arguments)


TEXT = [
    "runs show few",
    "rescore few",
    "compare --runs whole,few",
    "compare --runs few,whole --format markdown",
    "gate few --against whole",
    "gate whole --against few --format markdown",
]
JSON = [
    "runs show few",
    "rescore few",
    "compare --runs whole,few",
    "gate few --against whole",
    "gate whole --against few",
]


@pytest.mark.parametrize("line", TEXT)
def test_every_text_has_the_line_above_its_figures(folder, line):
    said = folder(*line.split()).out.replace("\\", "")
    said = re.sub(r"^## .*\n", "", said)  # the heading of a summary is its verdict
    above = said[: re.search(r"\d\.\d\d", said).start()]
    assert LINE in " ".join(above.split())


@pytest.mark.parametrize("line", JSON)
def test_every_json_has_the_line(folder, line):
    assert LINE in json.loads(folder(*line.split(), "--json").out)["warnings"]


def test_an_evaluation_says_it_as_soon_as_it_is_done(folder):
    _outputs("again", range(6, 10))
    assert _evaluated(folder, "again").out.startswith("warning: again has no answer to 6 of its 10 items")
    _outputs("third", range(6, 10))
    assert json.loads(_evaluated(folder, "third", "--json").out)["warnings"]


def test_a_run_that_answered_has_no_such_line(folder):
    assert "unanswered" not in folder("runs", "show", "whole").out
    assert json.loads(folder("runs", "show", "whole", "--json").out)["warnings"] == []
    assert "more than half" not in Path("runs/whole/eval/report.html").read_text()


def test_the_reports_have_the_line(folder):
    assert "no answer to 6 of its 10 items" in Path("runs/few/eval/report.html").read_text()
    folder("report", "whole", "--compare", "few", "--output", "held.html")
    assert LINE in Path("held.html").read_text()


def test_junit_and_summary_have_the_line(folder, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    folder("gate", "whole", "--against", "few", "--junit", "gates.xml")
    assert LINE in ElementTree.parse("gates.xml").getroot().findtext(".//system-out")
    assert LINE in Path("summary.md").read_text()


@pytest.fixture
def errors(steelyard):
    """Gate two runs over numbers on their errors: one is off by one on the hard half, the other leaves that out."""
    rows = [{"id": f"n{row}", "prompt": "?", "expected_answer": row + 1} for row in range(8)]
    Path("numbers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, left in {"base": 8, "silent": 4}.items():
        outputs = [{"id": f"n{row}", "output": row + 1 + row // 4} for row in range(left)]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in outputs))
        given = (
            "--dataset",
            "numbers.jsonl",
            "--predictions",
            f"{name}.jsonl",
            "--answer-type",
            "number",
            "--name",
            name,
        )
        steelyard("eval", *given)

    def run(rule):
        Path("policy.yaml").write_text(f"gates: [{rule}]")
        return json.loads(steelyard("gate", "silent", "--against", "base", "--policy", "policy.yaml", "--json").out)

    return run


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("{metric: mae, max_rise: 0.1}", "undecided"),
        ("{metric: mae, max: 0.1}", "undecided"),
        (
            "{metric: mae, max_rise: 0.1, unanswered: 0}",
            "undecided",
        ),  # its answers are all right, the baseline's mean is 0.5
        ("{metric: mae, max_rise: 0.1, unanswered: 10}", "fail"),
        ("{metric: mae, max: 0.1, unanswered: 10}", "fail"),
        ("{metric: mae, max: 6, unanswered: 10}", "pass"),  # (4 * 0 + 4 * 10) / 8
    ],
)
def test_nobody_gains_by_silence(errors, rule, verdict):
    assert errors(rule)["verdict"] == verdict


@pytest.mark.parametrize("value", [0, 9])
def test_an_answer_without_a_loss_is_not_left_out_of_a_loss(steelyard, value):
    rows = [
        {"id": f"q{row}", "expected_answer": "a", "prediction": "a", "loss": 1 + row // 2, "n_tokens": 5}
        for row in range(8)
    ]
    some = [row if place < 4 else {key: row[key] for key in list(row)[:3]} for place, row in enumerate(rows)]
    for name, given in {"base": rows, "some": some}.items():
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row | {"prompt": "?"}) + "\n" for row in given))
        steelyard("eval", "--dataset", f"{name}.jsonl", "--answer-type", "text", "--name", name)
    Path("policy.yaml").write_text(f"gates: [{{metric: eval_loss, max_rise: 0.1, unanswered: {value}}}]")
    found = json.loads(steelyard("gate", "some", "--against", "base", "--policy", "policy.yaml", "--json").out)
    assert (
        found["gates"][0]["reason"] == "4 items that the baseline answered have an answer without a value of eval_loss"
    )


def test_an_error_that_fell_by_silence_is_no_drift(errors):
    row = errors("{metric: mae, max_rise: 0.1}")["tasks"][0]["drift"]["metrics"]["mae"]
    assert (row["baseline"], row["current"], row["n"]) == (0.0, 0.0, 4)


def test_a_value_for_no_answer_that_is_better_than_answers_is_told(errors):
    (gate,) = errors("{metric: mae, max_rise: 0.1, unanswered: 0}")["gates"]
    assert (
        gate["reason"]
        == "4 items have no answer and count with 0, which is better than the mean of 0.5: silence would gain"
    )
    assert "what a wrong answer costs" in gate["hint"]


@pytest.mark.parametrize("baseline", ["whole", "main"])
def test_the_verdict_on_a_crashed_run_names_both_by_name_and_id(folder, baseline):
    folder("baseline", "set", "main", "whole")
    _crash("died")
    found = json.loads(folder("gate", "died", "--against", baseline, "--json").out)
    (part,) = found["tasks"]
    ids = [json.loads(folder("runs", "show", name, "--json").out)["run"]["run_id"] for name in ("died", "whole")]
    assert [part["run"], part["run_id"], part["baseline"], part["baseline_id"]] == ["died", ids[0], baseline, ids[1]]


def test_the_verdict_against_a_crashed_baseline_names_both_too(folder):
    _crash("died")
    found = json.loads(folder("gate", "whole", "--against", "died", "--json").out)
    (part,) = found["tasks"]
    assert (found["verdict"], part["run"], part["baseline"]) == ("undecided", "whole", "died")
    assert part["run_id"]
    assert part["baseline_id"]
    assert part["run_id"] != part["baseline_id"]


def _crash(name):
    """Leave a run whose process was killed in the middle of asking."""
    Path("dying.py").write_text(MODEL)
    given = [
        "eval",
        "--dataset",
        "items.jsonl",
        "--answer-type",
        "text",
        "--model",
        "python:dying:dies",
        "--name",
        name,
    ]
    subprocess.run([sys.executable, "-m", "steelyard", *given], env={**os.environ}, check=False, capture_output=True)


def test_primary_scores_of_two_names_are_held_where_that_is_allowed(folder):
    given = ("--dataset", "items.jsonl", "--predictions", "whole.jsonl", "--scorer", "answer_correctness@v1")
    folder("eval", *given, "--name", "other")
    assert folder("gate", "other", "--against", "whole", "--allow", "scorer").code == 3
    assert json.loads(folder("gate", "other", "--against", "whole", "--allow", "scorer", "--json").out)["gates"][0][
        "hint"
    ]


def test_a_prompt_that_changed_under_the_same_version_is_named(folder):
    for name, ending in {"one": "politely.", "two": "briefly."}.items():
        prompt = f"You are an assistant that knows a lot of the world as it is, and that answers {ending} {{prompt}}"
        task = {"task": "qa", "answer_type": "text", "prompt": prompt, "dataset": "items.jsonl"}
        Path(f"{name}.yaml").write_text(json.dumps(task))
        folder("eval", f"{name}.yaml", "--predictions", "whole.jsonl", "--name", name)
    found = folder("gate", "two", "--against", "one")
    assert found.code == 0
    assert "differs in prompt: …" in found.out
    assert "answers politely. {prompt} and …" in found.out


def test_a_latest_run_of_an_unknown_task_names_the_tasks_that_there_are(folder):
    assert "did you mean 'evaluation'?" in folder("gate", "latest@evalution").err
    assert "there are runs of evaluation" in folder("gate", "latest@other").err


def test_a_run_over_a_part_of_its_dataset_is_told_above_the_verdict(folder):
    _outputs("part", range(10))
    _evaluated(folder, "part", "--limit", "5")
    Path("policy.yaml").write_text("gates: [{metric: f1, min: 0.5}]")
    found = json.loads(folder("gate", "part", "--policy", "policy.yaml", "--json").out)
    assert found["warnings"] == ["part is over 5 items of its dataset: --limit or --sample-size was given"]


def test_items_without_a_tag_are_in_every_form_of_a_comparison(steelyard):
    rows = [item | ({"tags": {"lang": "de"}} if row % 2 else {}) for row, item in enumerate(ITEMS)]
    Path("items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, right in {"one": range(10), "two": range(5)}.items():
        _outputs(name, right)
        _evaluated(steelyard, name, "--slice-by", "lang")
    given = ("compare", "--runs", "one,two", "--slice-by", "lang")
    assert "lang=_untagged: two " in steelyard(*given).out
    assert "| Run | Overall | lang=de | lang=\\_untagged |" in steelyard(*given, "--format", "markdown").out
    steelyard("report", "two", "--compare", "one", "--output", "held.html")
    assert "_untagged" in Path("held.html").read_text()


def test_a_verdict_that_cannot_be_written_is_none(folder):
    found = folder("gate", "whole", "--against", "few", "--junit", "nowhere/gates.xml")
    assert (found.code, found.err.splitlines()[-1]) == (5, "steelyard: NO VERDICT (machine)")
