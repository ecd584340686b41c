"""One run's items as columns: what comparison and gate read of a run, whatever keeps it.

Beside them cells and tables of other formats.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import Counts, Floats, Labels

Rows = npt.NDArray[np.int64]
"""Places of items in a run, in dataset order."""

WEIGHT = ".weight"
"""After the name of a per-item ratio: its denominator, which makes the metric the ratio of two sums."""


class Tagged(Protocol):
    """Items in dataset order, as slices see them."""

    def __len__(self) -> int:
        """How many items there are."""

    @property
    def tag_keys(self) -> Sequence[str]:
        """The keys of all tags."""

    def tag(self, key: str) -> Labels:
        """Return a tag; code -1 where an item lacks it."""


class ItemColumns(Tagged, Protocol):
    """A run's items in dataset order. A column is read when it is asked for, and never as rows."""

    @property
    def number_names(self) -> Sequence[str]:
        """The names of all per-item numbers, the primary first; weights are no numbers of their own."""

    def ids(self) -> Any:
        """Return the item ids as an Arrow array."""

    def hashes(self) -> Any:
        """Return the content hashes as an Arrow array."""

    def key_batches(self) -> Iterator[tuple[Any, Any]]:
        """Yield ids and content hashes, as many at a time as every other run of the same length yields."""

    def inputs(self) -> Any:
        """Return the inputs as an Arrow array."""

    def number(self, name: str) -> Floats | None:
        """Return a per-item number, NaN where it is null; None where the run does not have it."""

    def counts(self, name: str) -> Counts | None:
        """Return the whole numbers of each item for a corpus metric, one row each; None where they are not stored."""

    @property
    def repeats(self) -> int:
        """How many answers of each item the run has; its numbers are their means."""

    def answers(self) -> Labels:
        """Return what was extracted from each output; code -1 where nothing could be."""

    def states(self) -> Labels:
        """Return the state of each item."""

    def passed(self) -> npt.NDArray[np.bool_]:
        """Return whether each item passed."""

    def clusters(self) -> Labels | None:
        """Return the conversation of each item; None where there are none."""

    def classes(self) -> tuple[Labels, Labels] | None:
        """Return the true and the guessed label of each item; None where the task is no classification."""

    def losses(self) -> tuple[Floats, Floats] | None:
        """Return the loss and the number of tokens of each item; None where there are none."""

    def error_tags(self) -> dict[str, int]:
        """Return how many items have each error tag."""

    def details(self, rows: Rows) -> list[dict[str, Any]]:
        """Return a few items whole: input, reference, output and scorecard."""


# Text as a spreadsheet cell: a formula is defused with a leading quote, and the quote comes off again.
#
# The rule: `'` goes before a text that starts with `= + - @` (also full-width), tab, carriage return or line feed,
# unless it is a plain number or percentage, and before a text that already is such a text behind one or more
# quotes. So no text is changed that did not need it, and `restore(defuse(text)) == text` for every text.


_LEADS = r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_NUMBER = rf"[+-](?:{_DIGITS}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?: ?%)?"
_FORMULA = re.compile(rf"'*+(?!{_NUMBER}\Z){_LEADS}")
_DEFUSED = re.compile(rf"'(?={_FORMULA.pattern})")


def defuse(text: str) -> str:
    """Return text that no spreadsheet runs as a formula.

    >>> defuse("=1+1"), defuse("-21.08%"), defuse("'tis"), defuse("'=1+1")
    ("'=1+1", '-21.08%', "'tis", "''=1+1")
    """
    return f"'{text}" if _FORMULA.match(text) else text


def restore(text: str) -> str:
    """Return the text that `defuse` was given.

    >>> restore("'=1+1"), restore("''=1+1"), restore("'tis")
    ('=1+1', "'=1+1", "'tis")
    """
    return text[1:] if _DEFUSED.match(text) else text


# Rows as an HTML table, for results that a notebook shows.


def html_table(title: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]], notice: str) -> str:
    """Return a table with a title and a notice; every text is escaped."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(row.get(name))}</td>' for name in columns)}</tr>" for row in rows)
    return f"<b>{html.escape(title)}</b><table><tr>{head}</tr>{body}</table><small>{html.escape(notice)}</small>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else html.escape(str(value))
