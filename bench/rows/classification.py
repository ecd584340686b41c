"""Classification with its confusion matrix from 100k string labels, against scikit-learn from lists."""

from __future__ import annotations

from measure import interleaved, run_function
from setting import Result, Setting
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support
from workloads import texts, workload

from steelyard.aggregate.classification import ConfusionTally, figures
from steelyard.kernels.labels import labels_block
from steelyard.records.blocks import TextColumn

NAMES = ("accuracy", "macro_f1", "weighted_f1", "precision_per_class", "recall_per_class", "f1_per_class", "support")


def measure(setting: Setting) -> list[Result]:
    predictions, references = texts(workload(setting.folder, "cls", setting.size(100_000, 100_000)))
    columns = TextColumn.of(references), TextColumn.of(predictions)

    def ours():
        tally = ConfusionTally()
        tally.update(labels_block(columns[0]), labels_block(columns[1]))
        matrix = tally.confusion()
        return matrix, figures(matrix, NAMES)

    def peer():
        return (
            confusion_matrix(references, predictions),
            accuracy_score(references, predictions),
            precision_recall_fscore_support(references, predictions, average=None, zero_division=0),
            precision_recall_fscore_support(references, predictions, average="macro", zero_division=0),
            precision_recall_fscore_support(references, predictions, average="weighted", zero_division=0),
        )

    matrix, found = ours()
    wanted = peer()
    assert (matrix.matrix == wanted[0]).all()
    assert abs(found["macro_f1"] - wanted[3][2]) < 1e-12
    costs = interleaved(lambda: run_function(ours), lambda: run_function(peer), 5)
    return [Result("classification with confusion matrix, 100k string labels", "scikit-learn from lists", 50, *costs)]
