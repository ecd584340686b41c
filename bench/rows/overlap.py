"""Exact match and F1 of 5-token answers, against the loop of the SQuAD v1.1 evaluation script."""

from __future__ import annotations

import re
import string
from collections import Counter

from measure import interleaved, run_function
from setting import Result, Setting
from workloads import texts, workload

from steelyard.kernels.overlap import overlap_block
from steelyard.records.blocks import TextColumn


def normalize_answer(text):
    def remove_articles(text):
        return re.sub(r"\b(a|an|the)\b", " ", text)

    def white_space_fix(text):
        return " ".join(text.split())

    def remove_punc(text):
        exclude = set(string.punctuation)
        return "".join(ch for ch in text if ch not in exclude)

    return white_space_fix(remove_articles(remove_punc(text.lower())))


def f1_score(prediction, ground_truth):
    prediction_tokens = normalize_answer(prediction).split()
    ground_truth_tokens = normalize_answer(ground_truth).split()
    common = Counter(prediction_tokens) & Counter(ground_truth_tokens)
    num_same = sum(common.values())
    if num_same == 0:
        return float(prediction_tokens == ground_truth_tokens == [])
    precision = 1.0 * num_same / len(prediction_tokens)
    recall = 1.0 * num_same / len(ground_truth_tokens)
    return (2 * precision * recall) / (precision + recall)


def exact_match_score(prediction, ground_truth):
    return normalize_answer(prediction) == normalize_answer(ground_truth)


def measure(setting: Setting) -> list[Result]:
    predictions, references = texts(workload(setting.folder, "short", setting.size(100_000, 20_000)))
    columns = TextColumn.of(predictions), TextColumn.of(references)
    found = overlap_block(*columns, normalize="squad")
    wanted = [f1_score(*pair) for pair in zip(predictions, references, strict=True)]
    assert max(abs(found.f1 - wanted)) < 1e-12

    def peer() -> None:
        for prediction, reference in zip(predictions, references, strict=True):
            exact_match_score(prediction, reference)
            f1_score(prediction, reference)

    ours, theirs = interleaved(
        lambda: run_function(lambda: overlap_block(*columns, normalize="squad")), lambda: run_function(peer), 3
    )
    return [Result("EM + F1, 5-token answers", "the SQuAD script's loop", 25, ours, theirs)]
