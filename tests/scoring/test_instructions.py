"""`instructions@v1` on single items, and the two metrics over all instructions."""

import numpy as np
import pytest

from steelyard import evaluate
from steelyard.canonical.references import expected_answer
from steelyard.errors import InputError
from steelyard.records.answers import Text
from steelyard.registry import bind_scorer
from steelyard.scoring.instructions import instruction_accuracy, loose_counts, strict_counts

ASKED = expected_answer({"instructions": [{"id": "punctuation:no_comma"}, {"id": "startend:quotation"}]}, "text")


def judged(text, expected=ASKED):
    return bind_scorer("instructions@v1")(Text(text), expected)


def test_a_reference_of_instructions_alone_shows_them_as_its_text():
    assert ASKED.value == "punctuation:no_comma; startend:quotation"


def test_the_explanation_says_what_was_not_followed_and_what_was_found():
    card = judged('Yes, "a"')
    assert (card.primary_score, card.passed) == (0.0, False)
    assert card.explain == (
        "Follows 0 of 2 instructions; not punctuation:no_comma (commas: 1), "
        "startend:quotation (no quotation marks around the text)."
    )
    assert card.error_tags == ("punctuation:no_comma", "startend:quotation")
    assert card.sub_scores == {"instructions_loose": 0.0, "instructions_followed": 0.0}


def test_an_answer_that_follows_all_passes():
    card = judged('"a b"')
    assert (card.primary_score, card.passed, card.explain) == (1.0, True, "Follows all 2 instructions.")


def test_an_evaluation_refuses_a_reference_without_instructions(tmp_path):
    items = tmp_path / "items.jsonl"
    items.write_text('{"id": "a", "prompt": "?", "reference": "a", "prediction": "a"}\n')
    with pytest.raises(InputError, match="the reference has no instructions, and instructions@v1 judges by them"):
        evaluate(dataset=items, answer_type="text", scorer="instructions@v1", runs_dir=tmp_path / "runs")


def test_accuracy_is_over_instructions_and_not_over_items():
    rows = [strict_counts('"a b"', ASKED), strict_counts("a, b", ASKED), strict_counts("", ASKED)]
    assert rows == [(2, 2), (0, 2), (0, 2)]
    assert instruction_accuracy(np.sum(np.array(rows, np.float64), axis=0)[None, :])[0] == 2 / 6
    assert loose_counts('Sure, here:\n"a b"', ASKED) == (2, 2)


def test_without_any_instruction_there_is_no_accuracy():
    assert np.isnan(instruction_accuracy(np.zeros((1, 2)))[0])
