"""Label names for classification: an answer that spells a label is that label; anything else stays what it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from steelyard.records.answers import Answer, Choice, Text
from steelyard.text.normalise import normalise


class LabelNames:
    """The labels of a task with their other spellings."""

    def __init__(
        self, labels: Iterable[str], aliases: Mapping[str, str] | None = None, confidence_field: str | None = None
    ) -> None:
        self.labels = tuple(labels)
        self.confidence_field = confidence_field or "confidence"
        self._names = {normalise(label, "basic"): label for label in reversed(self.labels)}
        for alias, label in (aliases or {}).items():
            self._names.setdefault(normalise(alias, "basic"), label)

    def of(self, answer: Answer) -> str:
        """Return the label that an answer spells, or the answer itself where it spells none."""
        assert isinstance(answer, Choice | Text)
        return self._names.get(normalise(answer.value, "basic"), answer.value)

    def true_probability(
        self, fields: Mapping[str, Any], expected: Answer, *, right: bool
    ) -> tuple[float | None, str | None]:
        """Return the probability given to the true label, as far as a prediction's row tells it, and what it is.

        Its own entry in `probabilities`; else the `confidence` in the predicted label when that is right, and one
        minus it when it is wrong.
        """
        known = fields.get("probabilities")
        given = probability(known.get(self.of(expected))) if isinstance(known, dict) else None
        if given is not None:
            return given, "true_label_probability"
        confidence = probability(fields.get(self.confidence_field))
        if confidence is None:
            return None, None
        return confidence if right else 1.0 - confidence, "confidence"


def probability(value: Any) -> float | None:
    """Return a value that is a number in [0, 1], or None."""
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if fits else None
