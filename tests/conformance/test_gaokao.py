"""Real Chinese data: GPT-4 on GAOKAO-Bench, raw output to answers, against the stored labels and official figures.

Upstream reads an answer in three ways. Biology and History: the last capital A to D of the output. Chinese: the first
letter after each 【答案】, else the first of the output. Physics: all letters after 【答案】. Each is one of our
extractions, and gives upstream's counts. `choice_letter` guesses nothing, so it differs where upstream keeps one letter
of several or takes one out of the analysis; each such place is classified here and counted.
"""

import gzip
import json
import re
import unicodedata
from collections import Counter

import pytest
from rouge_score.rouge_scorer import RougeScorer

from steelyard.canonical.extraction import parse_extraction
from steelyard.canonical.json_values import list_items
from steelyard.canonical.predictions import predicted_answer
from steelyard.records.answers import Choice, Text
from steelyard.registry import bind_scorer

OPTIONS = ("A", "B", "C", "D")
SUBJECTS = ("Biology", "Chinese_Lang_and_Usage", "History", "Physics")
UPSTREAM = {
    "Biology": {"regex": "[A-D]"},
    "History": {"regex": "[A-D]"},
    "Chinese_Lang_and_Usage": {"regex": r"【答案】[:：]?\s*([A-D])"},
    "Physics": "choice_letter",
}
# README.txt of the data: answers, and how many of them are exact.
EXACT = {"Biology": (150, 121), "Chinese_Lang_and_Usage": (80, 37), "History": (287, 217), "Physics": (64, 34)}


@pytest.fixture(scope="module")
def answers(shared_data):
    """Each answer of a subject: the output it stands in, the right letters, and the stored ones."""
    folder = shared_data("gaokao_zh")

    def read(subject):
        path = folder / f"gpt-4-0314_2010-2022_{subject}_MCQs.json.gz"
        examples = json.loads(gzip.decompress(path.read_bytes()))["example"]
        return [answer for example in examples for answer in _answers(example)]

    return {subject: read(subject) for subject in SUBJECTS}


def _answers(example):
    standard, stored = example["standard_answer"], example["model_answer"]
    outputs = [example["model_output"]] if len(standard) == 1 else example["model_output"].split("<eoa>")
    for number, right in enumerate(standard):
        yield outputs[number], right, stored[number] if number < len(stored) else ""


def extracted(output, extraction):
    return predicted_answer(output, "choice", parse_extraction(extraction), choices=OPTIONS)


def letters(parsed):
    return parsed.answer.value if parsed.answer else ""


@pytest.mark.parametrize("subject", SUBJECTS)
def test_upstreams_own_way_of_reading_gives_upstreams_counts(answers, subject):
    judge = bind_scorer("choice@v1")
    parsed = [(extracted(output, UPSTREAM[subject]), right) for output, right, _ in answers[subject]]
    passed = [judge(found.answer, Choice(right)).passed for found, right in parsed if found.answer]
    assert (len(parsed), sum(passed)) == EXACT[subject]


@pytest.mark.parametrize("subject", SUBJECTS)
def test_upstreams_own_way_of_reading_gives_the_stored_labels(answers, subject):
    found = [(letters(extracted(output, UPSTREAM[subject])), stored) for output, _, stored in answers[subject]]
    different = [(ours, stored) for ours, stored in found if ours != stored]
    # In one Chinese output the model says that no option is wrong; upstream takes the first letter of the analysis.
    assert different == ([("", "A")] if subject == "Chinese_Lang_and_Usage" else [])


def test_physics_gives_upstreams_partial_credit(answers):
    found = [(set(letters(extracted(output, "choice_letter"))), set(right)) for output, right, _ in answers["Physics"]]
    points = sum(6 if ours == right else 3 if ours and ours < right else 0 for ours, right in found)
    assert points == 213


# How often choice_letter differs from the stored label, and why.
REASONS = {
    "Biology": {"several letters": 6, "no letter": 2},
    "Chinese_Lang_and_Usage": {"several letters": 3, "no letter": 1, "left open before": 2},
    "History": {"several letters": 7, "no letter": 2, "left open before": 1},
    "Physics": {},
}
CHOICE_LETTER_EXACT = {"Biology": 118, "Chinese_Lang_and_Usage": 33, "History": 212, "Physics": 34}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_disagreement_of_choice_letter_with_the_stored_labels_has_a_reason(answers, subject):
    rows = [(extracted(output, "choice_letter"), output, right, stored) for output, right, stored in answers[subject]]
    assert sum(letters(found) == right for found, _, right, _ in rows) == CHOICE_LETTER_EXACT[subject]
    reasons = Counter(reason(found, output, stored) for found, output, _, stored in rows if letters(found) != stored)
    assert reasons == REASONS[subject]


def reason(found, output, stored):
    """Say why our letters differ from the stored one, by what can be seen in the output."""
    after_marker = re.findall(r"【答案】(.*)", output)
    if len(letters(found)) > 1 and stored in letters(found):
        return "several letters"
    if found.tags == ("parse_error",) and not re.search("[A-D]", after_marker[-1]):
        return "no letter"
    if found.tags == ("ambiguous_answer",) and re.search(
        "答案(应该)?是[A-D](或者|或)[A-D]|选[A-D](或者|或|还是)[A-D]", output
    ):
        return "left open before"
    return "unexplained"


class Characters:
    """Tokens for the reference package: words of [a-z0-9] and single Han characters, by a rule of this test's own."""

    def tokenize(self, text):
        return re.findall(r"[a-z0-9]+|[\u3400-\u4dbf\u4e00-\u9fff]", unicodedata.normalize("NFKC", text).lower())


def analyses(shared_data, count):
    path = shared_data("gaokao_zh") / "gpt-4-0314_2010-2022_History_MCQs.json.gz"
    examples = json.loads(gzip.decompress(path.read_bytes()))["example"][:count]
    return [(example["model_output"], example["analysis"]) for example in examples]


def test_chinese_analyses_score_as_the_reference_package_scores_their_characters(shared_data):
    oracle, judge = RougeScorer(["rouge1", "rougeL"], tokenizer=Characters()), bind_scorer("text@v1")
    for output, analysis in analyses(shared_data, 60):
        card, theirs = judge(Text(output), Text(analysis)), oracle.score(analysis, output)
        assert card.sub_scores["rouge1"] == theirs["rouge1"].fmeasure > 0
        assert card.sub_scores["rougeL"] == theirs["rougeL"].fmeasure > 0


def test_a_chinese_analysis_is_nearer_to_its_own_question_than_to_another(shared_data):
    pairs, judge = analyses(shared_data, 60), bind_scorer("text@v1")
    own = [judge(Text(output), Text(analysis)).sub_scores["f1"] for output, analysis in pairs]
    others = [analysis for _, analysis in pairs[1:] + pairs[:1]]
    other = [
        judge(Text(output), Text(analysis)).sub_scores["f1"]
        for (output, _), analysis in zip(pairs, others, strict=True)
    ]
    assert sum(mine > foreign for mine, foreign in zip(own, other, strict=True)) >= 54


@pytest.mark.parametrize(("index", "items"), [(4, ("A", "B", "C")), (6, ("A", "C")), (13, ("A", "B"))])
def test_a_chinese_list_in_a_real_answer_line_is_read(shared_data, index, items):
    path = shared_data("gaokao_zh") / "gpt-4-0314_2010-2022_Chinese_Lang_and_Usage_MCQs.json.gz"
    examples = json.loads(gzip.decompress(path.read_bytes()))["example"]
    output = next(example["model_output"] for example in examples if example["index"] == index)
    parsed = predicted_answer(output, "list", parse_extraction("answer_line"))
    assert parsed.answer.items == items == list_items(parsed.text)
