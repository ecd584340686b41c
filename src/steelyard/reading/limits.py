"""How much a file may ask of us before it is refused. Every message about a limit names the option that raises it."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024
RATIO_FLOOR = 64 * MIB
"""Below this many unpacked bytes no compression ratio is suspicious."""


@dataclass(frozen=True)
class Limits:
    """The limits of page 80, as far as they concern files."""

    max_line_bytes: int = 32 * MIB
    """`--max-line-bytes`: one line of JSONL, one record of CSV."""
    max_depth: int = 64
    """`--max-depth`: objects and lists inside each other, the row itself counted."""
    max_unpacked_bytes: int = 16 * 1024 * MIB
    """`--max-unpacked-bytes`: what one compressed file may unpack to, and what one JSON file may hold."""
    max_ratio: int = 1000
    """Unpacked over packed bytes beyond which a file of more than 64 MiB is a bomb."""
    max_yaml_bytes: int = MIB
    """One configuration file."""
