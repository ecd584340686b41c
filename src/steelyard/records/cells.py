r"""Text as a spreadsheet cell: a formula is defused with a leading quote, and the quote comes off again.

The rule: `'` goes before a text that starts with `= + - @` (also full-width), tab, carriage return or line feed, unless
it is a plain number or percentage, and before a text that already is such a text behind one or more quotes. So no text
is changed that did not need it, and `restore(defuse(text)) == text` for every text.
"""

from __future__ import annotations

import re

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
