"""Text metrics against reference code that we did not write: 0 difference, on random text and on real text."""

import collections
import json
import re
import string
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from steelyard.text.rouge import rouge
from steelyard.text.tokens import exact_match, has_cjk, normalise, token_f1

NAMES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
ROUGE_SCORE = {stemmer: RougeScorer(NAMES, use_stemmer=stemmer) for stemmer in (False, True)}

WORDS = ["the", "a", "An", "cat", "cats", "running", "flies", "relational", "3", "U.S.", "naïve", "İ", "K", "’s", "--"]
PROSE = st.lists(st.sampled_from([*WORDS, "\n", "\n\n"]), max_size=30).map(" ".join)
ASCII = st.text(st.characters(max_codepoint=127), max_size=60)
NOT_CJK = st.text(max_size=60).filter(lambda text: not has_cjk(text))


@settings(max_examples=400)
@given(*[st.one_of(PROSE, ASCII, NOT_CJK)] * 2, st.booleans())
def test_rouge_equals_rouge_score_to_the_last_bit_on_any_text_without_cjk(prediction, reference, stemmer):
    theirs = ROUGE_SCORE[stemmer].score(reference, prediction)
    for name in NAMES:
        assert rouge(name, prediction, reference, stemmer=stemmer) == tuple(theirs[name])


# From the README of the data: rouge-score 0.1.2 per line, mean of precision, recall and F.
LARGE_FILE = {
    False: {
        "rouge1": (0.498746849, 0.319485149, 0.385525491),
        "rouge2": (0.291398319, 0.181801136, 0.221449081),
        "rougeL": (0.495715334, 0.317603537, 0.383231179),
        "rougeLsum": (0.495715334, 0.317603537, 0.383231179),
    },
    True: {
        "rouge1": (0.524279895, 0.335670805, 0.405115613),
        "rouge2": (0.321413453, 0.20021444, 0.24402109),
        "rougeL": (0.521011686, 0.3336544, 0.402651444),
        "rougeLsum": (0.521011686, 0.3336544, 0.402651444),
    },
}


@pytest.mark.parametrize("stemmer", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_rouge_gives_the_figures_of_its_test_data(shared_data, name, stemmer):
    folder = shared_data("rouge_testdata")
    predictions, targets = (
        (folder / f"{kind}_large.txt").read_text("utf-8").splitlines() for kind in ("prediction", "target")
    )
    rows = [rouge(name, *pair, stemmer=stemmer) for pair in zip(predictions, targets, strict=True)]
    assert len(rows) == 1000
    assert tuple(round(fmean(column), 9) for column in zip(*rows, strict=True)) == LARGE_FILE[stemmer][name]


def test_rouge_lsum_of_the_whole_file_is_the_figure_of_its_test_data(shared_data):
    folder = shared_data("rouge_testdata")
    prediction, target = ((folder / f"{kind}_large.txt").read_text("utf-8") for kind in ("prediction", "target"))
    assert rouge("rougeLsum", prediction, target) == (0.6878976234003656, 0.43550925925925926, 0.5333522324592488)


# The SQuAD v1.1 evaluation script, as published.


def normalize_answer(s):
    def remove_articles(text):
        return re.sub(r"\b(a|an|the)\b", " ", text)

    def white_space_fix(text):
        return " ".join(text.split())

    def remove_punc(text):
        exclude = set(string.punctuation)
        return "".join(ch for ch in text if ch not in exclude)

    def lower(text):
        return text.lower()

    return white_space_fix(remove_articles(remove_punc(lower(s))))


def f1_score(prediction, ground_truth):
    prediction_tokens = normalize_answer(prediction).split()
    ground_truth_tokens = normalize_answer(ground_truth).split()
    common = collections.Counter(prediction_tokens) & collections.Counter(ground_truth_tokens)
    num_same = sum(common.values())
    if num_same == 0:
        return 0
    precision = 1.0 * num_same / len(prediction_tokens)
    recall = 1.0 * num_same / len(ground_truth_tokens)
    return (2 * precision * recall) / (precision + recall)


ANY_TEXT = st.one_of(PROSE, ASCII, st.text(max_size=60), st.text("the an营収가 .,", max_size=30))


@settings(max_examples=400)
@given(ANY_TEXT, ANY_TEXT)
def test_squad_measures_equal_the_script_on_any_text(prediction, reference):
    assert normalise(prediction, "squad") == normalize_answer(prediction)
    equal = normalize_answer(prediction) == normalize_answer(reference)
    assert exact_match(prediction, reference, normalize="squad") == equal
    # The script gives 0 where nothing is left of both texts; two empty texts are equal here (page 20), as in SQuAD 2.0.
    theirs = f1_score(prediction, reference) if normalize_answer(prediction) or normalize_answer(reference) else 1.0
    assert token_f1(prediction, reference, normalize="squad") == theirs


# From the README of the data: the official v1.1 script, in percent.
SQUAD_FIGURES = {
    "pred_1.1_bert_ensemble.json": (75.37993920972644, 86.44773946651118),
    "pred_1.1_logistic_regression.json": (34.954407294832826, 46.268978607273546),
    "pred_1.1_rnet_plus.json": (72.49240121580547, 82.67837627334016),
}


@pytest.mark.parametrize("file", SQUAD_FIGURES)
def test_squad_measures_give_the_figures_of_real_systems(shared_data, file):
    folder = shared_data("squad_xquad_en")
    predictions = json.loads((folder / file).read_text("utf-8"))
    pairs = [(predictions.get(key), answers) for key, answers in _gold(folder / "xquad_en_gold.json").items()]
    assert len(pairs) == 658
    for measure, figure in zip((exact_match, token_f1), SQUAD_FIGURES[file], strict=True):
        values = [
            0.0 if prediction is None else max(measure(prediction, answer, normalize="squad") for answer in answers)
            for prediction, answers in pairs
        ]
        assert 100.0 * sum(values) / len(values) == figure


def _gold(path):
    articles = json.loads(path.read_text("utf-8"))["data"]
    return {
        question["id"]: [answer["text"] for answer in question["answers"]]
        for article in articles
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    }
