"""What cannot be written or read as it should: names and paths that are not UTF-8 are refused where they first appear.

The system gives a name whose bytes are no UTF-8 as text with lone surrogates, which nothing that we write can hold.
"""

from __future__ import annotations

from pathlib import Path

from steelyard.errors import Problem, UsageError, quoted

UNREADABLE = (ValueError, RecursionError)
"""What decoders raise where content is not what is expected: errors of formats and encodings are ValueErrors, and what
is nested too deeply runs out of stack."""
HINT = "rename it: what is written about it has to be read again"


def is_utf8(text: str) -> bool:
    r"""Return whether a name can be written as UTF-8.

    >>> is_utf8("Größe"), is_utf8("Gr\udcf6ße")
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def refuse_not_utf8(text: str | Path, what: str) -> None:
    """Refuse a name or path that is not UTF-8, or that no system has, before anything is read or written."""
    if "\0" in str(text):
        message = f"{what} {quoted(str(text))} holds a NUL, which no name or path can"
        raise UsageError(Problem("usage", message, hint="write it without"))
    if not is_utf8(str(text)):
        raise UsageError(Problem("not-utf8", f"{what} {quoted(str(text))} is not UTF-8", hint=HINT))
