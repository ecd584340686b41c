"""What prompts of one eval set give away: that one nearly repeats another, or that it contains its own answer.

Both are signs and no proof, so they are warnings. Near-duplicates are found by prefix filtering (Bayardo, Ma and
Srikant, "Scaling up all pairs similarity search", 2007): two sets that overlap by nine tenths share one of their rarest
tenth of members, so each prompt is compared only with those that it shares such a rare member with.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

from steelyard.text.tokens import collapse, has_cjk, normalise

SIMILAR_TENTHS = 9
"""Prompts are near-duplicates from a Jaccard index of 0.9 on; in tenths, so that bounds are exact integers."""

CANDIDATES = 256
"""How many earlier prompts one is held against at most: what keeps a file of prompts from one mould near-linear."""

_PUNCTUATION = re.compile(r"""[.,;:!?…"'`“”‘’«»()\[\]{}。，；：！？、]+(?=\s|$)|(?:(?<=\s)|^)["'`“”‘’«»(\[{]+""")
_SMALL_NUMBER = re.compile(r"[-+]?\d{1,3}(?:\.\d)?%?")
_ANSWER_FORMS = frozenset({"yes", "no", "true", "false"})


class NearDuplicate(NamedTuple):
    """Positions of a prompt and of an earlier one that it nearly repeats."""

    later: int
    earlier: int
    similarity: float


class _Sketch(NamedTuple):
    """The rarest shingles of a prompt, by which near-duplicates are recognised before they are compared."""

    indexed: list[str]
    """Two near-duplicates have one of these in common."""
    rare: frozenset[str]
    """Twice as many, of which two near-duplicates have more than half in common."""
    common: int
    """How many that is."""


def near_duplicates(prompts: Sequence[str]) -> Iterator[NearDuplicate]:
    """Yield, for each prompt that nearly repeats earlier ones, one of those.

    >>> list(near_duplicates(["Name the capital of Peru.", "What is 2 + 2?", "name the capital of Peru"]))
    [NearDuplicate(later=2, earlier=0, similarity=1.0)]
    """
    texts = [_normal_form(prompt) for prompt in prompts]
    frequency = Counter(chain.from_iterable(map(_shingles, texts)))
    first_with: dict[str, int] = {}
    sketches: dict[int, _Sketch] = {}
    index: dict[str, list[int]] = defaultdict(list)
    for later, text in enumerate(texts):
        earlier = first_with.setdefault(text, later)
        if earlier != later:
            yield NearDuplicate(later, earlier, 1.0)
            continue
        sketches[later] = sketch = _sketch(_shingles(text), frequency)
        candidates = (position for position in _candidates(sketch, index) if _alike(sketch, sketches[position]))
        yield from islice(_matches(later, candidates, texts), 1)
        for shingle in sketch.indexed:
            index[shingle].append(later)


def _sketch(shingles: frozenset[str], frequency: Mapping[str, int]) -> _Sketch:
    may_differ = len(shingles) * (10 - SIMILAR_TENTHS) // 10
    ordered = sorted(shingles, key=lambda shingle: (frequency[shingle], shingle))
    return _Sketch(ordered[: may_differ + 1], frozenset(ordered[: 2 * may_differ + 1]), may_differ + 1)


def _candidates(sketch: _Sketch, index: Mapping[str, Sequence[int]]) -> Iterator[int]:
    """Yield the earlier prompts that share an indexed shingle, each once, those with the rarest first."""
    positions = chain.from_iterable(index.get(shingle, ()) for shingle in sketch.indexed)
    return iter(dict.fromkeys(islice(positions, CANDIDATES)))


def _alike(one: _Sketch, other: _Sketch) -> bool:
    return len(one.rare & other.rare) >= min(one.common, other.common)


def _matches(later: int, candidates: Iterator[int], texts: Sequence[str]) -> Iterator[NearDuplicate]:
    shingles = _shingles(texts[later])
    for earlier in candidates:
        other = _shingles(texts[earlier])
        shared, all_of_both = len(shingles & other), len(shingles | other)
        if 10 * shared >= SIMILAR_TENTHS * all_of_both:
            yield NearDuplicate(later, earlier, shared / all_of_both)


def _shingles(text: str) -> frozenset[str]:
    """Return the runs of three characters of a text; a shorter text is its own only one."""
    return frozenset(text[start : start + 3] for start in range(max(1, len(text) - 2)))


def _normal_form(prompt: str) -> str:
    """Fold case, width and white space, and drop punctuation at the ends of words; `2+2` and `2-2` stay different."""
    folded = normalise(prompt, "basic")
    return collapse(_PUNCTUATION.sub("", folded)) or folded


def leaks(reference: str, prompt: str) -> bool:
    """Return whether a prompt contains its reference as whole tokens.

    Answers of one or two characters, numbers under 1000 with at most one decimal, and yes, no, true and false stand in
    many honest prompts by chance ("Answer yes or no"). They count only where the prompt calls them the answer.

    >>> leaks("Paris", "Paris is the capital of which country?"), leaks("up", "What supports the roof?")
    (True, False)
    >>> leaks("12", "What is 12% of 100?"), leaks("12", "The answer is 12. What is 3 × 4?")
    (False, True)
    """
    answer, text = normalise(reference, "basic"), normalise(prompt, "basic")
    if not answer or answer not in text:
        return False
    before = r"(?<!\w)(?<!\d[.,])" if _joins_words(answer[0]) else ""
    after = r"(?!\w|[.,]\d)" if _joins_words(answer[-1]) else ""
    announced = r"\banswer(?: is| was|:| =)+ *[\"'“‘]?" if _is_everyday(answer) else ""
    return re.search(f"{announced}{before}{re.escape(answer)}{after}", text) is not None


def _joins_words(character: str) -> bool:
    """Return whether a character next to another makes one token with it; Han, kana and hangul stand alone."""
    return character.isalnum() and not has_cjk(character)


def _is_everyday(answer: str) -> bool:
    short = len(answer) == 1 or (len(answer) == 2 and not has_cjk(answer))
    return short or answer in _ANSWER_FORMS or _SMALL_NUMBER.fullmatch(answer) is not None
