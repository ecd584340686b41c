"""A checked eval set on the terminal, compared whole."""

from steelyard.errors import Problem
from steelyard.records.datasets import EvalsetReport
from steelyard.show.evalset import evalset_text

WHOLE = """\
set.jsonl: invalid, 12 items, 21 errors, 1 warning

section
  10   83.3 %  core
   2   16.7 %  \\x3a:error::\\x1b[31m

category
  12  100.0 %  _untagged

errors (21)
  set.jsonl:3: [missing-field] there is no 'prompt' (item q3)
      hint: give it one
  and 20 more

warnings (1)
  set.jsonl:4: [reference-leak] the prompt contains \\u202e
"""


def report(**changes: object) -> EvalsetReport:
    fields = {"path": "set.jsonl", "n_items": 1, "errors": [], "total_errors": 0, "warnings": [], "total_warnings": 0}
    return EvalsetReport(**(fields | {"composition": {}} | changes))


def test_composition_errors_and_warnings_stand_in_aligned_columns_with_foreign_text_escaped():
    error = Problem("missing-field", "there is no 'prompt'", hint="give it one", file="set.jsonl", line=3, item_id="q3")
    warning = Problem("reference-leak", "the prompt contains \u202e", file="set.jsonl", line=4)
    composition = {
        "section": {"core": {"n": 10, "percent": 83.3}, "::error::\x1b[31m": {"n": 2, "percent": 16.7}},
        "category": {"_untagged": {"n": 12, "percent": 100.0}},
    }
    counts = {"n_items": 12, "total_errors": 21, "total_warnings": 1}
    assert evalset_text(report(errors=[error], warnings=[warning], composition=composition, **counts)) == WHOLE


def test_a_valid_set_without_tags_is_one_line():
    assert evalset_text(report()) == "set.jsonl: valid, 1 item, 0 errors, 0 warnings\n"
