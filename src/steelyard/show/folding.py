"""Long lines for a terminal of eighty columns: folded between words, what follows stands below the beginning."""

from __future__ import annotations

import textwrap

WIDTH = 80


def folded(text: str, *, indent: int = 0, hanging: int = 0) -> list[str]:
    """Return a sentence as lines; names and numbers are never broken, however long.

    >>> folded("a drop of 0.1", indent=2, hanging=2)
    ['  a drop of 0.1']
    """
    first, others = " " * indent, " " * (indent + hanging)
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )
