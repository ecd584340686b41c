"""Seed 003, "统一答案抽象与回归评测设计（v1）": its objects, metrics and gates, through the installed command."""

import json

import pytest

CHOICE = {"value": "B", "aliases": ["option_b", "b"]}
NUMBER = {"value": 12.5, "unit": "%", "tolerance_abs": 0.5, "tolerance_rel": 0.02}
LIST = {"items": ["ai", "earnings"], "ordered": False, "unique": True}
TEXT = {"value": "短摘要文本", "normalize": "basic"}
REASONING = {
    "final_answer": {"value": "positive"},
    "steps": [{"id": "s1", "text": "..."}],
    "claims": [{"text": "营收增长", "evidence": ["news_1"]}],
}
META = {"schema_version": "v1", "prompt_version": "ie_json.v1", "scorer_version": "v1"}
SCORECARD = ["primary_score", "pass", "sub_scores", "error_tags", "explain"]


def canonical(answer_type, prediction, ground_truth):
    """Section 2's object, with exactly its keys."""
    return {
        "task_id": "event_eval", "sample_id": "S001", "answer_type": answer_type,
        "prediction": prediction, "ground_truth": ground_truth, "meta": META,
    }  # fmt: skip


def scored(command, *objects):
    """Section 4's ScoreCards of objects, by `steelyard score --stdin`."""
    done = command("steelyard score --stdin", stdin="".join(json.dumps(one) + "\n" for one in objects))
    return [json.loads(line) for line in done.stdout.splitlines()]


def metrics(command, write, entries, rows, **more):
    """The metrics of a task of field metrics, by name."""
    write("items.jsonl", [{"id": f"S{number:03}", **row} for number, row in enumerate(rows, start=1)])
    write("task.yaml", {"name": "event_eval", "version": "v1", "dataset": "items.jsonl", "metrics": entries, **more})
    done = command("steelyard eval task.yaml --name run --json")
    return {name: entry["value"] for name, entry in json.loads(done.stdout)["metric_details"].items()}


def entry(kind, field):
    return {"type": kind, "pred_field": field, "label_field": f"gt_{field}"}


def test_every_typed_answer_of_section_3_scores_1_against_itself_in_section_4s_keys(command):
    answers = {"choice": CHOICE, "number": NUMBER, "list": LIST, "text": TEXT, "reasoning": REASONING}
    cards = scored(command, *(canonical(kind, answer, answer) for kind, answer in answers.items()))
    assert [list(card) for card in cards] == [SCORECARD] * 5
    assert [(card["primary_score"], card["pass"], card["error_tags"]) for card in cards] == [(1.0, True, [])] * 5


def test_the_seeds_empty_example_is_refused_because_nothing_is_right_there(command):
    done = command("steelyard score --stdin", stdin=json.dumps(canonical("choice", {}, {})), code=3)
    assert "empty-reference" in done.stderr


def test_each_type_is_scored_by_section_5s_strategy(command):
    cards = scored(
        command,
        canonical("choice", {"value": "option_b"}, CHOICE),
        canonical("number", {"value": 12.9, "unit": "%"}, NUMBER),
        canonical("number", {"value": 14, "unit": "%"}, NUMBER),
        canonical("list", {"items": ["AI"]}, LIST),
        canonical("reasoning", {**REASONING, "final_answer": {"value": "negative"}}, REASONING),
    )
    assert [card["primary_score"] for card in cards] == [1.0, 1.0, 0.0, pytest.approx(2 / 3), 0.0]
    assert cards[1]["sub_scores"]["mae"] == pytest.approx(0.4)
    assert cards[1]["sub_scores"]["within_tol"] == 1.0
    assert {name: cards[3]["sub_scores"][name] for name in ("precision", "recall")} == {"precision": 1.0, "recall": 0.5}
    assert cards[3]["error_tags"] == ["missing_item"]
    assert cards[4]["sub_scores"]["claim_coverage"] == cards[4]["sub_scores"]["evidence_citation_rate"] == 1.0


def test_a_wrong_unit_and_a_missing_item_are_tagged_as_section_4_names_them(command):
    wanted = {"value": 12.5, "unit": "kg"}
    cards = scored(
        command,
        canonical("number", {"value": 12.5, "unit": "km"}, wanted),
        canonical("list", {"items": []}, LIST),
    )
    assert cards[0]["error_tags"][0] == "wrong_unit"
    assert cards[1]["error_tags"] == ["missing_item"]


def test_list_items_have_synonyms_from_the_reference_and_from_the_task(command, write):
    wanted = {**LIST, "aliases": {"ai": ["人工智能", "Artificial Intelligence"]}}
    (card,) = scored(command, canonical("list", {"items": ["人工智能", " Earnings "]}, wanted))
    assert card["primary_score"] == 1.0
    rows = [{"gt_topics": ["ai", "earnings"], "pred_topics": ["profits", "ai"]}]
    found = metrics(command, write, [entry("list_overlap", "topics")], rows, aliases={"earnings": ["profits"]})
    assert found["list_overlap.topics"] == 1.0


def test_claim_evidence_overlap_works_on_a_field_of_claims_and_prints_its_own_sub_scores_alone(command, write):
    rows = [
        {
            "claims": [{"text": "营收增长", "evidence": ["news_1"]}],
            "gt_claims": [{"text": "营收增长", "evidence": ["news_1", "news_2"]}],
        },
        {"claims": [], "gt_claims": [{"text": "x", "evidence": ["news_3"]}]},
    ]
    found = metrics(command, write, [entry("claim_evidence_overlap", "claims")], rows)
    assert found == {
        "claim_evidence_overlap.claims": pytest.approx(1 / 3),
        "evidence_precision": 1.0,
        "evidence_recall": 0.25,
        "evidence_f1": pytest.approx(1 / 3),
    }


def test_claim_verifiability_works_on_a_field_of_claims(command, write):
    claims = [{"text": "营收增长", "evidence": ["news_1"]}, {"text": "利润下降", "evidence": []}]
    rows = [{"claims": claims, "gt_claims": claims[:1]}]
    found = metrics(command, write, [entry("claim_verifiability", "claims")], rows)
    assert found == {
        "claim_verifiability.claims": 0.5,
        "claim_verifiability": 0.5,
        "evidence_citation_rate": 0.5,
        "claim_coverage": 1.0,
    }


def test_reasoning_step_order_works_on_a_field_of_steps(command, write):
    steps = [{"id": "s1", "text": "look"}, {"id": "s2", "text": "decide"}]
    rows = [{"steps": steps[::-1], "gt_steps": steps}, {"steps": "1. look\n2. decide", "gt_steps": ["look", "decide"]}]
    found = metrics(command, write, [entry("reasoning_step_order", "steps")], rows)
    assert found == {"reasoning_step_order.steps": 0.75, "step_order": 0.75, "step_completeness": 1.0}


def test_reasoning_consistency_works_on_a_field_of_final_answers_beside_the_reasoning(command, write):
    rows = [
        {"final_answer": "positive", "steps": ["so it is positive"], "gt_final_answer": "positive"},
        {"final_answer": "negative", "reasoning": "so it is negative", "gt_final_answer": {"value": "positive"}},
        {"final_answer": "positive", "steps": ["hard to say"], "gt_final_answer": "positive"},
        {"final_answer": "positive", "gt_final_answer": "positive"},
    ]
    found = metrics(command, write, [entry("reasoning_consistency", "final_answer")], rows)
    assert found == {
        "reasoning_consistency.final_answer": 0.5,
        "consistency": pytest.approx(2 / 3),
        "final_answer": 0.75,
    }


def test_metrics_side_by_side_each_print_their_own_sub_scores_and_no_others(command, write):
    rows = [
        {
            "claims": [{"text": "c", "evidence": ["n1"]}], "gt_claims": [{"text": "c", "evidence": ["n1"]}],
            "steps": ["a"], "gt_steps": ["a"],
        }
    ]  # fmt: skip
    found = metrics(
        command, write, [entry("claim_evidence_overlap", "claims"), entry("reasoning_step_order", "steps")], rows
    )
    assert set(found) == {
        "claim_evidence_overlap.claims", "evidence_precision", "evidence_recall", "evidence_f1",
        "reasoning_step_order.steps", "reasoning_step_order.steps.step_order",
        "reasoning_step_order.steps.step_completeness",
    }  # fmt: skip


def test_a_whole_reasoning_object_works_in_each_of_the_four(command, write):
    kinds = ["reasoning_consistency", "claim_evidence_overlap", "reasoning_step_order", "claim_verifiability"]
    whole = {**REASONING, "steps": [{"id": "s1", "text": "it is positive"}]}
    found = metrics(command, write, [entry(kind, "why") for kind in kinds], [{"pred_why": whole, "gt_why": whole}])
    assert [found[f"{kind}.why"] for kind in kinds] == [1.0] * 4


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("gt_claims", "text", "claim_evidence_overlap of gt_claims: found text where a list of claims is meant"),
        ("gt_claims", [{"txt": "x"}], "claim_evidence_overlap of gt_claims: a claim has no key 'txt'"),
    ],
)
def test_an_error_names_the_field_and_the_metric(command, write, field, value, told):
    write("items.jsonl", [{"id": "S001", "claims": [], field: value}])
    write("task.yaml", {"name": "t", "dataset": "items.jsonl", "metrics": [entry("claim_evidence_overlap", "claims")]})
    assert told in command("steelyard eval task.yaml", code=3).stderr


def test_a_field_that_no_row_has_is_told_with_the_metric(command, write):
    write("items.jsonl", [{"id": "S001", "claims": [], "gt_claimz": []}])
    write("task.yaml", {"name": "t", "dataset": "items.jsonl", "metrics": [entry("claim_evidence_overlap", "claims")]})
    told = command("steelyard eval task.yaml", code=2).stderr
    assert "the field 'gt_claims', named as the label_field of claim_evidence_overlap" in told


def test_a_misspelt_metric_is_told_with_the_field_and_what_was_meant(command, write):
    write("items.jsonl", [{"id": "S001", "claims": [], "gt_claims": []}])
    write("task.yaml", {"name": "t", "dataset": "items.jsonl", "metrics": [entry("claim_evidence_overlp", "claims")]})
    told = command("steelyard eval task.yaml", code=2).stderr
    assert "'claim_evidence_overlp' (of 'gt_claims')" in told
    assert "did you mean 'claim_evidence_overlap'?" in told


def test_a_models_json_is_read_by_the_fields_of_the_seeds_task_yaml(command, write):
    write("fn.py", 'def answer(item):\n    return \'{"sentiment": "option_b", "change": "12.9%"}\'\n')
    write("items.jsonl", [{"id": "S001", "text": "…", "gt_sentiment": CHOICE, "gt_change": NUMBER}])
    write(
        "task.yaml",
        "name: event_eval\nversion: v1\ndataset: items.jsonl\nprompt_template: 'Answer in JSON: {text}'\n"
        "prompt_version: ie_json.v1\nanswer_type: choice\nparse_schema: {sentiment: str, change: str}\nmetrics:\n"
        "  - {type: exact_match, pred_field: sentiment, label_field: gt_sentiment}\n"
        "  - {type: numeric_error, pred_field: change, label_field: gt_change}\n",
    )
    done = command("steelyard eval task.yaml --model python:fn:answer --name run --json", PYTHONPATH=".")
    found = json.loads(done.stdout)["metrics"]
    assert (found["exact_match.sentiment"], found["numeric_error.change"]) == (1.0, 1.0)


def test_section_7s_regression_has_a_baseline_gates_and_a_report_of_failures(command, write, tmp_path):
    rows = [{"gt_mood": "up", "pred_mood": "up"} for _ in range(10)]
    metrics(command, write, [entry("exact_match", "mood")], rows)
    command("steelyard baseline set main run")
    for row in rows[:4]:
        row["pred_mood"] = "down"
    write("items.jsonl", [{"id": f"S{number:03}", **row} for number, row in enumerate(rows, start=1)])
    command("steelyard eval task.yaml --name worse")
    write("policy.yaml", "gates:\n  - {metric: exact_match.mood, max_drop: 0.02}\n")
    done = command("steelyard gate worse --against main --policy policy.yaml", code=1)
    assert "S001" in done.stdout  # one of the failing samples
    shown = json.loads(command("steelyard compare --runs run,worse --format json").stdout)
    assert "wrong_choice" in json.dumps(shown)
    config = (tmp_path / "runs" / "run" / "config.yaml").read_text()
    record = json.loads((tmp_path / "runs" / "run" / "run.json").read_text())
    assert "event_eval" in config
    assert record["scorer_version"].startswith("choice@v1")
