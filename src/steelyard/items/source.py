"""Rows of a dataset and of predictions to blocks of items, each with its prediction."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem, Problems, excerpt, quoted
from steelyard.items.joined import join_predictions
from steelyard.items.named_fields import NamedFields
from steelyard.items.row_values import Derivable, count_of, derived_tags, measured
from steelyard.items.sampling import Selection
from steelyard.reading.ids import IdLedger
from steelyard.reading.limits import Limits
from steelyard.reading.references import input_text, item_id, prediction_field, reference_field, tags_of, value_of
from steelyard.reading.rows import Row, read_rows
from steelyard.records.blocks import ItemBlock
from steelyard.records.items import FieldNames, Item, Prediction, State
from steelyard.records.plans import NO_CLUSTERS
from steelyard.secrets import SECRET_IN_OUTPUT, hidden, may_hold_key

SMALLEST_FILE = 1 << 20
"""Below this many bytes the item form is done before the loops for columns are loaded."""
BLOCK_ITEMS = 4096
"""Items per block in the item form: a few megabytes of rows."""

_ID_VALUE = rb'"(?:%b)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?![\d.eE]))'
_WRITTEN_ID = re.compile(_ID_VALUE % b"id|item_id|sample_id|trace_id")


@dataclass(slots=True)
class Quarantine:
    """Rows of predictions that were set aside, and the ids that could still be read in them."""

    write: Callable[[int, str, bytes], None]
    id_field: str | None = None
    """The field that holds the id, where the configuration names one."""
    count: int = 0
    accounted: int = 0
    """Rows whose item is in the dataset and stays in the denominator as `unparsed`."""
    ids: set[str] = field(default_factory=set)

    def closed(self) -> Quarantine:
        """Return what is known of the rows set aside, for those who set none aside themselves."""
        return replace(self, write=_none_are_set_aside)

    def reject(self, line: int, reason: str, raw: bytes) -> None:
        """Set a row aside; its item, where it can be told, stays in the denominator as `unparsed`."""
        self.count += 1
        self.write(line, reason, raw)
        found = self._named(raw) or _WRITTEN_ID.findall(raw)
        if len(found) == 1:
            try:
                self.ids.add(str(json.loads(found[0])))
            except ValueError:
                return

    def _named(self, raw: bytes) -> list[bytes]:
        """Return the ids that stand under the configured name."""
        return re.findall(_ID_VALUE % re.escape(self.id_field).encode(), raw) if self.id_field else []


def _none_are_set_aside(line: int, reason: str, raw: bytes) -> None:
    raise AssertionError(f"line {line} is set aside where predictions have been read already: {reason}, {raw!r}")


@dataclass(slots=True)
class Source:
    """Where items and predictions come from, and what was noticed while reading them."""

    dataset: Path
    predictions: Path | None
    names: FieldNames
    tag_fields: tuple[str, ...]
    selection: Selection
    limits: Limits = field(default_factory=Limits)
    cluster_by: str | None = None
    answer_type: str = "text"
    derived: frozenset[str] = frozenset()
    """Tags to derive where the data does not have them."""
    sliced: tuple[str, ...] = ()
    """Fields that slices name: tags where they hold a scalar."""
    gated: tuple[str, ...] = ()
    """Tags that the task's gates name."""
    item_fields: NamedFields = field(default_factory=NamedFields)
    """What the configuration names in the rows of the dataset."""
    answer_fields: NamedFields = field(default_factory=NamedFields)
    """What it names in rows of predictions; a row that says why it has no output is not looked at."""
    elsewhere: frozenset[str] = frozenset()
    """Ids that predictions may have although they are not in the dataset: those of a gold set."""
    shared: set[str] = field(default_factory=set)
    """Those of them that the items read so far have too."""
    known_rows: Callable[[str], Row | None] | None = None
    """Where predictions were read already: the row of an item."""
    predicted: frozenset[str] = frozenset()
    """Fields that a task's metrics read predictions from (seed 003's `pred_field`)."""
    quarantine: Quarantine | None = None
    problems: Problems = field(default_factory=Problems)
    unknown_ids: list[tuple[str, int]] = field(default_factory=list)
    unknown_total: int = 0
    n_items: int = 0
    by_columns: int = 0
    """How many of the items read so far were judged by columns."""
    workers: int = 1
    """How many judge blocks at a time."""

    def blocks(self) -> Iterator[ItemBlock]:
        """Yield the items in dataset order, a few thousand at a time."""
        pairs = self._pairs()
        while chunk := list(islice(pairs, BLOCK_ITEMS)):
            yield ItemBlock(self.n_items, [item for item, _ in chunk], [prediction for _, prediction in chunk])
            self.n_items += len(chunk)

    def _pairs(self) -> Iterator[tuple[Item, Prediction | None]]:
        items = self._items()
        if self.predictions is None:
            for _, item in items:
                yield item, self._own_prediction(item)
        elif self.known_rows is not None:
            for _, item in items:
                yield item, self.prediction_of(item, self.known_rows(item.id))
        else:
            yield from self._joined(items, self.predictions, self.problems)

    def _joined(
        self, items: Iterator[tuple[str, Item]], predictions: Path, problems: Problems
    ) -> Iterator[tuple[Item, Prediction | None]]:
        own = Problems()
        joined = join_predictions(
            items,
            self._prediction_rows(predictions, own),
            problems=own,
            file=str(predictions),
            elsewhere=self.elsewhere,
        )
        for item, row in joined:
            yield item, self.prediction_of(item, row)
        self.unknown_ids, self.unknown_total = joined.unknown, joined.unknown_total
        # After those of the dataset, however the two files were read.
        problems.merge(own)

    def _items(self) -> Iterator[tuple[str, Item]]:
        ledger = IdLedger()
        for row in self.selection.choose(read_rows(self.dataset, self.problems, limits=self.limits)):
            item = self.item_of(row)
            if item is not None:
                ledger.add(item.id)
                self.note_shared([item.id])
                yield item.id, item
        ledger.report(self.problems, str(self.dataset), self._ids_again)

    def _ids_again(self) -> Iterator[tuple[str, int]]:
        for row in read_rows(self.dataset, Problems(), limits=self.limits):
            found = item_id(row.fields, self.names)
            if found is not None:
                yield found, row.line

    def item_of(self, row: Row) -> Item | None:
        """Return the item of a dataset's row; None where the row is a problem."""
        self.item_fields.see(row.fields)
        found, fields = item_id(row.fields, self.names), without_keys(row)
        if found is None:
            self._problem(
                "missing-field", row, "the row has no id", "give every item an `id`, a text or a whole number"
            )
            return None
        tags = tags_of(fields, self.tag_fields, self.sliced)
        if isinstance(tags, Problem):
            self._problem(tags.code, row, tags.message, tags.hint, found)
            return None
        conversation, turn = self._conversation(fields, tags)
        text = input_text(fields, self.names) or ""
        if self.derived:
            tags |= derived_tags(Derivable(fields, text, turn, self.answer_type), tags, self.derived)
        held = () if fields is row.fields else fields_with_keys(row.fields, fields)
        return Item(found, text, fields, tags, row.line, conversation, turn, held)

    def pair_of(self, row: Row) -> tuple[Item, Prediction | None] | None:
        """Return the item and the prediction of a dataset's row that carries both; None where the row is a problem."""
        item = self.item_of(row)
        return None if item is None else (item, self._own_prediction(item))

    def prediction_of(self, item: Item, row: Row | None) -> Prediction | None:
        """Return the prediction of an item in its row of predictions; one without a row may have been set aside."""
        return self._quarantined(item) if row is None else self._prediction(row)

    def note_shared(self, ids: Iterable[str]) -> None:
        """Remember which of some items are known elsewhere too."""
        self.shared.update(self.elsewhere.intersection(ids))

    def begins_in_a_conversation(self) -> bool:
        """Return whether the first row of the dataset belongs to a conversation, or to another cluster."""
        first = next(read_rows(self.dataset, Problems(), limits=self.limits), None)
        if first is None:
            return False
        tags = tags_of(first.fields, self.tag_fields, self.sliced)
        return not isinstance(tags, Problem) and self._conversation(first.fields, tags)[0] is not None

    def report_duplicates(self) -> None:
        """Read the dataset once more for ids that stand twice, and add a problem for each."""
        again, ledger = self._again(), IdLedger()
        for row in again.selection.choose(read_rows(self.dataset, Problems(), limits=self.limits)):
            item = again.item_of(row)
            if item is not None:
                ledger.add(item.id)
        ledger.report(self.problems, str(self.dataset), self._ids_again)

    def report_repeats(self, problems: Problems) -> None:
        """Read both files once more for predictions whose id stands twice, and add a problem for each."""
        self._again().join(problems)

    def join(self, problems: Problems) -> None:
        """Join items and predictions for what is wrong with their ids alone."""
        assert self.predictions is not None
        rows = self._prediction_rows(self.predictions, Problems())
        for _ in join_predictions(self._items(), rows, problems=problems, file=str(self.predictions)):
            pass

    def _again(self) -> Source:
        """Return the same source, of which nothing has been read and nothing noticed."""
        return replace(
            self, problems=Problems(), quarantine=None, unknown_ids=[], unknown_total=0, n_items=0, shared=set(),
            item_fields=NamedFields(), answer_fields=NamedFields(), known_rows=None,
        )  # fmt: skip

    def _conversation(self, fields: dict[str, Any], tags: dict[str, str]) -> tuple[str | None, int | None]:
        name = self.cluster_by or self.names.conversation or "conversation_id"
        found = None if name == NO_CLUSTERS else tags.get(name, value_of(fields, name))
        turn = value_of(fields, self.names.turn or "turn_idx")
        return None if found is None else str(found), count_of(turn)

    def _problem(self, code: str, row: Row, message: str, hint: str, item: str | None = None) -> None:
        self.problems.add(Problem(code, message, hint=hint, file=str(self.dataset), line=row.line, item_id=item))

    def _own_prediction(self, item: Item) -> Prediction | None:
        """Return the prediction that a dataset's row carries itself."""
        reference = reference_field(item.fields, self.names)
        named = prediction_field(item.fields, self.names, reference)
        carried = named is not None or any(name.startswith("pred_") or name in self.predicted for name in item.fields)
        if not carried and not _failure(item.fields):
            self.answer_fields.see(item.fields)
            return None
        told = self.predicted | {(named or "").split(".")[0]}
        held = any(name.startswith("pred_") or name in told for name in item.held_keys)
        return self._prediction(Row(item.line, item.fields, None), held_key=held)

    def _prediction_rows(self, path: Path, problems: Problems) -> Iterator[tuple[str, Row]]:
        rejected = self.quarantine.reject if self.quarantine else None
        for row in read_rows(path, problems, limits=self.limits, rejected=rejected):
            found = self.known_prediction(row, problems)
            if found is not None:
                yield found, row

    def prediction_id(self, fields: Mapping[str, Any]) -> str | None:
        """Return the id of a prediction's row, which may stand under a name of its own."""
        return item_id(fields, self.names) or item_id(fields, FieldNames())

    def known_prediction(self, row: Row, problems: Problems) -> str | None:
        """Return the id of a prediction's row; one without it is set aside or a problem."""
        found = self.prediction_id(row.fields)
        if found is None and self.quarantine:
            self.quarantine.reject(row.line, "the row has no id", row.raw or json.dumps(row.fields).encode())
        elif found is None:
            message = f"the prediction has no id; its fields are {excerpt(', '.join(row.fields))}"
            hint = "give every prediction the `id` of its item"
            problems.add(Problem("missing-field", message, hint=hint, file=str(self.predictions), line=row.line))
        return found

    def _prediction(self, row: Row, *, held_key: bool = False) -> Prediction:
        fields = without_keys(row)
        state = _failure(fields)
        self._notice(fields, state)
        error = fields.get("error")
        return Prediction(
            fields=fields,
            state=state,
            error=_error_text(error) if state else None,
            measures=measured(fields),
            line=row.line,
            held_key=held_key or fields is not row.fields or fields.get(SECRET_IN_OUTPUT) is True,
        )

    def _notice(self, fields: dict[str, Any], state: State | None) -> None:
        if state is None:
            self.answer_fields.see(fields)
        else:
            self.answer_fields.has_failures = True

    def _quarantined(self, item: Item) -> Prediction | None:
        if self.quarantine and item.id in self.quarantine.ids:
            self.quarantine.accounted += 1
            return Prediction(fields={}, state="unparsed", error="its row of predictions was set aside")
        return None

    @property
    def rejected(self) -> int:
        """How many rows of predictions were set aside."""
        return self.quarantine.count if self.quarantine else 0

    @property
    def unaccounted(self) -> int:
        """How many of those belong to no item that is counted as `unparsed` for it."""
        return self.quarantine.count - self.quarantine.accounted if self.quarantine else 0

    def check_unknown(self, *, strict: bool) -> None:
        """Refuse predictions for unknown ids where the caller asked for that."""
        if strict and self.unknown_total:
            hint = "check that predictions and dataset belong together, or leave out --strict-ids"
            problems = [
                Problem(
                    "unknown-id",
                    f"there is no item {quoted(found)} in the dataset",
                    hint=hint,
                    file=str(self.predictions),
                    line=line,
                    item_id=found,
                )
                for found, line in self.unknown_ids
            ]
            raise InputError(problems, total=self.unknown_total)


def without_keys(row: Row) -> dict[str, Any]:
    """Return the fields of a row with every key replaced; the very same ones where there is none."""
    fields: dict[str, Any] = row.fields if row.raw is not None and not may_hold_key(row.raw) else hidden(row.fields)
    return fields


def fields_with_keys(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, ...]:
    """Return the fields of a row out of which a key was taken."""
    return tuple(name for name, value in after.items() if before.get(name) is not value)


def _failure(fields: dict[str, Any]) -> State | None:
    """Return the state of a prediction that has no output: its own `state`, or `failed` where it has an `error`."""
    for name in ("state", "status"):
        if fields.get(name) in ("failed", "timeout", "missing", "unparsed"):
            return fields[name]  # type: ignore[no-any-return]
    error = fields.get("error")
    if not error:
        return None
    kind = error.get("type") if isinstance(error, dict) else error
    return "timeout" if isinstance(kind, str) and "timeout" in kind.lower().replace(" ", "") else "failed"


def _error_text(error: Any) -> str | None:
    if error is None or isinstance(error, str):
        return error
    return json.dumps(error, ensure_ascii=False)
