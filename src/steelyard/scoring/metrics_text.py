"""Text metrics of seed 001, one number per item: exact match, token F1 and the ROUGE family."""

from __future__ import annotations

from steelyard.records.answers import Profile
from steelyard.registry import metric
from steelyard.text import tokens as overlap
from steelyard.text.rouge import rouge


@metric("exact_match", values="rate")
def exact_match(prediction: str, reference: str, *, normalize: Profile = "basic") -> float:
    """1 if both texts are equal after normalisation, else 0."""
    return overlap.exact_match(prediction, reference, normalize=normalize)


@metric("f1")
def f1(prediction: str, reference: str, *, normalize: Profile = "basic") -> float:
    """F1 of the tokens as multisets after normalisation; both empty is 1, one empty is 0."""
    return overlap.token_f1(prediction, reference, normalize=normalize)


@metric("rouge1", version=2)
def rouge1(prediction: str, reference: str, *, stemmer: bool = False) -> float:
    """F of shared single tokens, equal to rouge-score; both texts are read by one rule."""
    return rouge("rouge1", prediction, reference, stemmer=stemmer).fmeasure


@metric("rouge2", version=2)
def rouge2(prediction: str, reference: str, *, stemmer: bool = False) -> float:
    """F of shared pairs of tokens, equal to rouge-score; both texts are read by one rule."""
    return rouge("rouge2", prediction, reference, stemmer=stemmer).fmeasure


@metric("rougeL", version=2)
def rouge_l(prediction: str, reference: str, *, stemmer: bool = False) -> float:
    """F of the longest common subsequence of tokens, equal to rouge-score; both texts are read by one rule."""
    return rouge("rougeL", prediction, reference, stemmer=stemmer).fmeasure


@metric("rougeLsum", version=2)
def rouge_l_sum(prediction: str, reference: str, *, stemmer: bool = False) -> float:
    """F of the longest common subsequences line by line, equal to rouge-score; both texts are read by one rule."""
    return rouge("rougeLsum", prediction, reference, stemmer=stemmer).fmeasure


# Version 1: a text was read by its own characters, so Han on one side did not change how the other was read.


@metric("rouge1", version=1)
def rouge1_v1(prediction: str, reference: str, *, stemmer: bool = False) -> float:
    """F of shared single tokens, equal to rouge-score; each text is read by its own characters."""
    return rouge("rouge1", prediction, reference, stemmer=stemmer, together=False).fmeasure


@metric("rouge2", version=1)
def rouge2_v1(prediction: str, reference: str, *, stemmer: bool = False) -> float:
    """F of shared pairs of tokens, equal to rouge-score; each text is read by its own characters."""
    return rouge("rouge2", prediction, reference, stemmer=stemmer, together=False).fmeasure


@metric("rougeL", version=1)
def rouge_l_v1(prediction: str, reference: str, *, stemmer: bool = False) -> float:
    """F of the longest common subsequence of tokens, equal to rouge-score; each text is read by its own characters."""
    return rouge("rougeL", prediction, reference, stemmer=stemmer, together=False).fmeasure


@metric("rougeLsum", version=1)
def rouge_l_sum_v1(prediction: str, reference: str, *, stemmer: bool = False) -> float:
    """F of the longest common subsequences line by line, as rouge-score; each text read by its own characters."""
    return rouge("rougeLsum", prediction, reference, stemmer=stemmer, together=False).fmeasure
