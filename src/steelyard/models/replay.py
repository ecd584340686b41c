"""`replay:FILE` is stored predictions under another name: `asking` reads the file as it reads `--predictions`.

Where a caller wants one answer at a time (a conversation, a test), `ReplayModel` looks it up by item id.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem, excerpt
from steelyard.models.parts import hash_file
from steelyard.models.protocol import BaseModel
from steelyard.records.encoded import UNREADABLE
from steelyard.records.models import ModelIdentity, ModelReply, ModelRequest

_IDS = ("item_id", "id", "sample_id", "trace_id")
_OUTPUTS = ("prediction", "output", "response", "predicted", "text")


class ReplayModel(BaseModel):
    """Gives the stored answer of an item id; an item that is not in the file is a failure."""

    def __init__(self, path: Path) -> None:
        self._rows = _read(path)
        super().__init__(ModelIdentity(spec=f"replay:{path}", kind="replay", name=path.name, revision=hash_file(path)))

    def generate(self, request: ModelRequest) -> ModelReply:
        """Return the stored answer."""
        row = self._rows.get(request.item_id)
        if row is None:
            return ModelReply(state="failed", error=f"the replayed file has no prediction for {request.item_id!r}")
        if row.get("error") or row.get("state") in ("failed", "timeout"):
            state = "timeout" if row.get("state") == "timeout" else "failed"
            return ModelReply(state=state, error=str(row.get("error") or "no reason was stored"))  # type: ignore[arg-type]
        return ModelReply(
            output=next((row[name] for name in _OUTPUTS if name in row), None),
            prompt_tokens=_whole(row, "prompt_tokens"),
            completion_tokens=_whole(row, "completion_tokens"),
            latency_ms=row.get("latency_ms"),
        )


def _whole(row: Mapping[str, Any], name: str) -> int | None:
    value = row.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _read(path: Path) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Problem("missing-file", f"cannot be read: {error}", file=str(path))) from None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            row = _row(path, number, line)
            found = next((row[name] for name in _IDS if name in row), None)
            if found is None:
                raise InputError(Problem("missing-field", "the prediction has no id", file=str(path), line=number))
            rows[str(found)] = row
    return rows


def _row(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except UNREADABLE as error:
        message = f"not JSON: {excerpt(str(error))}"
        raise InputError(Problem("bad-json", message, file=str(path), line=number)) from None
    if not isinstance(row, dict):
        raise InputError(Problem("not-an-object", "the row is not an object", file=str(path), line=number))
    return row
