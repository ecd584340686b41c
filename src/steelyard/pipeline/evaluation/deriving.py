"""Items and results derived from stored predictions, into any folder; nothing is asked of a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.pipeline.evaluation.sources import make_judge, make_source
from steelyard.pipeline.evaluation.streaming import stream
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation.gold import add_gold
from steelyard.pipeline.preparation.task import Prepared
from steelyard.pipeline.recording.run import Derivation, Progress


def derive(
    folder: Path,
    prepared: Prepared,
    options: EvaluateOptions,
    facts: Mapping[str, Any],
    progress: Progress | None = None,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Judge stored predictions and write what `eval/` holds; return the results, with `facts`, and hard examples."""
    source = make_source(prepared, options)
    derivation = Derivation(folder, prepared.report)
    try:
        stream(derivation, make_judge(prepared, source), source, None, progress)
        add_gold(derivation.report, prepared, source, None)
    except BaseException as error:
        derivation.abandon(error)
        raise
    return derivation.finish(prepared.signatures, facts)
