"""Items of a list that is written as text, version 1. The first rule that fits is used.

1. A JSON array (fenced or not) of strings and numbers: its members. Square brackets around anything else are dropped.
2. Several lines: one item a line. Where some lines begin with a bullet (`-`, `*`, `•`, `–`, `·`, `1.`, `1)`, `(1)`,
   `1、`), only those are items, and the bullet is dropped.
3. One line: split at `;` and `；` where one stands, else at `,`, `，` and `、`. A comma inside a number's groups of
   three (`1,234`) does not split. A final full stop and the `and` before the last item are dropped.

Items are stripped, quotes around an item are dropped, and empty items are left out. Order and repetition stay.
"""

from __future__ import annotations

import json
import re
from typing import Any

from steelyard.canonical.answer_line import without_full_stop
from steelyard.canonical.json_text import RefusedJson, decode_strict

_FENCE = re.compile(r"```[A-Za-z]*[ \t]*\r?\n(?P<inside>.*)```", re.DOTALL)
_BULLET = re.compile(r"(?:[-*–·][ \t]+|•[ \t]*|\d{1,3}[.)][ \t]+|\(\d{1,3}\)[ \t]*|\d{1,3}、[ \t]*)")
_SEMICOLON = re.compile("[;；]")
_COMMA = re.compile(r"[，、]|,(?!(?<=\d,)\d{3}(?!\d))")
_CONJUNCTION = re.compile(r"and[ \t]+", re.IGNORECASE)
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "`": "`"}


def list_items(text: str) -> tuple[str, ...]:
    r"""Return the items of a list written as text.

    >>> list_items('["ai", "earnings"]'), list_items("营收、利润"), list_items("Topics:\n- ai\n- earnings")
    (('ai', 'earnings'), ('营收', '利润'), ('ai', 'earnings'))
    """
    stripped = _unfenced(text.strip())
    if stripped.startswith("[") and stripped.endswith("]"):
        members = _array(stripped)
        if members is not None:
            return members
        stripped = stripped[1:-1]
    return tuple(item for part in _split(stripped) if (item := _unquoted(part.strip())))


def item_text(value: Any) -> str | None:
    """Return a JSON string as it is and a JSON number as its text; None for anything else."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def without_bullet(line: str) -> str:
    """Return a line without the bullet or number it begins with."""
    stripped = line.strip()
    bullet = _BULLET.match(stripped)
    return stripped[bullet.end() :].strip() if bullet else stripped


def _unfenced(text: str) -> str:
    fence = _FENCE.fullmatch(text)
    return fence["inside"].strip() if fence else text


def _array(text: str) -> tuple[str, ...] | None:
    """Return the members of a JSON array of strings and numbers; None for any other text."""
    try:
        members = decode_strict(text)
    except RefusedJson:
        return None
    items = [item_text(member) for member in members] if isinstance(members, list) else [None]
    return tuple(item for item in items if item is not None) if None not in items else None


def _split(text: str) -> list[str]:
    lines = [stripped for line in re.split(r"[\r\n]+", text) if (stripped := line.strip())]
    bulleted = [line for line in lines if _BULLET.match(line)]
    if bulleted:
        return [without_bullet(line) for line in bulleted]
    if len(lines) != 1:
        return lines
    line = lines[0]
    parts = (_SEMICOLON if _SEMICOLON.search(line) else _COMMA).split(line)
    parts[-1] = without_full_stop(parts[-1].strip())
    if len(parts) > 1:
        parts[-1] = _CONJUNCTION.sub("", parts[-1], count=1) if _CONJUNCTION.match(parts[-1]) else parts[-1]
    return parts


def _unquoted(item: str) -> str:
    wrapped = len(item) > 1 and _QUOTES.get(item[0]) == item[-1]
    return item[1:-1].strip() if wrapped else item
