"""ROUGE-1 and ROUGE-L of 80-token texts, against the package rouge-score."""

from __future__ import annotations

from measure import interleaved, run_function
from rouge_score.rouge_scorer import RougeScorer
from setting import Result, Setting
from workloads import texts, workload

from steelyard.kernels.overlap import rouge_block
from steelyard.records.blocks import TextColumn
from steelyard.text.tokens import has_cjk


def measure(setting: Setting) -> list[Result]:
    predictions, references = texts(workload(setting.folder, "sum", setting.size(20_000, 4_000)))
    few = setting.size(2_000, 500)
    scorer = RougeScorer(["rouge1", "rougeL"])
    columns = TextColumn.of(predictions), TextColumn.of(references)
    rouge_block(columns[0][:1], columns[1][:1], pairs=False)
    found = rouge_block(*columns, pairs=False)

    def peer() -> None:
        for prediction, reference in zip(predictions[:few], references[:few], strict=True):
            scorer.score(reference, prediction)

    for row in range(few):
        if not has_cjk(predictions[row] + references[row]):
            wanted = scorer.score(references[row], predictions[row])
            assert (wanted["rouge1"].fmeasure, wanted["rougeL"].fmeasure) == (found.rouge1[row], found.rouge_l[row])
    share = few / len(predictions)
    ours, theirs = interleaved(
        lambda: _scaled(run_function(lambda: rouge_block(*columns, pairs=False)), share), lambda: run_function(peer), 3
    )
    return [Result("ROUGE-1 + ROUGE-L, 80-token texts", "rouge-score", 150, ours, theirs)]


def _scaled(cost, share):
    return type(cost)(cost.seconds * share)
