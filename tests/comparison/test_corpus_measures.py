"""BLEU and chrF of two runs against sacrebleu's own significance tests."""

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

from steelyard.comparison.corpus import CorpusMeasure
from steelyard.scoring.bleu import bleu, bleu_counts
from steelyard.scoring.chrf import chrf, chrf_counts

WORDS = tuple("abcdefghijklmnopqr")
"""One letter each: BLEU and chrF do not mind."""
METRICS = {"bleu": (BLEU, bleu_counts, bleu), "chrf": (CHRF, chrf_counts, chrf)}


def texts(seed: int, noise: tuple[float, float], n: int = 150) -> tuple[list[str], list[str], list[str]]:
    generator = np.random.default_rng(seed)
    references = [generator.choice(WORDS, 12).tolist() for _ in range(n)]

    def spoiled(share: float) -> list[str]:
        return [
            " ".join(w if generator.random() > share else generator.choice(WORDS) for w in ref) for ref in references
        ]

    return [" ".join(reference) for reference in references], spoiled(noise[0]), spoiled(noise[1])


def measured(name: str, references: list[str], first: list[str], second: list[str]) -> CorpusMeasure:
    _, counts, figures = METRICS[name]
    sides = [
        np.array([counts(text, [wanted]) for text, wanted in zip(side, references, strict=True)], np.int64)
        for side in (first, second)
    ]
    return CorpusMeasure(*sides, figures)


@pytest.mark.parametrize("name", ["bleu", "chrf"])
@pytest.mark.parametrize(("seed", "noise"), [(1, (0.35, 0.35)), (2, (0.35, 0.31)), (3, (0.35, 0.33))])
def test_both_p_values_are_those_of_sacrebleu(name: str, seed: int, noise: tuple[float, float]):
    references, first, second = texts(seed, noise)
    paired = measured(name, references, first, second).paired(np.arange(150), np.arange(150))
    theirs = {}
    for kind in ("ar", "bs"):
        systems = [("baseline", first), ("candidate", second)]
        test = PairedTest(systems, {name: METRICS[name][0](references=[references])}, None, test_type=kind)
        theirs[kind] = test()[1][next(key for key in test()[1] if key != "System")]
    assert paired.baseline == pytest.approx(theirs["ar"][0].score)
    assert paired.candidate == pytest.approx(theirs["ar"][1].score)
    # Draws of 10,000 and of 1,000 on either side: four standard errors of the difference.
    for found, wanted, draws in (
        (paired.p_value, theirs["ar"][1], 10_000),
        (paired.p_bootstrap, theirs["bs"][1], 1000),
    ):
        slack = 4 * np.sqrt(2 * wanted.p_value * (1 - wanted.p_value) / draws) + 2e-3
        assert abs(found - wanted.p_value) < slack


@pytest.mark.parametrize("name", ["bleu", "chrf"])
def test_the_interval_is_that_of_resampled_differences_and_never_narrower_than_what_was_not_seen(name: str):
    references, first, second = texts(4, (0.4, 0.3))
    both = measured(name, references, first, second)
    paired = both.paired(np.arange(150), np.arange(150))
    generator = np.random.default_rng(9)
    draws = []
    for _ in range(2000):
        rows = generator.integers(0, 150, 150)
        draws.append(both.figure(1, rows).value - both.figure(0, rows).value)
    low, high = np.quantile(draws, [0.025, 0.975])
    floor = 100 * (1 - 0.025 ** (1 / 150))
    assert paired.ci_low == pytest.approx(min(low, paired.delta - floor), abs=0.5)
    assert paired.ci_high == pytest.approx(max(high, paired.delta + floor), abs=0.5)


@pytest.mark.parametrize("name", ["bleu", "chrf"])
@pytest.mark.parametrize("clusters", [None, np.arange(150) // 5])
def test_exchanging_the_runs_changes_signs_only(name: str, clusters: np.ndarray | None):
    references, first, second = texts(5, (0.4, 0.3))
    rows = np.arange(150)
    one = measured(name, references, first, second).paired(rows, rows, clusters)
    two = measured(name, references, second, first).paired(rows, rows, clusters)
    assert (one.delta, one.ci_low, one.ci_high) == (-two.delta, -two.ci_high, -two.ci_low)
    assert (one.p_value, one.p_bootstrap) == (two.p_value, two.p_bootstrap)


def test_equal_texts_have_p_one_and_an_interval():
    references, first, _ = texts(6, (0.4, 0.3))
    paired = measured("bleu", references, first, first).paired(np.arange(150), np.arange(150))
    assert (paired.delta, paired.p_value, paired.p_bootstrap) == (0.0, 1.0, 1.0)
    assert paired.ci_high == -paired.ci_low == pytest.approx(100 * (1 - 0.025 ** (1 / 150)))


def test_texts_of_one_conversation_are_drawn_together():
    references, first, second = texts(7, (0.4, 0.4), 30)
    five = [list(np.repeat(side, 5)) for side in (references, first, second)]
    both = measured("bleu", *five)
    rows = np.arange(150)
    alone, together = both.paired(rows, rows), both.paired(rows, rows, rows // 5)
    assert together.units == 30
    assert together.test == "approximate-randomisation-clustered"
    assert together.ci_high - together.ci_low > 1.7 * (alone.ci_high - alone.ci_low)
