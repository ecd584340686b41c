"""The journal of a run: one line per prediction, itself a predictions file that can be evaluated again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from steelyard.reading.references import prediction_field, reference_field, value_of
from steelyard.records.blocks import ItemBlock
from steelyard.records.items import FieldNames, Prediction
from steelyard.records.measures import measures
from steelyard.secrets import SECRET_IN_OUTPUT
from steelyard.store.files import json_line, replacing

_KEPT = ("state", "status", "error", "confidence", "probabilities", "parsed")
"""What a journal keeps of a prediction beside its output and its measures."""
_IDS = ("id", "item_id", "sample_id", "trace_id")


class JournalForm:
    """How the journal of stored predictions has their rows."""

    def __init__(self, names: FieldNames, predicted_fields: Collection[str], *, separate: bool) -> None:
        self._names = names
        numbers = (name for measure in measures() for name in measure.fields)
        self._kept = frozenset((*_KEPT, *numbers, *predicted_fields))
        self._separate = separate
        """Whether predictions came from a file of their own, whose rows are then kept whole."""

    def lines(self, block: ItemBlock) -> list[bytes]:
        """Return the line of each item; one without a prediction has an empty one."""
        return [
            b"" if prediction is None else json_line({"item_id": item.id, **self._fields(prediction)})
            for item, prediction in zip(block.items, block.predictions, strict=True)
        ]

    def _fields(self, prediction: Prediction) -> dict[str, Any]:
        if prediction.state == "unparsed":
            return {"state": "unparsed", "error": prediction.error}
        kept = self.kept_fields(prediction.fields)
        return kept | {SECRET_IN_OUTPUT: True} if prediction.held_key else kept

    def kept_fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return what of a row the journal keeps: a prediction's whole row, or the prediction in a dataset's row."""
        if self._separate:
            ids = {*_IDS, self._names.id}
            return {name: value for name, value in fields.items() if name not in ids}
        kept = {name: value for name, value in fields.items() if name in self._kept or name.startswith("pred_")}
        named = prediction_field(fields, self._names, reference_field(fields, self._names))
        # Under its own name, so that the journal is read by the same field rules as the dataset.
        return kept if named is None or named in kept else {named: value_of(fields, named), **kept}


class StoredJournal:
    """Writes the journal of stored predictions as they are read."""

    def __init__(self, path: Path, names: FieldNames, predicted_fields: Collection[str], *, separate: bool) -> None:
        self.form = JournalForm(names, predicted_fields, separate=separate)
        self._replacing = replacing(path)

    def __enter__(self) -> Self:
        self._stream = self._replacing.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._replacing.__exit__(kind, error, trace)

    def write(self, block: ItemBlock) -> None:
        """Append the predictions of a block."""
        self.append(b"".join(self.form.lines(block)))

    def append(self, content: bytes) -> None:
        """Append lines as they are."""
        self._stream.write(content)

    def restart(self) -> None:
        """Begin again with nothing."""
        self._stream.seek(0)
        self._stream.truncate()
