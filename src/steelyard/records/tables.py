"""Rows as an HTML table, for results that a notebook shows."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any


def html_table(title: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]], notice: str) -> str:
    """Return a table with a title and a notice; every text is escaped."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(row.get(name))}</td>' for name in columns)}</tr>" for row in rows)
    return f"<b>{html.escape(title)}</b><table><tr>{head}</tr>{body}</table><small>{html.escape(notice)}</small>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else html.escape(str(value))
