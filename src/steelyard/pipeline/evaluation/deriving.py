"""Items and results derived from stored predictions, into any folder; nothing is asked of a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.pipeline.evaluation.sources import make_judge, make_source, report_over
from steelyard.pipeline.evaluation.streaming import stream
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation.gold import add_gold
from steelyard.pipeline.preparation.task import Prepared
from steelyard.pipeline.recording.run import Derivation, Progress, abandoned_on_error


def derive(
    folder: Path,
    prepared: Prepared,
    options: EvaluateOptions,
    facts: Mapping[str, Any],
    progress: Progress | None = None,
    *,
    aside: bool = False,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Judge a run's journal and write what `eval/` holds; return the results, with `facts`, and hard examples."""
    source = make_source(prepared, options, journal=True)
    derivation = Derivation(folder, report_over(prepared, source))
    with abandoned_on_error(derivation):
        stream(derivation, make_judge(prepared, source), source, None, progress, aside=aside)
        add_gold(derivation.report, prepared, source, None, aside=aside)
    return derivation.finish(prepared.signatures, facts)
