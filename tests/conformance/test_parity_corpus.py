"""BLEU and chrF against sacrebleu, on random text, on hostile text and on real summaries."""

import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF

from steelyard.scoring.bleu import bleu, bleu_counts, bleu_tokens
from steelyard.scoring.chrf import chrf, chrf_counts

logging.getLogger("sacrebleu").setLevel(logging.ERROR)

TOKENIZERS = ["13a", "intl", "zh", "char", "none"]
WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "The",
    "U.S.",
    "1,000.5",
    "-5",
    "&amp;",
    "&quot;",
    "naïve",
    "营收",
    "上涨。",
    "(ok)",
    "…",
]
PROSE = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
TEXT = st.one_of(PROSE, PROSE, st.text(max_size=30), st.text("ab ,.\n-0", max_size=20))
CORPUS = st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=8)


def columns(corpus):
    """Return predictions and references as sacrebleu takes them: the n-th references of all items together."""
    depth = max(len(references) for _, references in corpus)
    streams = [[refs[place] if place < len(refs) else None for _, refs in corpus] for place in range(depth)]
    return [prediction for prediction, _ in corpus], streams


def summed(counts):
    return np.sum(np.array(counts, np.float64), axis=0)[None, :]


@settings(max_examples=200, deadline=None)
@given(CORPUS, st.sampled_from(TOKENIZERS), st.booleans(), st.sampled_from(["exp", "none"]))
def test_bleu_equals_sacrebleu(corpus, tokenize, lowercase, smooth):
    options = {"lowercase": lowercase, "tokenize": tokenize}
    ours = bleu(summed([bleu_counts(*pair, **options) for pair in corpus]), **options, smooth=smooth)[0]
    theirs = BLEU(**options, smooth_method=smooth, force=True).corpus_score(*columns(corpus)).score
    assert ours == theirs


@settings(max_examples=200, deadline=None)
@given(CORPUS, st.booleans(), st.sampled_from([0, 2]), st.sampled_from([1, 2, 3]))
def test_chrf_equals_sacrebleu(corpus, lowercase, word_order, beta):
    options = {"lowercase": lowercase, "word_order": word_order, "beta": beta}
    ours = chrf(summed([chrf_counts(*pair, **options) for pair in corpus]), **options)[0]
    assert ours == CHRF(**options).corpus_score(*columns(corpus)).score


@given(st.text(max_size=60), st.sampled_from(TOKENIZERS))
def test_tokens_equal_sacrebleu_on_any_text(text, tokenize):
    theirs = BLEU(tokenize=tokenize).tokenizer(text.rstrip()).split()
    assert bleu_tokens(text, tokenize, lowercase=False) == theirs


def test_every_character_is_tokenized_alike():
    # In pieces, so that sacrebleu's cache of lines does not see the same one twice.
    for start in range(0, 0x30000, 0x1000):
        text = " a".join(chr(point) for point in range(start, start + 0x1000) if not 0xD800 <= point < 0xE000)
        for tokenize in ("13a", "zh", "intl"):
            assert (
                bleu_tokens(text, tokenize, lowercase=False) == BLEU(tokenize=tokenize).tokenizer(text.rstrip()).split()
            )


def test_real_summaries_have_sacrebleus_figures(shared_data):
    folder = shared_data("rouge_testdata")
    predictions, targets = (
        (folder / f"{kind}_large.txt").read_text("utf-8").splitlines() for kind in ("prediction", "target")
    )
    pairs = [(prediction, [target]) for prediction, target in zip(predictions, targets, strict=True)]
    ours = (
        bleu(summed([bleu_counts(*pair) for pair in pairs]))[0],
        chrf(summed([chrf_counts(*pair) for pair in pairs]))[0],
    )
    assert ours == (
        BLEU(force=True).corpus_score(predictions, [targets]).score,
        CHRF().corpus_score(predictions, [targets]).score,
    )


@pytest.mark.parametrize("counts", [bleu_counts, chrf_counts])
def test_no_text_at_all_counts_nothing(counts):
    assert not any(counts("", [""]))
