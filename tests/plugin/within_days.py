"""A scorer of dates that comes to Steelyard through an entry point."""

from datetime import date

from steelyard.records.answers import Text
from steelyard.records.scores import Score
from steelyard.registry import scorer


@scorer("within_days", version=1, pass_threshold=1.0)
def within_days(predicted: Text, expected: Text, *, days: int = 1) -> Score:
    """1 if two dates like 2026-11-18 are at most `days` apart, else 0."""
    if predicted.value.strip() == expected.value.strip():
        return Score(1.0, "Is the expected date.")
    try:
        found, wanted = (date.fromisoformat(answer.value.strip()) for answer in (predicted, expected))
    except ValueError:
        return Score(0.0, "Expected a date like 2026-11-18.", error_tags=("not_a_date",))
    apart = abs((found - wanted).days)
    explain = f"Expected {wanted}, found {found}: {apart} days apart, {days} allowed."
    return Score(float(apart <= days), explain, error_tags=() if apart <= days else ("too_far",))
