"""`text@v2`: free text against one or more references, by ROUGE, token F1, equality and keywords.

Where neither text has a token that ROUGE counts (Cyrillic, punctuation), its measures take the tokens of the
normalisation profile instead, so that a right answer in any script scores 1. In `text@v1` ROUGE read each text by its
own characters; now both texts of a pair are read by one rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from steelyard.records.answers import Profile, Text
from steelyard.records.scores import Direction, Score, ValueKind
from steelyard.registry import scorer
from steelyard.scoring.choice import named, quoted
from steelyard.text.rouge import of_tokens, reads_by_character, rouge_tokens
from steelyard.text.tokens import contains_sequence, exact_match, token_f1, tokens, words

Measure: TypeAlias = Literal["rouge1", "rougeL", "f1", "exact_match", "keyword_coverage"]


_PARTS: dict[str, Direction] = {
    "rouge1": "higher",
    "rougeL": "higher",
    "f1": "higher",
    "exact_match": "higher",
    "keyword_coverage": "higher",
}
_RATES: dict[str, ValueKind] = {"exact_match": "rate"}


@scorer(
    "text",
    version=2,
    pass_threshold=0.3,
    sub_scores=_PARTS,
    sub_values=_RATES,
    block="steelyard.scoring.blocks:text_form",
)
def text_answer(
    predicted: Text, expected: Text, *, primary: Measure = "rouge1", normalize: Profile | None = None
) -> Score:
    """ROUGE-1 F, or the measure that `primary` names; each measure is the best over the reference and its aliases.

    `normalize` unset means the reference's own profile. `keyword_coverage` is the share of the reference's keywords
    that stand in the prediction as whole tokens; it is null where the reference lists none, and then ROUGE-1 decides.

    >>> text_answer(Text("sales are up"), Text("sales went up")).primary
    0.6666666666666666
    """
    return _judged(predicted, expected, primary, normalize or expected.normalize, together=True)


@scorer(
    "text",
    version=1,
    pass_threshold=0.3,
    sub_scores=_PARTS,
    sub_values=_RATES,
    block="steelyard.scoring.blocks:text_form",
)
def text_answer_v1(
    predicted: Text, expected: Text, *, primary: Measure = "rouge1", normalize: Profile | None = None
) -> Score:
    """As version 2, but ROUGE reads each text by its own characters.

    >>> text_answer_v1(Text("Ｑ３"), Text("Q3 营收")).primary, text_answer(Text("Ｑ３"), Text("Q3 营收")).primary
    (0.0, 0.5)
    """
    return _judged(predicted, expected, primary, normalize or expected.normalize, together=False)


def _judged(predicted: Text, expected: Text, primary: Measure, profile: Profile, *, together: bool) -> Score:
    references = (expected.value, *expected.aliases)
    token_pairs = [_rouge_tokens(predicted.value, reference, profile, together=together) for reference in references]
    missing = missing_keywords(predicted.value, expected.keywords, profile)
    asked = len(expected.keywords)
    parts: dict[str, float | None] = {
        "rouge1": max(_rouge("rouge1", *pair) for pair in token_pairs),
        "rougeL": max(_rouge("rougeL", *pair) for pair in token_pairs),
        "f1": max(token_f1(predicted.value, reference, normalize=profile) for reference in references),
        "exact_match": max(exact_match(predicted.value, reference, normalize=profile) for reference in references),
        "keyword_coverage": (asked - len(missing)) / asked if asked else None,
    }
    name = "rouge1" if parts[primary] is None else primary
    value = parts[name]
    assert value is not None
    tags = _tags(predicted.value, missing, profile)
    return Score(value, _explain(predicted, expected, f"{name} {value:.3f}", missing), parts, tags)


def missing_keywords(text: str, keywords: Sequence[str], profile: Profile) -> list[str]:
    """Return the keywords that do not stand in a text as whole tokens, one after the other.

    >>> missing_keywords("Analysts support it, 营收增长", ("up", "营收"), "basic")
    ['up']
    """
    if not keywords:
        return []
    found = words(text, profile)
    return [keyword for keyword in keywords if not contains_sequence(found, words(keyword, profile))]


def _rouge_tokens(prediction: str, reference: str, profile: Profile, *, together: bool) -> tuple[list[str], list[str]]:
    by_character = reads_by_character(prediction, reference) if together else None
    predicted, expected = (rouge_tokens(text, by_character=by_character) for text in (prediction, reference))
    return (predicted, expected) if predicted or expected else (tokens(prediction, profile), tokens(reference, profile))


def _rouge(name: Literal["rouge1", "rougeL"], predicted: Sequence[str], expected: Sequence[str]) -> float:
    return of_tokens(name, predicted, expected).fmeasure if predicted or expected else 1.0


def _tags(prediction: str, missing: Sequence[str], profile: Profile) -> tuple[str, ...]:
    empty = ("empty_text",) if not tokens(prediction, profile) else ()
    return (*empty, *(("missing_keyword",) if missing else ()))


def _explain(predicted: Text, expected: Text, measured: str, missing: Sequence[str]) -> str:
    lacking = f"; missing keywords {named(missing)}" if missing else ""
    if not predicted.value.strip():
        return f"Expected {quoted(expected.value)}, found no text ({measured}){lacking}."
    return f"Expected {quoted(expected.value)}, found {quoted(predicted.value)} ({measured}){lacking}."
