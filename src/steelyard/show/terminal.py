"""Results on a terminal: the same text as in a log, with its bars, numbers and names told apart by colour."""

from __future__ import annotations

import textwrap
from typing import ClassVar

from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.text import Text
from rich.theme import Theme


class _ResultsHighlighter(RegexHighlighter):
    """Colours what the results are made of; foreign text in them is escaped and is never read as markup."""

    base_style = "results."
    highlights: ClassVar[list[str]] = [
        r"(?P<bar>█+)(?P<track>░*)",
        r"(?P<interval>\[-?\d[^\]]*\]|\[no interval\])",
        r"(?P<count>\b[np]=[\d.e-]+)",
        r"(?m)^(?P<title>[a-z][^:\n]*:)$",
        r"(?P<primary>\(primary\))",
        r"(?P<missing>unavailable: .*)",
        r"(?P<notice>Slice metrics show correlation.*)",
    ]


_THEME = Theme(
    {
        "results.bar": "cyan",
        "results.track": "bright_black",
        "results.interval": "bright_black",
        "results.count": "bright_black",
        "results.title": "bold",
        "results.primary": "bold cyan",
        "results.missing": "bright_black",
        "results.notice": "yellow",
    }
)


def print_coloured(text: str) -> None:
    """Print results in colour; rich leaves the colours out where the terminal has none."""
    console = Console(theme=_THEME, highlight=False, markup=False, soft_wrap=True)
    console.print(_ResultsHighlighter()(Text(text)))


# Long lines for a terminal of eighty columns: folded between words, what follows stands below the beginning.


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
