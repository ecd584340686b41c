"""What a report says of rows that were both trained and tested on."""

from __future__ import annotations

from steelyard.records.datasets import OverlapCounts
from steelyard.show import html_parts as parts
from steelyard.show.html_parts import text


def overlap_section(found: OverlapCounts | None) -> str:
    """Return the notice of an overlap between what was trained and what was tested on; nothing where there is none."""
    if not found:
        return ""
    pairs = "".join(f"<li>{text(test)} ~ {text(train)}</li>" for test, train in found.examples)
    said = f"{found.told}. A score over such rows says what was learnt by heart."
    return parts.section(
        "Trained and tested on", parts.notice(said), f'<ul class="small">{pairs}</ul>', anchor="overlap"
    )
