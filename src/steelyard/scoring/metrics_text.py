"""Text metrics of seed 001, one number per item: exact match, token F1 and the ROUGE family."""

from __future__ import annotations

from steelyard.records.answers import Profile
from steelyard.registry import metric
from steelyard.text import overlap
from steelyard.text.rouge import rouge


@metric("exact_match", values="rate")
def exact_match(prediction: str, reference: str, *, normalize: Profile = "basic") -> float:
    """1 if both texts are equal after normalisation, else 0."""
    return overlap.exact_match(prediction, reference, normalize=normalize)


@metric("f1")
def f1(prediction: str, reference: str, *, normalize: Profile = "basic") -> float:
    """F1 of the tokens as multisets after normalisation; both empty is 1, one empty is 0."""
    return overlap.token_f1(prediction, reference, normalize=normalize)


@metric("rouge1")
def rouge1(prediction: str, reference: str, *, stemmer: bool = False) -> float:
    """F of shared single tokens, equal to rouge-score."""
    return rouge("rouge1", prediction, reference, stemmer=stemmer).fmeasure


@metric("rouge2")
def rouge2(prediction: str, reference: str, *, stemmer: bool = False) -> float:
    """F of shared pairs of tokens, equal to rouge-score."""
    return rouge("rouge2", prediction, reference, stemmer=stemmer).fmeasure


@metric("rougeL")
def rouge_l(prediction: str, reference: str, *, stemmer: bool = False) -> float:
    """F of the longest common subsequence of tokens, equal to rouge-score."""
    return rouge("rougeL", prediction, reference, stemmer=stemmer).fmeasure


@metric("rougeLsum")
def rouge_l_sum(prediction: str, reference: str, *, stemmer: bool = False) -> float:
    """F of the longest common subsequences line by line, equal to rouge-score."""
    return rouge("rougeLsum", prediction, reference, stemmer=stemmer).fmeasure
