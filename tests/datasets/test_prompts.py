"""Near-duplicate prompts and leaking references."""

import random
import time
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.datasets.prompts import leaks, near_duplicates

LONG = "A bakery makes 18 trays of 24 rolls and sells 392 rolls. The rest go into bags. How many full bags are there?"


def pairs(*prompts: str) -> list[tuple[int, int]]:
    return [(found.later, found.earlier) for found in near_duplicates(prompts)]


def jaccard(one: str, other: str) -> float:
    left, right = ({text[at : at + 3] for at in range(max(1, len(text) - 2))} for text in (one, other))
    return len(left & right) / len(left | right)


@pytest.mark.parametrize(
    "variant", [LONG.upper(), LONG.replace(" ", "  "), LONG.rstrip("?"), LONG.replace("full", "ful")]
)
def test_case_space_final_punctuation_and_a_typing_error_do_not_hide_a_duplicate(variant: str):
    assert pairs(LONG, "Something else entirely", variant) == [(2, 0)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is 2+2?", "What is 2-2?"),
        ("What is 1.5 × 3?", "What is 15 × 3?"),
        ("Name the capital of Peru.", "Name the capital of Chad."),
    ],
)
def test_prompts_that_ask_for_different_things_are_not_duplicates(one: str, other: str):
    assert pairs(one, other) == []


def test_each_repeat_is_reported_once_against_the_first():
    assert pairs("same", "same", "same") == [(1, 0), (2, 0)]


@given(st.lists(st.text("abcd ", min_size=1, max_size=40).filter(str.strip), max_size=30))
def test_a_prompt_is_found_exactly_when_a_comparison_of_all_pairs_finds_it(prompts: list[str]):
    texts = [" ".join(prompt.split()) for prompt in prompts]
    expected = {
        later for (_, one), (later, two) in combinations(enumerate(texts), 2) if jaccard(one, two) >= 0.9 or one == two
    }
    assert {found.later for found in near_duplicates(prompts)} == expected


@given(st.lists(st.text(min_size=1, max_size=20), max_size=20))
def test_a_reported_prompt_comes_after_the_one_it_repeats(prompts: list[str]):
    assert all(found.earlier < found.later and 0.9 <= found.similarity <= 1 for found in near_duplicates(prompts))


@pytest.mark.parametrize("mould", ["", "Read the passage with care and answer with one word. " * 3])
def test_time_grows_with_the_number_of_prompts_and_not_with_its_square(mould: str):
    """All pairs of 10,000 prompts are 50 million comparisons, minutes of work."""
    chosen = random.Random(5)
    prompts = [mould + " ".join(f"{chosen.randrange(10**6)}" for _ in range(8)) for _ in range(10_000)]
    start = time.process_time()
    list(near_duplicates(prompts))
    assert time.process_time() - start < 30


@pytest.mark.parametrize(
    ("reference", "prompt"),
    [
        ("Paris", "Is PARIS the capital?"),
        ("carbon dioxide", "Plants take up carbon  dioxide. Which gas is it?"),
        ("1969", "In 1969 people walked on the Moon. When was it?"),
        ("北京", "北京是哪个国家的首都？"),
        ("12", "The answer is 12. What is 3 × 4?"),
        ("yes", "Answer: yes. Is water wet?"),
    ],
)
def test_a_reference_in_whole_tokens_leaks(reference: str, prompt: str):
    assert leaks(reference, prompt)


@pytest.mark.parametrize(
    ("reference", "prompt"),
    [
        ("Paris", "Parisian cafés stand in which city?"),
        ("port", "What supports a roof?"),
        ("1234", "Round 1234.5 down."),
        ("2345", "Write 1.2345 with fewer digits."),
        ("12", "What is 12% of 100?"),
        ("100", "What is 12% of 100, times eight, plus four?"),
        ("yes", "Is water wet? Answer yes or no."),
        ("B", "Choose A, B or C."),
        ("   ", "Any prompt at all"),
    ],
)
def test_parts_of_words_and_everyday_answers_do_not_leak(reference: str, prompt: str):
    assert not leaks(reference, prompt)


@given(st.text(max_size=20), st.text(max_size=60))
def test_any_text_can_be_asked_about(reference: str, prompt: str):
    assert leaks(reference, prompt) in (True, False)
