"""Scanned rows to columns of items and predictions, and which of them are not plain after all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from steelyard.items.row_values import count_of, measure_value
from steelyard.items.scan import ScannedBlock
from steelyard.items.shapes import Shape
from steelyard.judging.distinct_pairs import in_order
from steelyard.judging.roles import ItemRoles, NotPlain, PredictionRoles
from steelyard.kernels.labels import labels_block
from steelyard.records.blocks import Labels, TextColumn
from steelyard.records.items import UNTAGGED
from steelyard.records.measures import Measure, measures

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
R = TypeVar("R")


class ShapeRoles(Generic[R]):
    """The roles of every shape that was met; None for a shape whose rows take the item form."""

    def __init__(self, decide: Callable[[Shape], R]) -> None:
        self._decide = decide
        self._known: dict[int, R | None] = {}

    def of(self, shapes: Sequence[Shape], used: Integers) -> list[R | None]:
        """Return the roles of shapes by their numbers; those that are not `used` now are not decided yet."""
        for number in np.unique(used[used >= 0]).tolist():
            if number not in self._known:
                self._known[number] = self._decided(shapes[number])
        return [self._known.get(number) for number in range(len(shapes))]

    def _decided(self, shape: Shape) -> R | None:
        try:
            return self._decide(shape)
        except NotPlain:
            return None


@dataclass(frozen=True, slots=True)
class PlainRows(Generic[R]):
    """The rows of a block whose shape has roles, in order."""

    block: ScannedBlock
    rows: Integers
    """Their lines within the block."""
    roles: Sequence[R | None]
    _named: dict[str, TextColumn] = field(default_factory=dict, compare=False)

    def __len__(self) -> int:
        return len(self.rows)

    def kept(self, flags: Flags) -> PlainRows[R]:
        """Return some of the rows."""
        return PlainRows(self.block, self.rows[flags], self.roles)

    def named(self, name: str) -> TextColumn:
        """Return the texts of the member that a role names, such as `id`."""
        if name not in self._named:
            self._named[name] = self.column(attrgetter(name))
        return self._named[name]

    def column(self, member: Callable[[R], int | None]) -> TextColumn:
        """Return the texts of one member, which can stand at another place in each shape; none is an empty text."""
        by_shape = [_place(role, member) for role in self.roles]
        if len(by_shape) == 1 and by_shape[0] >= 0:
            index = self.block.firsts[self.rows] + by_shape[0]
            return TextColumn(self.block.data, self.block.starts[index], self.block.ends[index])
        places = np.array(by_shape, np.int64)[self.block.shapes[self.rows]]
        if (places >= 0).all():
            index = self.block.firsts[self.rows] + places
            return TextColumn(self.block.data, self.block.starts[index], self.block.ends[index])
        index = np.where(places >= 0, self.block.firsts[self.rows] + places, 0)
        starts = np.where(places >= 0, self.block.starts[index], 0)
        return TextColumn(self.block.data, starts, np.where(places >= 0, self.block.ends[index], 0))

    def facts(self, fact: Callable[[R], int]) -> Integers:
        """Return what the shape of each row says."""
        return np.array([-1 if role is None else fact(role) for role in self.roles], np.int64)[self.shape_of_rows()]

    def shape_of_rows(self) -> Integers:
        """Return the number of each row's shape."""
        return self.block.shapes[self.rows]


def _place(role: R | None, member: Callable[[R], int | None]) -> int:
    found = None if role is None else member(role)
    return -1 if found is None else found


def tag_columns(rows: PlainRows[ItemRoles]) -> tuple[dict[str, Labels], Flags]:
    """Return the tags of rows, and which rows have one that only the item form may judge."""
    keys = sorted({key for role in rows.roles if role is not None for key in role.tags})
    odd = np.zeros(len(rows), np.bool_)
    found: dict[str, Labels] = {}
    for key in keys:
        labels = _constants(rows, key, labels_block(rows.column(_member_of(key)), empty=False))
        if UNTAGGED in labels.names:
            odd |= labels.codes == list(labels.names).index(UNTAGGED)
        if any(role is not None and key in role.full for role in rows.roles):
            odd |= labels.codes < 0
        if labels.names:
            found[key] = labels
    return found, odd


def _member_of(key: str) -> Callable[[ItemRoles], int | None]:
    def member(role: ItemRoles) -> int | None:
        place = role.tags.get(key)
        return place if isinstance(place, int) else None

    return member


def _constants(rows: PlainRows[ItemRoles], key: str, labels: Labels) -> Labels:
    """Return labels with the values that a shape itself tells, `true` and `false`."""
    told = [None if role is None else role.tags.get(key) for role in rows.roles]
    if not any(isinstance(value, str) for value in told):
        return labels
    names = list(labels.names)
    codes = labels.codes.copy()
    shapes = rows.shape_of_rows()
    for number, value in enumerate(told):
        if isinstance(value, str):
            names = names if value in names else [*names, value]
            codes[shapes == number] = names.index(value)
    return in_order(Labels(names, codes))


def conversation_columns(rows: PlainRows[ItemRoles]) -> tuple[Labels, list[int | None]]:
    """Return the conversation of each row, and its turn."""
    turns = rows.column(lambda role: role.turn)
    return labels_block(rows.column(lambda role: role.conversation), empty=False), [
        count_of(int(text)) if text else None for text in turns
    ]


def nameless(rows: PlainRows[ItemRoles]) -> Flags:
    """Return which rows have a conversation whose name is empty."""
    names = rows.column(lambda role: role.conversation)
    found: Flags = (rows.facts(lambda role: role.conversation is not None) == 1) & (names.starts == names.ends)
    return found


def detail_columns(rows: PlainRows[PredictionRoles]) -> dict[str, Sequence[float | int | None]]:
    """Return the numbers that came with predictions; a name that no row has is left out."""
    names = {name for role in rows.roles if role is not None for name in role.details}
    return {measure.name: _numbers(rows, measure) for measure in measures() if measure.name in names}


def _numbers(rows: PlainRows[PredictionRoles], measure: Measure) -> list[float | int | None]:
    column = rows.column(lambda role: role.details.get(measure.name))
    return [None if not text else measure_value(measure, _number(text)) for text in column]


def _number(text: str) -> float | int:
    return int(text) if text.lstrip("-").isdigit() else float(text)


def selected(tags: Mapping[str, Labels], flags: Flags) -> dict[str, Labels]:
    """Return the tags of some rows in order of first appearance; a tag that none of them has is left out."""
    found = {key: in_order(Labels(labels.names, labels.codes[flags])) for key, labels in tags.items()}
    return {key: labels for key, labels in found.items() if labels.names}
