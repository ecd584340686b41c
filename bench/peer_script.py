# ruff: noqa: PTH123, SIM115, B905 - a copy of the script that people write, kept as they write it
"""The script people write today, as the peer of an end-to-end benchmark.

usage: peer_script.py WORKLOAD.jsonl OUTPUT.jsonl [ROUNDS]

json + SQuAD exact match and F1 + rouge-score + two format rules + slices + hard examples + numpy bootstrap,
per-item output. Prints one JSON line: CPU seconds, peak memory, metric means, the F1 interval.
"""

import collections
import json
import re
import resource
import string
import sys
import time

import numpy as np
from rouge_score import rouge_scorer

ENDS_WITH_PERIOD = re.compile(r"\.$")
PREAMBLE = re.compile(r"^(?:Sure|Of course|I'd be happy)")
ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = set(string.punctuation)


def normalise(text):
    text = "".join(c for c in text.lower() if c not in PUNCTUATION)
    return " ".join(ARTICLES.sub(" ", text).split())


def token_f1(prediction, reference):
    predicted, expected = normalise(prediction).split(), normalise(reference).split()
    if not predicted or not expected:
        return float(predicted == expected)
    shared = sum((collections.Counter(predicted) & collections.Counter(expected)).values())
    if shared == 0:
        return 0.0
    precision, recall = shared / len(predicted), shared / len(expected)
    return 2 * precision * recall / (precision + recall)


def main(source, target, rounds=1000):
    scorer = rouge_scorer.RougeScorer(["rouge1", "rougeL"], use_stemmer=False)
    rows = [json.loads(line) for line in open(source, encoding="utf-8")]
    scores, slices = [], {}
    with open(target, "w", encoding="utf-8") as out:
        for row in rows:
            prediction, reference = row["prediction"], row["reference"]
            rouge = scorer.score(reference, prediction)
            score = (
                float(normalise(prediction) == normalise(reference)),
                token_f1(prediction, reference),
                rouge["rouge1"].fmeasure,
                rouge["rougeL"].fmeasure,
                float(bool(ENDS_WITH_PERIOD.search(prediction)) and not PREAMBLE.search(prediction)),
            )
            scores.append(score)
            for key, value in row["tags"].items():
                slices.setdefault((key, value), []).append(score)
            out.write(json.dumps({"id": row["id"], "scores": score}) + "\n")
    scores = np.array(scores)
    slices = {key: np.mean(value, axis=0).tolist() for key, value in slices.items()}
    hardest = np.argsort(scores[:, 1], kind="stable")[:50]
    rng, n = np.random.default_rng(0), len(scores)
    means = np.array([scores[rng.integers(0, n, n)].mean(0) for _ in range(rounds)])
    low, high = np.percentile(means, [2.5, 97.5], axis=0)
    print(
        json.dumps(
            {
                "n": n,
                "cpu_s": round(time.process_time(), 2),
                "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
                "means": dict(zip(["exact_match", "f1", "rouge1", "rougeL", "format"], map(float, scores.mean(0)))),
                "f1_interval": [float(low[1]), float(high[1])],
                "slices": len(slices),
                "hardest": int(hardest[0]),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *(int(a) for a in sys.argv[3:4]))
