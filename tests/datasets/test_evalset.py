"""Each rule of an eval set, broken and kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from steelyard.datasets.evalset import validate_evalset
from steelyard.records.datasets import EvalsetReport

CITIES = ["Lima", "Oslo", "Accra", "Hanoi", "Quito", "Sofia", "Tunis", "Dakar", "Riga", "Baku"]
EVALSETS = Path(__file__).resolve().parents[2] / "evalsets"


def item(number: int, **changes: Any) -> dict[str, Any]:
    row = {
        "id": f"q{number}",
        "prompt": f"{CITIES[number % 10]} {number * 7919} {CITIES[number % 7]}?",
        "expected_answer": "a long answer",
        "section": "core",
        "category": "geometry",
        "difficulty": "easy",
    }
    return {key: value for key, value in (row | changes).items() if value is not ...}


def check(path: Path, *rows: dict[str, Any] | str, min_items: int = 1) -> EvalsetReport:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return validate_evalset(path, min_items=min_items)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "set.jsonl"


def test_a_set_that_holds_to_the_rules_is_valid_without_warnings(file: Path):
    report = check(file, *map(item, range(50)), min_items=50)
    assert (report.valid, report.n_items, report.total_errors, report.total_warnings) == (True, 50, 0, 0)


@pytest.mark.parametrize(("name", "min_items"), [("eval_v1", 50), ("eval_v2", 50), ("golden_v1", 30)])
def test_the_sets_that_ship_have_neither_errors_nor_warnings(name: str, min_items: int):
    report = validate_evalset(EVALSETS / f"{name}.jsonl", min_items=min_items)
    assert (report.errors, report.warnings) == ([], [])


@pytest.mark.parametrize("name", ["id", "prompt", "expected_answer"])
@pytest.mark.parametrize("value", [..., None, "", " \t", [], {}])
def test_a_required_field_that_is_missing_or_empty_is_an_error_on_its_line(file: Path, name: str, value: object):
    report = check(file, item(1), item(2, **{name: value}))
    assert [(error.code, error.line) for error in report.errors] == [("missing-field", 2)]
    assert name in report.errors[0].message


@pytest.mark.parametrize("name", ["id", "prompt", "expected_answer"])
@pytest.mark.parametrize("value", [0, False, 0.0])
def test_zero_and_false_are_values(file: Path, name: str, value: object):
    assert check(file, item(1, **{name: value})).valid


@pytest.mark.parametrize("name", ["section", "category", "difficulty"])
def test_tags_are_optional(file: Path, name: str):
    report = check(file, item(1, **{name: ...}))
    assert report.valid
    assert report.total_warnings == 0
    assert report.composition[name] == {"_untagged": {"n": 1, "percent": 100.0}}


@pytest.mark.parametrize("name", ["id", "prompt"])
@pytest.mark.parametrize("value", [["x"], {"x": 1}])
def test_an_id_or_prompt_that_is_a_list_or_an_object_is_an_error(file: Path, name: str, value: object):
    report = check(file, item(1, **{name: value}))
    assert [(error.code, error.line) for error in report.errors] == [("invalid-evalset", 1)]


def test_an_expected_answer_may_be_a_list(file: Path):
    assert check(file, item(1, expected_answer=["ai", "earnings"])).valid


def test_a_duplicate_id_names_both_lines(file: Path):
    report = check(file, item(1), item(2), item(3, id="q1"))
    assert [(error.code, error.line, error.item_id) for error in report.errors] == [("duplicate-id", 3, "q1")]
    assert "line 1 and again on line 3" in report.errors[0].message


def test_bad_json_is_an_error_and_the_other_rows_are_still_checked(file: Path):
    report = check(file, item(1), '{"id": "q2", ', item(3, prompt=""))
    assert [error.line for error in report.errors] == [2, 3]
    assert report.errors[0].code == "bad-json"
    assert report.n_items == 2


def test_too_few_items_is_an_error_that_names_both_numbers(file: Path):
    report = check(file, *map(item, range(49)), min_items=50)
    assert [error.code for error in report.errors] == ["invalid-evalset"]
    assert "49 items, expected at least 50" in report.errors[0].message


def test_fifty_items_are_asked_for_unless_said_otherwise(file: Path):
    check(file, *map(item, range(49)))
    assert not validate_evalset(file).valid


def test_a_file_whose_rows_are_all_bad_has_no_items(file: Path):
    report = check(file, "[1]", "nonsense", min_items=0)
    assert [error.code for error in report.errors][-1] == "no-items"
    assert report.n_items == 0


def test_an_empty_file_is_invalid_even_when_no_items_are_asked_for(file: Path):
    file.write_text("", encoding="utf-8")
    report = validate_evalset(file, min_items=0)
    assert not report.valid
    assert report.n_items == 0
    assert report.composition == {"section": {}, "category": {}, "difficulty": {}}


def test_a_file_that_is_not_there_is_an_error_of_the_report(tmp_path: Path):
    assert [error.code for error in validate_evalset(tmp_path / "absent.jsonl").errors] == ["missing-file"]


@pytest.mark.parametrize(("key", "value"), [("section", "cores"), ("difficulty", "Easy"), ("difficulty", 3)])
def test_an_unknown_section_or_difficulty_is_a_warning(file: Path, key: str, value: object):
    report = check(file, item(1, **{key: value}))
    assert report.valid
    assert [(warning.code, warning.line) for warning in report.warnings] == [("unknown-tag-value", 1)]


def test_any_category_may_be_used(file: Path):
    assert check(file, item(1, category="astronomy")).total_warnings == 0


@pytest.mark.parametrize("key", ["section", "category", "difficulty"])
def test_the_word_for_no_tag_is_refused_as_a_tag(file: Path, key: str):
    assert [error.code for error in check(file, item(1, **{key: "_untagged"})).errors] == ["bad-tag"]


def test_nearly_equal_prompts_are_a_warning_that_names_both_lines(file: Path):
    report = check(
        file, item(1, prompt="Name the capital of Peru."), item(2), item(3, prompt="name the capital of  Peru")
    )
    assert report.valid
    assert [(warning.code, warning.line) for warning in report.warnings] == [("near-duplicate", 3)]
    assert "line 3 nearly repeats the one on line 1" in report.warnings[0].message


def test_an_answer_inside_its_own_prompt_is_a_warning(file: Path):
    report = check(file, item(1), item(2, prompt="Is Paris or Lyon the capital?", expected_answer="Paris"))
    assert report.valid
    assert [(warning.code, warning.line) for warning in report.warnings] == [("reference-leak", 2)]


def test_composition_is_in_percent_with_known_values_in_their_order(file: Path):
    report = check(file, item(1, difficulty="hard"), item(2), item(3, difficulty="zany"), item(4, difficulty=...))
    shares = {value: (share["n"], share["percent"]) for value, share in report.composition["difficulty"].items()}
    assert list(shares.items()) == [(value, (1, 25.0)) for value in ("easy", "hard", "zany", "_untagged")]


def test_twenty_problems_are_listed_and_all_are_counted(file: Path):
    report = check(file, *[item(number, prompt="", section="x") for number in range(30)])
    assert (len(report.errors), report.total_errors) == (20, 30)
    assert (len(report.warnings), report.total_warnings) == (20, 30)


def test_the_report_goes_through_json(file: Path):
    report = check(file, item(1, prompt="", section="x")).as_dict()
    assert json.loads(json.dumps(report)) == report
    assert report["valid"] is False


def test_foreign_text_in_messages_is_escaped(file: Path):
    report = check(file, item(1, id="\x1b[31m", section="\x1b[2J"), item(2, id="\x1b[31m"))
    assert "\x1b" not in "".join(problem.message for problem in [*report.errors, *report.warnings])
