"""The eval sets that ship are composed as seed 000 and page 10 say."""

import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

EVALSETS = Path(__file__).resolve().parents[2] / "evalsets"
SIZES = {"eval_v1": 50, "eval_v2": 100, "golden_v1": 30}
FIELDS = ["id", "prompt", "expected_answer", "section", "category", "difficulty"]
CATEGORIES = {
    "arithmetic",
    "geometry",
    "unit_conversion",
    "general_knowledge",
    "multi_step_word_problem",
    "algebraic_reasoning",
    "sequence_reasoning",
    "formatting",
    "numeric_precision",
    "edge_case",
}


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EVALSETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def all_rows() -> list[dict[str, Any]]:
    return [row for name in SIZES for row in rows(name)]


def trigrams(text: str) -> set[str]:
    return {text[start : start + 3] for start in range(len(text) - 2)}


def test_these_sets_ship_and_no_others():
    assert {path.stem for path in EVALSETS.glob("*.jsonl")} == set(SIZES)


@pytest.mark.parametrize(("name", "size"), SIZES.items())
def test_a_set_has_its_number_of_items_numbered_from_one(name: str, size: int):
    prefix = name.replace("_", "-")
    assert [row["id"] for row in rows(name)] == [f"{prefix}-{number:03d}" for number in range(1, size + 1)]


@pytest.mark.parametrize("name", SIZES)
def test_every_row_has_exactly_the_documented_fields_as_trimmed_text(name: str):
    for row in rows(name):
        assert list(row) == FIELDS
        assert all(isinstance(value, str) and value and value == value.strip() for value in row.values())


@pytest.mark.parametrize("name", SIZES)
def test_tags_are_of_the_known_vocabulary(name: str):
    for row in rows(name):
        assert row["section"] in {"core", "trace_sensitive", "edge_case"}
        assert row["difficulty"] in {"easy", "medium", "hard"}
        assert row["category"] in CATEGORIES


@pytest.mark.parametrize(
    ("key", "composition"),
    [
        ("section", {"core": 60, "trace_sensitive": 25, "edge_case": 15}),
        ("difficulty", {"easy": 34, "medium": 41, "hard": 25}),
    ],
)
def test_eval_v2_is_composed_as_seed_000_says(key: str, composition: dict[str, int]):
    assert Counter(row[key] for row in rows("eval_v2")) == composition


@pytest.mark.parametrize("name", ["eval_v1", "eval_v2"])
def test_an_eval_set_uses_all_ten_categories(name: str):
    assert {row["category"] for row in rows(name)} == CATEGORIES


def test_the_readme_shows_the_composition_that_is_there():
    table = (EVALSETS / "README.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^\| (\w+(?: \w+)*) \| (\d+ \| \d+ \| \d+) \|$", table, flags=re.MULTILINE))
    sets = {name: rows(name) for name in SIZES}
    for key in ("section", "category", "difficulty"):
        for value in {row[key] for found in sets.values() for row in found}:
            counts = [sum(row[key] == value for row in found) for found in sets.values()]
            assert shown[f"{key} {value}"] == " | ".join(map(str, counts))


def test_no_prompt_contains_its_own_answer():
    """Stricter than the validator: here short answers and numbers count too."""
    for row in all_rows():
        answer = re.escape(row["expected_answer"].casefold())
        assert not re.search(rf"(?<![\w.,]){answer}(?!\w|[.,]\d)", row["prompt"].casefold()), row["id"]


def test_no_two_prompts_are_near_duplicates_in_all_three_sets():
    prompts = {row["id"]: trigrams(row["prompt"].casefold()) for row in all_rows()}
    for (one, left), (other, right) in combinations(prompts.items(), 2):
        assert len(left & right) < 0.8 * len(left | right), (one, other)
