"""Which items of a run have other tags than the baseline had them with: what a verdict lists of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from steelyard.comparison.retagging import StandingTags
from steelyard.records.columns import ItemColumns
from steelyard.records.verdicts import Retagged, RetaggedItem

LISTED = 1000
"""How many retagged items a verdict names; it counts all."""


def retagged(standing: StandingTags | None, columns: ItemColumns) -> Retagged:
    """Return the run's retagged items, in the dataset's order."""
    if standing is None or not standing.changed:
        return Retagged()
    rows = np.unique(np.concatenate(list(standing.changed.values())))
    listed = rows[:LISTED]
    values = {key: (set(found.tolist()), standing.values(key)) for key, found in standing.changed.items()}
    items = [
        RetaggedItem(
            item_id,
            before={key: sides[0][row] for key, (changed, sides) in values.items() if row in changed},
            after={key: sides[1][row] for key, (changed, sides) in values.items() if row in changed},
        )
        for item_id, row in zip(columns.ids().take(pa.array(listed)).to_pylist(), listed.tolist(), strict=True)
    ]
    return Retagged(len(rows), tuple(items))
