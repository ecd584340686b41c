"""`list@v1`: several strings against several, as sets or multisets, with an order where the reference has one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from steelyard.errors import ConfigurationError, Problem
from steelyard.records.answers import ListAnswer, Profile
from steelyard.records.scores import Score
from steelyard.registry import scorer
from steelyard.scoring.choice import alias_table, named
from steelyard.text.rouge import lcs_length
from steelyard.text.tokens import normalise, overlap


@scorer(
    "list",
    version=1,
    sub_scores={"precision": "higher", "recall": "higher", "f1": "higher", "order_score": "higher"},
    block="steelyard.scoring.list_blocks:list_form",
)
def list_answer(
    predicted: ListAnswer,
    expected: ListAnswer,
    *,
    order_weight: float = 0.0,
    normalize: Profile = "basic",
    aliases: tuple[str, ...] = (),
) -> Score:
    """F1 of the items after normalisation; both empty is 1, one empty is 0.

    The reference says how to compare: `unique` compares sets, otherwise multisets; `ordered` adds `order_score`, the
    longest common subsequence over the longer length. The primary is `(1 - order_weight) * f1 + order_weight *
    order_score` where the reference is ordered, else F1. `aliases` are pairs `alias=item` that hold for every list; a
    reference may bring its own.

    >>> list_answer(ListAnswer(("AI", "ai", "tax")), ListAnswer(("ai", "earnings"))).sub_scores["f1"]
    0.5
    """
    if not 0.0 <= order_weight <= 1.0:
        raise _bad_weight(order_weight)
    match = ItemMatch.of(predicted.items, expected, normalize, aliases)
    precision, recall, f1 = overlap(match.found, match.wanted)
    order_score = match.order_score if expected.ordered else None
    primary = f1 if order_score is None else (1 - order_weight) * f1 + order_weight * order_score
    parts = {"precision": precision, "recall": recall, "f1": f1, "order_score": order_score}
    tags = match.tags(ordered=expected.ordered)
    return Score(primary, match.explain(tags), parts, tags)


@dataclass(frozen=True)
class ItemMatch:
    """The items of two lists after normalisation, and what is missing, extra, doubled or out of order."""

    found: Sequence[str]
    """What is compared: without repetitions where the reference is `unique`."""
    wanted: Sequence[str]
    given: Counter[str]
    """How often the prediction has each item."""
    asked: Counter[str]
    """How often the reference has each item."""

    @classmethod
    def of(
        cls, items: Sequence[str], expected: ListAnswer, profile: Profile, aliases: tuple[str, ...] = ()
    ) -> ItemMatch:
        """Return the items of a prediction beside those of a reference, each by the item that it means."""
        meaning = _meanings(expected, aliases)
        given = [_meant(item, meaning, profile) for item in items]
        asked = [_meant(item, meaning, profile) for item in expected.items]
        found, wanted = (list(dict.fromkeys(given)), list(dict.fromkeys(asked))) if expected.unique else (given, asked)
        return cls(found, wanted, Counter(given), Counter(asked))

    @cached_property
    def common_length(self) -> int:
        """The length of the longest common subsequence."""
        return lcs_length(self.wanted, self.found)

    @property
    def order_score(self) -> float:
        """The longest common subsequence over the longer length; both empty is 1."""
        longer = max(len(self.found), len(self.wanted))
        return self.common_length / longer if longer else 1.0

    @cached_property
    def missing(self) -> list[str]:
        """Items the reference has more often than the prediction."""
        return list(Counter(self.wanted) - Counter(self.found))

    @cached_property
    def extra(self) -> list[str]:
        """Items of the prediction that the reference does not have at all."""
        return [item for item in self.given if item not in self.asked]

    @cached_property
    def doubled(self) -> list[str]:
        """Items the prediction repeats more often than the reference."""
        return [item for item, count in self.given.items() if count > max(1, self.asked[item])]

    @property
    def out_of_order(self) -> bool:
        """Whether the shared items stand in another order than in the reference."""
        shared = (Counter(self.found) & Counter(self.wanted)).total()
        return self.common_length < shared

    def tags(self, *, ordered: bool) -> tuple[str, ...]:
        """Return the error tags that apply."""
        flags = {
            "missing_item": bool(self.missing),
            "extra_item": bool(self.extra),
            "wrong_order": ordered and self.out_of_order,
            "duplicate_item": bool(self.doubled),
        }
        return tuple(tag for tag, applies in flags.items() if applies)

    def explain(self, tags: Sequence[str]) -> str:
        """Return one sentence: how many items were expected and found, and what to add, drop or reorder."""
        parts = {
            "missing_item": f"missing {named(self.missing)}",
            "extra_item": f"not expected {named(self.extra)}",
            "wrong_order": "the shared items stand in another order",
            "duplicate_item": f"repeated {named(self.doubled)}",
        }
        counted = f"Expected {len(self.wanted)} items, found {len(self.found)}"
        return "; ".join([counted, *(parts[tag] for tag in tags)]) + "."


def _meanings(expected: ListAnswer, pairs: tuple[str, ...]) -> Mapping[str, str]:
    """Return which item each other spelling means, after `basic`; one that means two items is refused."""
    own = tuple(f"{alias}={item}" for item, spellings in expected.aliases for alias in spellings)
    return alias_table((*pairs, *own)) if own or pairs else {}


def _meant(item: str, meaning: Mapping[str, str], profile: Profile) -> str:
    found = meaning.get(normalise(item, "basic")) if meaning else None
    return normalise(item if found is None else found, profile)


def _bad_weight(order_weight: float) -> ConfigurationError:
    message = f"list@v1: order_weight is {order_weight}, expected a number from 0 to 1"
    return ConfigurationError(Problem(code="bad-configuration", message=message))
